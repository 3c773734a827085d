"""A job over two nodes of a real Slurm: both are sampled, the other by srun beside the ranks."""

import csv
import re

from tests.slurm.cluster import HERE, ROOT


def test_both_nodes_of_a_job_are_sampled_on_the_clock_of_the_first(cluster, here, read):
    text = (HERE / "config-slurm.ini").read_text()
    path = here.directory / "long.ini"
    # One phase of five seconds, so that both nodes are seen in it.
    text = re.sub(r"stonewall-time = .*", "stonewall-time = 5", text)
    path.write_text(re.sub(r"(\[mdtest-easy\]\nn = ).*", r"\g<1>100000000", text))
    asked = ["-p", 2, "--nodes=2"]
    target = ("c", "n1", "local", "ssd", here.test_dir)
    job_id = cluster.submit(
        ROOT / "submit.sh", *asked, *target, cwd=here.directory, CONFIG_FILE=str(path)
    )
    assert cluster.ended(job_id)["ExitCode"] == "0:0", here.output()
    (run,) = here.runs
    with open(run / "telemetry.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["node"] for row in rows} == {"n1", "n2"}
    # One machine's clock: what srun's way back and forth leaves open is all that can be off.
    assert {row["clock_offset_s"] for row in rows} == {"0"}
    assert all(float(row["clock_error_s"]) > 0 for row in rows if row["node"] == "n2")
    assert not [text for text in read(run, "run_metadata.json")["warnings"] if "sampled" in text]
    for node in ("n1", "n2"):
        seen = [row for row in rows if (row["node"], row["phase"]) == (node, "mdtest-easy-write")]
        assert len(seen) > 1, node
