"""A run's telemetry for other tools, held against a real Prometheus and Grafana's dashboard."""

import json
import re
import socket
import subprocess
import time
import urllib.parse
import urllib.request

import pytest

from hpc_disk_bench.telemetry.rows import header, line_of

START = 1_790_000_000


@pytest.fixture
def run(tmp_path):
    """A run of 20 seconds on two nodes, the second phase from the tenth on."""
    run = tmp_path / "run"
    run.mkdir()
    about = {
        "cluster_name": "wildwood",
        "storage_type": "nfs",
        "storage_volume": "nfs7",
        "device_type": "hdd",
        "timestamp": "2026.09.21-12.53.20",
    }
    (run / "run_metadata.json").write_text(json.dumps(about))
    with open(run / "telemetry.csv", "w") as file:
        file.write(header())
        for second in range(20):
            for number, node in enumerate(("n1", "n2")):
                file.write(line_of(row(second, node, 1000.0 * second + number)))
    return run


def row(second, node, moved):
    return {
        "time_epoch": START + second,
        "clock_offset_s": 0,
        "interval_s": 1.0,
        "node": node,
        "phase": "ior-easy-write" if second < 10 else "mdtest-easy-write",
        "cpu_user": 0.25,
        "ranks": 16,
        "ranks_written_bytes_per_s": moved,
        "nfs_busiest": "WRITE 812/s 3.1 ms; GETATTR 3/s 0.4 ms",
    }


def export(root, run, *arguments):
    return subprocess.run(
        [root / "export_telemetry.py", run, *arguments], capture_output=True, text=True, check=False
    )


def test_line_protocol_has_a_line_for_each_row(root, run):
    done = export(root, run, "--format", "influx")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines) == 40
    assert lines[2] == (
        "hpc_disk_bench,cluster=wildwood,device=hdd,node=n1,phase=ior-easy-write,"
        "run=2026.09.21-12.53.20,storage=nfs,volume=nfs7 "
        "clock_offset_s=0,interval_s=1,cpu_user=0.25,ranks=16,ranks_written_bytes_per_s=1000 "
        f"{START + 1}000000000"
    )


def test_a_row_cut_short_is_left_out_and_a_wrong_one_is_named(root, run):
    with open(run / "telemetry.csv", "a") as file:
        file.write("1790000099,0,1,n")
    done = export(root, run, "--format", "influx")
    assert len(done.stdout.splitlines()) == 40
    text = (run / "telemetry.csv").read_text()
    (run / "telemetry.csv").write_text(text.replace(",0.25,", ",many,", 1))
    done = export(root, run)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"export_telemetry.py: \S+/telemetry.csv:2: .*'many'.*\n", done.stderr)


def test_a_run_without_telemetry_is_one_line(root, tmp_path):
    done = export(root, tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "telemetry.csv: cannot be read: No such file or directory" in done.stderr


@pytest.fixture
def prometheus(root, run, tmp_path, real_parts):
    """A function: the answer of a real Prometheus that holds the run, to a query at a time."""
    real_parts.programs("prometheus", "promtool")
    text = tmp_path / "run.txt"
    done = export(root, run, "-o", text)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    data = tmp_path / "data"
    blocks = ["promtool", "tsdb", "create-blocks-from", "openmetrics", text, data]
    subprocess.run(blocks, check=True, capture_output=True)
    config = tmp_path / "prometheus.yml"
    config.write_text("global: {}\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={data}"]
    command += [f"--web.listen-address=127.0.0.1:{port}", "--storage.tsdb.retention.time=100y"]
    with open(tmp_path / "prometheus.log", "wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        await_answer(f"http://127.0.0.1:{port}/-/ready", process, tmp_path / "prometheus.log")

        def ask(query, second):
            about = urllib.parse.urlencode({"query": query, "time": START + second})
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/query?{about}") as answer:
                return json.load(answer)["data"]["result"]

        yield ask
    finally:
        process.terminate()
        process.wait()


def await_answer(address, process, log):
    end = time.monotonic() + 60
    while True:
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < end, log.read_text()
        try:
            urllib.request.urlopen(address).close()
            return
        except OSError:
            time.sleep(0.1)


def test_the_dashboard_s_queries_find_a_run_in_a_real_prometheus(root, prometheus):
    dashboard = json.loads((root / "docs/grafana-dashboard.json").read_text())
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    queries += [annotation["expr"] for annotation in dashboard["annotations"]["list"]]
    known = {f"hpc_disk_bench_{name}" for name in header().strip().split(",")}
    known.add("hpc_disk_bench_phase")
    for query in queries:
        assert set(re.findall(r"hpc_disk_bench_\w+", query)) <= known
    chosen = {"$run": "2026.09.21-12.53.20", "$node": "n1|n2"}
    answers = {}
    for query in queries:
        for variable, value in chosen.items():
            query = query.replace(variable, value)
        answers[re.search(r"hpc_disk_bench_(\w+)", query)[1]] = prometheus(query, 12)
    written = {
        one["metric"]["node"]: one["value"][1] for one in answers["ranks_written_bytes_per_s"]
    }
    assert written == {"n1": "12000", "n2": "12001"}
    assert {one["metric"]["phase"] for one in answers["phase"]} == {"mdtest-easy-write"}
    assert [one["value"][1] for one in answers["cpu_user"]] == ["0.25", "0.25"]
    assert answers["disk_busy"] == []
