"""What a batch job leaves where all of its calls print into one file: each is read for itself."""

import json
import subprocess
import sys


def test_a_call_that_failed_under_mpirun_does_not_cost_those_after_it(bench, root):
    bench.data.mkdir()
    write = ["ior", "-w", "-i", "2", "-o", bench.data / "f"]
    calls = (
        bench.command("ior", "-r", "-o", bench.data / "none", ranks=1),
        [bench.binary, *write, "-k"],
        [bench.binary, "mdtest", "-n", "3", "-d", bench.data / "m"],
        # It warns on stderr of the file that is there.
        [bench.binary, *write, "-O", "summaryFormat=JSON"],
        [bench.binary, *write, "--nosuch"],
    )
    with open(bench.directory / "job.out", "ab") as output:
        codes = [
            subprocess.run(
                list(map(str, call)),
                cwd=bench.directory,
                env=bench.environ,
                stdout=output,
                stderr=subprocess.STDOUT,
                check=False,
                timeout=60,
            ).returncode
            for call in calls
        ]
    assert [code == 0 for code in codes] == [False, True, True, True, False]
    done = subprocess.run(
        [sys.executable, root / "parse_summary.py", "job.out"],
        cwd=bench.directory,
        capture_output=True,
        text=True,
        check=True,
    )
    runs = json.loads(done.stdout)["runs"]
    assert [(run["tool"], run["format"], run["state"]) for run in runs] == [
        ("ior", "text", "complete"),
        ("mdtest", "text", "complete"),
        ("ior", "json", "complete"),
    ]
    assert runs[0]["command"].startswith("ior -w -i 2")
    assert [len(one["iterations"]) for one in runs[0]["operations"]] == [2]
    said = done.stderr.splitlines()
    assert len(said) == 2, done.stderr
    # With its error where that did not reach the file before its header did.
    assert "ior ended before anything was measured" in said[0]
    assert "no figures in it; it says: FATAL ior: --nosuch" in said[1]
