"""How far a run is: what a terminal and a batch log show of it, with either engine."""

import json
import os
import re

import pytest

from hpc_disk_bench import status
from hpc_disk_bench.benchmark import Benchmark, Signals
from hpc_disk_bench.configuration import Template
from hpc_disk_bench.console import Console, duration
from hpc_disk_bench.follow import Course
from hpc_disk_bench.progress.estimate import Estimate
from hpc_disk_bench.progress.plan import plan
from hpc_disk_bench.progress.reader import PhaseReader

STANDARD = Template("t.ini", "[global]\ndatadir = d\n", "standard")


def test_a_standard_run_has_thirteen_phases_and_the_timestamp_is_none_of_them():
    names = plan(STANDARD)
    assert (len(names), names[0], names[-1]) == (13, "ior-easy-write", "ior-rnd4K-easy-read")
    assert "timestamp" not in names


def test_what_is_switched_off_is_not_to_come():
    text = "[mdtest-easy]\nrun = FALSE\n[find]\nrun = FALSE\n"
    names = plan(STANDARD._replace(text=text))
    assert len(names) == 9
    assert not [name for name in names if name.startswith("mdtest-easy") or name == "find"]


@pytest.mark.parametrize("mode", ["standard", "extended"])
def test_the_plan_is_what_recorded_runs_of_upstream_did(shared, mode):
    name = {"standard": "tmpfs-std-np1-r1", "extended": "tmpfs-ext-np1"}[mode]
    run = shared("upstream-runs", name, "results")
    summary = (run / "result_summary.txt").read_text()
    printed = re.findall(r"^\[[A-Z ]+\] +([\w-]+) +[\d.]+ ", summary, re.MULTILINE)
    printed = [name for name in printed if name not in ("timestamp", "Bandwidth")]
    template = STANDARD._replace(mode=mode)
    assert plan(template, run) == printed
    assert plan(template) == printed


def test_phases_are_told_from_result_txt_as_they_end_though_stdout_says_nothing(tmp_path, recorded):
    """As the upstream benchmark writes it: key by key, its stdout in a buffer."""
    source = recorded("valid", "2026.11.20-09.54.40") / "result.txt"
    (tmp_path / "io500.out").write_text("")
    target = tmp_path / "2026" / "result.txt"
    target.parent.mkdir()
    reader = PhaseReader(tmp_path, tmp_path / "io500.out")
    assert (reader.news(), reader.begun) == ([], None)
    seen, begun, text = [], [], ""
    for line in source.read_text().splitlines(keepends=True):
        text += line
        target.write_text(text)
        for phase in reader.news():
            seen.append(phase.name)
            # It is told with its time, not when its score is there alone.
            assert phase.time is not None
        if reader.begun and reader.begun not in begun:
            begun.append(reader.begun)
    assert seen == plan(STANDARD)
    assert begun == [*seen[:2], "timestamp", *seen[2:]]


def test_a_benchmark_without_result_txt_is_followed_by_its_stdout(tmp_path):
    output = tmp_path / "io500.out"
    output.write_text("")
    reader = PhaseReader(tmp_path, output)
    with output.open("a") as file:
        file.write(
            "[RESULT]       ior-easy-write      101.038894 GiB/s  : time 426.716 seconds\n[RES"
        )
    assert [phase.name for phase in reader.news()] == ["ior-easy-write"]
    assert reader.news() == []


def test_the_estimate_starts_from_the_stonewall_and_learns_wear_out_and_shares():
    names = plan(STANDARD)
    estimate = Estimate(300, names)
    before = estimate.left("ior-easy-write", 0)
    assert before > 4 * 300
    estimate.done("ior-easy-write", 360)
    assert estimate.expected("ior-hard-write") == pytest.approx(360)
    estimate.done("ior-hard-write", 300)
    estimate.done("ior-easy-read", 180)
    # ior-easy-read took half of its write phase, so does ior-hard-read.
    assert estimate.expected("ior-hard-read") == pytest.approx(150)
    assert estimate.left(names[-1], 290) == pytest.approx(29)
    assert estimate.left(names[-1], 400) > 0


@pytest.mark.parametrize("name", ["disk-std-np2-r1", "disk-ext-np4", "tmpfs-std-np4-r1"])
def test_the_estimate_of_a_recorded_run_is_within_a_factor_of_two_half_way(shared, name):
    run = shared("upstream-runs", name, "results")
    mode = "extended" if "-ext-" in name else "standard"
    reader = PhaseReader(run, os.devnull)
    phases = {phase.name: phase.time for phase in reader.news()}
    names = plan(STANDARD._replace(mode=mode), run)
    estimate, half = Estimate(3, names), names.index("ior-hard-read")
    for done in names[:half]:
        estimate.done(done, phases[done])
    truly = sum(phases[each] for each in names[half:])
    assert truly / 2 < estimate.left(names[half], 0) < truly * 2


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(5.2, "5 s"), (89, "89 s"), (150, "2 min"), (2280, "38 min"), (7500, "2 h 05 min")],
)
def test_a_time_is_said_as_a_person_would(seconds, said):
    assert duration(seconds) == said


@pytest.fixture
def followed(tmp_path, monkeypatch):
    """A function: follows a benchmark that writes data for some seconds; status.json after it."""

    def follow(seconds, hang_timeout=0.0, nodes=1):
        monkeypatch.setattr(status, "HEARTBEAT", 0.5)
        script = tmp_path / "benchmark"
        script.write_text(
            '#!/usr/bin/env bash\ncd "${1%/*}"\n'
            "printf '[run]\\nprocs = 1\\n\\n[ior-easy-write]\\nexe = x\\n' >result.txt\n"
            f"for ((i = 0; i < {int(seconds * 10)}; i++)); do\n"
            "  printf '%s' \"$content\"\n  sleep 0.1\ndone >data\n"
        )
        script.write_text(
            script.read_text().replace("cd ", 'printf -v content "%04000000d" 1\ncd ', 1)
        )
        script.chmod(0o755)
        (tmp_path / "io500.ini").write_text("")
        ini = tmp_path / "io500.ini"
        place = (tmp_path, "ext4")
        course = Course(tmp_path, ini, STANDARD, place, nodes, hang_timeout, Console())
        with Signals() as signals:
            benchmark = Benchmark(
                [str(script), str(ini)], tmp_path / "io500.out", tmp_path / "io500.err"
            )
            course.follow(benchmark, signals)
            assert benchmark.stop()
        return course

    return follow


def test_a_batch_log_gets_a_heartbeat_with_rate_and_time_left(followed, capfd, tmp_path):
    followed(3)
    said = capfd.readouterr().err.splitlines()
    line = r"\S+Z phase 1/13 ior-easy-write running \d+ s( [\d.]+ GiB/s)?, \d+ (min|s) left"
    assert said
    assert all(re.fullmatch(line, each) for each in said), said
    assert any("GiB/s" in each for each in said)
    written = json.loads((tmp_path / "status.json").read_text())
    told = (written["state"], written["last_phase"], written["phases_done"])
    assert (*told, written["phases_total"]) == ("running", "ior-easy-write", 0, 13)


def test_a_rate_of_one_node_of_several_says_so(followed, capfd):
    followed(2.5, nodes=2)
    assert "GiB/s on this node" in capfd.readouterr().err


def test_a_terminal_has_one_line_that_is_drawn_anew_and_never_wraps(wrapper, engine):
    wrapper.use(engine)
    wrapper.environ.update(PROBE_SECONDS="0", TERM="xterm", NO_COLOR="1")
    arguments = " ".join(f"'{part}'" for part in wrapper.arguments())
    command = ["script", "-qec", f"stty cols 80; {arguments}", "/dev/null"]
    out, _ = wrapper.start(command=command).communicate()
    # Python reads the return to the line's start as a line end.
    drawn = [part for part in out.split("\n") if part.endswith("\x1b[K") and "[" in part[:-3]]
    assert drawn
    for part in drawn:
        assert len(part.removesuffix("\x1b[K")) < 80
        assert re.match(r" {10} *\d+/13 [\w-]+ .*\[=*> *\]", part)
    # Nothing of the bar is left in a line that stays, and there are no colours.
    assert re.search(r"\n\x1b\[K +13/13 ior-rnd4K-easy-read +[\d.]+ GiB/s +[\d.]+ s *\n", out)
    assert "\x1b[3" not in out
