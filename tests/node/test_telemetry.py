"""The record of what a node does while a benchmark runs: a row a second, whichever engine it is."""

import csv
import json
import os
import signal
import stat
import subprocess
import sys
import time

import pytest

from hpc_disk_bench.result_file import parse_result_file
from hpc_disk_bench.telemetry.columns import COLUMNS, NAMES
from hpc_disk_bench.telemetry.phases import PhaseWatch
from hpc_disk_bench.telemetry.prometheus import TextFile

PATIENCE = 30


def rows_of(run):
    with open(run / "telemetry.csv", newline="") as file:
        return list(csv.DictReader(file))


def wait_for(what):
    end = time.monotonic() + PATIENCE
    while not (found := what()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return found


@pytest.fixture
def slow(wrapper, engine):
    """The real engine, four seconds in one phase of creating files."""
    wrapper.use(engine)
    path = wrapper.directory.parent / "slow.ini"
    path.write_text(
        "[global]\ndatadir = $TEST_DIR\nresultdir = $OUTPUT_DIR\n"
        "timestamp-datadir = FALSE\ntimestamp-resultdir = FALSE\n"
        "[debug]\nstonewall-time = 3\n[ior-easy]\nblockSize = 64m\n[ior-hard]\nsegmentCount = 20\n"
        "[mdtest-easy]\nn = 100000000\n[mdtest-hard]\nn = 200\n"
    )
    wrapper.environ["CONFIG_FILE"] = str(path)
    return wrapper


def test_a_run_is_recorded_each_second_with_its_phases_and_what_its_ranks_moved(slow, tmp_path):
    textfiles = tmp_path / "textfiles"
    textfiles.mkdir()
    slow.environ["TELEMETRY_TEXTFILE_DIR"] = str(textfiles)
    process = slow.start()
    seen = wait_for(lambda: [path.read_text() for path in textfiles.glob("*.prom")])
    err = process.communicate()[1]
    assert process.returncode == 0, err
    (run,) = slow.runs
    rows = rows_of(run)
    assert tuple(rows[0]) == NAMES
    times = [float(row["time_epoch"]) for row in rows]
    assert times == sorted(times)
    metadata = slow.json("run_metadata.json")
    assert metadata["start_epoch"] <= times[0] <= times[-1] <= metadata["end_epoch"]
    # No second is missing: the intervals are the time between the rows.
    for before, after, row in zip(times, times[1:], rows[1:], strict=False):
        assert abs(after - before - float(row["interval_s"])) < 0.05
    begun = parse_result_file((run / "result.txt").read_text()).started
    phases = {row["phase"] for row in rows if row["phase"]}
    assert "mdtest-easy-write" in phases
    assert phases <= set(begun)
    assert max(int(row["ranks"]) for row in rows) == 2
    creating = [row for row in rows if row["phase"] == "mdtest-easy-write"]
    assert max(float(row["ranks_cpu"] or 0) for row in creating) > 0.1
    assert all(0 <= float(row["cpu_system"]) <= 1 for row in rows if row["cpu_system"])
    assert 'hpc_disk_bench_cpu_user{cluster="c",storage="local",device="ssd"' in seen[0]
    assert list(textfiles.iterdir()) == []
    assert not (run / "telemetry.err").exists()


def test_it_can_be_switched_off(wrapper, recorded):
    wrapper.use_stand_in(run=recorded("invalid"))
    wrapper.environ["TELEMETRY"] = "off"
    done = wrapper.run()
    assert done.returncode == 0, done.stderr
    assert not (wrapper.runs[0] / "telemetry.csv").exists()


def test_a_directory_for_prometheus_that_is_of_no_use_is_said_once(wrapper, recorded, tmp_path):
    wrapper.use_stand_in(run=recorded("invalid"))
    wrapper.environ["TELEMETRY_TEXTFILE_DIR"] = str(tmp_path / "none")
    done = wrapper.run()
    assert done.returncode == 0, done.stderr
    said = (
        f"TELEMETRY_TEXTFILE_DIR: {tmp_path}/none cannot be written to: No such file or directory"
    )
    (line,) = [line for line in done.stderr.splitlines() if "TELEMETRY_TEXTFILE_DIR" in line]
    assert f" check telemetry warning {said}: " in line
    assert [text for text in wrapper.json("run_metadata.json")["warnings"] if said in text] == [
        f"{said}: Prometheus does not see this run"
    ]


def test_a_directory_for_prometheus_that_goes_in_mid_run_is_said_once(tmp_path, capsys):
    file = TextFile(str(tmp_path / "gone/run.prom"), {})
    for _ in range(2):
        file.write("n1", {"cpu_user": 0.5})
    assert capsys.readouterr().err == (
        f"TELEMETRY_TEXTFILE_DIR: {tmp_path}/gone cannot be written to: No such file or directory: "
        "Prometheus does not see this run\n"
    )


def test_a_killed_run_keeps_its_rows_and_its_sampler_ends(slow):
    process = slow.start()
    (run,) = wait_for(lambda: slow.runs)
    wait_for(lambda: (run / "telemetry.csv").exists() and len(rows_of(run)) > 1)
    (sampler,) = samplers(run)
    process.send_signal(signal.SIGKILL)
    os.kill(json.loads((run / "status.json").read_text())["pid"], signal.SIGKILL)
    process.communicate()
    wait_for(lambda: not os.path.exists(f"/proc/{sampler}"))
    wait_for(lambda: not processes_of(run))
    lines = (run / "telemetry.csv").read_text()
    assert lines.endswith("\n")
    assert all(len(cells) == len(NAMES) for cells in csv.reader(lines.splitlines()))


def processes_of(run):
    """Process ids of whatever was started for a run."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if os.fsencode(run / "io500.ini") in file.read():
                    found.append(int(pid))
        except OSError:
            continue
    return found


def samplers(run):
    found = []
    for pid in processes_of(run):
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            if b"telemetry" in file.read().split(b"\0"):
                found.append(pid)
    return found


@pytest.mark.parametrize("deeper", ["", "2026.01.01-00.00.00"])
def test_the_phases_of_an_upstream_run_are_seen_as_it_writes_them(shared, tmp_path, deeper):
    recorded = shared("upstream-runs", "tmpfs-std-np2-r1", "results")
    text = next(recorded.rglob("result.txt")).read_text()
    directory = tmp_path / deeper
    directory.mkdir(exist_ok=True)
    watch = PhaseWatch(tmp_path)
    seen = []
    for line in text.splitlines(keepends=True):
        # Half a line first, as a reader may find it.
        for part in (line[: len(line) // 2], line[len(line) // 2 :]):
            with open(directory / "result.txt", "a") as file:
                file.write(part)
            if watch.look():
                seen.append(watch.phase)
    # The timestamp measures nothing: no phase.
    started = [name.replace("timestamp", "") for name in parse_result_file(text).started]
    assert seen == [*started, ""]


def test_other_nodes_are_sampled_over_ssh_on_the_clock_of_the_first(tmp_path, real_parts):
    real_parts.root()
    run, programs = tmp_path / "run", tmp_path / "bin"
    run.mkdir()
    programs.mkdir()
    (run / "io500.ini").write_text("")
    (run / "run_metadata.json").write_text("{}")
    # Another host in all that a sampler can tell: a name of its own.
    ssh = programs / "ssh"
    ssh.write_text(
        "#!/bin/bash\nwhile [[ $1 != -- ]]; do shift; done\n"
        '[[ $2 != n3 ]] || { echo "no route to n3" >&2; exit 255; }\n'
        'exec unshare --uts bash -c "hostname $2 && exec $3"\n'
    )
    ssh.chmod(ssh.stat().st_mode | stat.S_IXUSR)
    entry = os.path.join(os.path.dirname(__file__), "../../hpc_disk_bench/__main__.py")
    command = [sys.executable, "-I", entry, "telemetry", f"--directory={tmp_path}"]
    command += [f"--ini={run / 'io500.ini'}", "--node=n2", "--node=n3"]
    environ = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    environ.pop("SLURM_JOB_ID", None)
    process = subprocess.Popen(
        command, env=environ, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_for(lambda: (run / "telemetry.csv").exists() and len(rows_of(run)) >= 5)
    _, said = process.communicate("")
    assert process.returncode == 0
    assert said == "telemetry: n3 is not sampled: no route to n3\n"
    rows = rows_of(run)
    own = [row for row in rows if row["node"] == os.uname().nodename]
    other = [row for row in rows if row["node"] == "n2"]
    assert len(own) + len(other) == len(rows)
    assert len(own) > 1
    assert len(other) > 1
    assert {row["clock_offset_s"] for row in rows} == {"0"}
    assert not samplers(run)


def test_the_documented_columns_are_those_of_the_file(root):
    text = (root / "docs/telemetry.md").read_text()
    for column in COLUMNS:
        assert f"| `{column.name}` | {column.unit or 'text'} | {column.meaning} |" in text
    assert text.count("\n| `") == len(COLUMNS)
