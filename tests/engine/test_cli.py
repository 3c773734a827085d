"""The command line and the INI file: upstream's answers, and one clear line for what is wrong."""

import re
import subprocess

import pytest

DEFAULT_HASH = "9736CCCB"  # of upstream's defaults, as its runs print it


@pytest.mark.parametrize("option", ["--list", "--list-mandatory", "-l", "-lm"])
def test_the_list_of_options_is_upstreams_to_the_letter(bench, shared, option):
    recorded = shared("upstream-runs", f"cli-{option.lstrip('-')}")
    done = bench.alone(option)
    assert done.returncode == 0
    assert done.stdout == (recorded / "stdout.txt").read_text()


@pytest.mark.parametrize("arguments", [[], ["-h"], ["--help"]])
def test_help_names_every_option(bench, arguments):
    done = bench.alone(*arguments)
    assert done.returncode == 0
    for option in ("--config-hash", "--cleanup", "--dry-run", "--mode", "--timestamp", "-v"):
        assert option in done.stdout
    assert "--verify" in done.stdout


def test_the_configuration_hash_is_upstreams(bench):
    done = bench.alone(bench.write_ini(base={"ior-easy": {}}), "--config-hash")
    empty = bench.directory / "defaults.ini"
    empty.write_text("# nothing but defaults\n[global]\n")
    assert bench.alone(empty, "--config-hash").stdout == f"config-hash     = {DEFAULT_HASH}\n"
    assert done.stdout != f"config-hash     = {DEFAULT_HASH}\n"


@pytest.mark.parametrize(
    ("run", "mode", "phases"), [("dry-vv", "standard", 13), ("dry-extended-np2", "extended", 18)]
)
def test_the_command_lines_of_all_phases_are_upstreams(bench, shared, run, mode, phases):
    """With the recorded run's configuration and time stamp, seeds and paths included."""
    recorded = shared("upstream-runs", run)
    stamp = next((recorded / "results").iterdir()).name
    options = ["--dry-run", f"--timestamp={stamp}", f"--mode={mode}"]
    done = bench.run(recorded / "config-used.ini", *options)
    assert done.returncode == 0

    def commands(path):
        return re.findall(r"^exe .*", (path / stamp / "result.txt").read_text(), re.M)

    assert commands(bench.directory / "results") == commands(recorded / "results")
    assert len(commands(recorded / "results")) == phases


def test_a_dry_run_moves_no_data_and_is_marked(bench):
    done = bench.run(bench.write_ini(), "--dry-run")
    assert done.returncode == 0
    assert "; ERROR INVALID DRY RUN MODE ACTIVATED" in bench.result()
    assert re.search(r"\[SCORE \].*\[INVALID\]", bench.summary())
    assert not bench.data.exists()
    assert not list(bench.results.glob("*-write.txt"))


def test_upstreams_result_verifies(bench, shared):
    recorded = shared("upstream-runs", "dry-vv")
    result = next((recorded / "results").iterdir()) / "result.txt"
    done = bench.alone(recorded / "config-used.ini", "--verify", result)
    assert "[OK] But this is an invalid run!" in done.stdout
    assert done.returncode == 1


def test_the_hash_of_the_extended_score_is_upstreams(bench, shared):
    """A dry run's covers no measured number, so that it can be compared."""
    recorded = next((shared("upstream-runs", "dry-extended-np2") / "results").iterdir())
    assert bench.run(bench.write_ini(), "--dry-run", "--mode=extended").returncode == 0
    theirs, ours = (
        re.findall(r"^hash +=.*", text, re.M)
        for text in ((recorded / "result.txt").read_text(), bench.result())
    )
    assert ours[1] == theirs[1]


def test_our_result_verifies_and_a_changed_one_does_not(bench):
    ini = bench.write_ini()
    assert bench.run(ini).returncode == 0
    result = bench.results / "result.txt"
    assert "[OK] But this is an invalid run!" in bench.alone(ini, "--verify", result).stdout
    config = bench.results / "config.ini"
    assert "[OK]" in bench.alone(config, "--verify", result).stdout

    text = bench.result()
    score = re.search(r"^score +=  *([\d.]+)", text, re.M)[1]
    result.write_text(text.replace(score, score[:-1] + str((int(score[-1]) + 1) % 10)))
    done = bench.alone(ini, "--verify", result)
    assert "ERROR: Score hash expected" in done.stdout
    assert done.returncode == 1

    result.write_text(text)
    other = bench.write_ini({"mdtest-easy": {"n": "151"}})
    assert "Configuration hash expected" in bench.alone(other, "--verify", result).stdout


def test_a_truncated_result_is_refused_with_one_line(bench, shared):
    recorded = shared("upstream-runs", "fail-sigterm-mpirun")
    result = recorded / "results-before-cleanup/result.txt"
    done = bench.alone(recorded / "config-used.ini", "--verify", result)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "no hash in [SCORE]" in done.stderr


REFUSED = {
    "[foo]\nx = 1\n": r"run.ini:1: unknown section \[foo\]",
    "[global]\n\nfoo = 1\n": r"run.ini:3: unknown option foo in \[global\]",
    "[global]\nverbosity\n": r'run.ini:2: "verbosity" is neither',
    "datadir = x\n": r"run.ini:1: datadir is set before the first \[section\]",
    "[global\n": r"run.ini:1: .* is no section",
    "[global] junk\n": r"run.ini:1: .* is no section",
    "[global]\ndatadir = a#b\n": r"run.ini:2: .* holds # or ;",
    "[ior-easy]\nfilePerProc = maybe\n": r"run.ini:2: .*maybe: expected TRUE or FALSE",
    "[debug]\nstonewall-time = abc\n": r"run.ini:2: .*stonewall-time = abc: expected an integer",
    "[mdtest-easy]\nn = -1\n": r"run.ini:2: .*n = -1: expected an integer >= 0",
    "[ior-easy]\ntransferSize = 2x\n": r"run.ini:2: .*transferSize = 2x: expected a size",
    "[ior-easy]\nblockSize = 3m\n": r"blockSize = 3m is no multiple of transferSize = 2m",
    "[ior-easy]\ntransferSize = 0\n": r"no multiple of transferSize = 0",
    "[global]\napi = NOSUCH\n": r"API = NOSUCH .*POSIX, MPIIO and IOURING",
    "[global]\napi = MPIIO\n": r"the metadata phases have POSIX only; set it in \[mdtest-easy\]",
    "[ior-easy]\nAPI = IOURING --iouring.depth=0\n": r"depth=0 .*expected 1 to|without liburing",
    "[ior-hard]\nAPI = POSIX --posix.mystery\n": r"no option --posix.mystery",
    "[global]\nio-buffers-on-gpu = TRUE\n": r"no GPU buffers",
    "[global]\ndataPacketType = nonsense\n": r"dataPacketType = nonsense",
    "[find]\nnproc = 3\n": r"nproc = 3: this run has 1 ranks",
    "[ior-hard]\ncollective = TRUE\n": r"collective = TRUE needs API = MPIIO, not POSIX",
    "[find]\nexternal-script = /nowhere\n": r"external-script = /nowhere: cannot be executed",
    "": r"run.ini: the file is empty",
    "[debug]\n# note\0\nstonewall-time = 1\n": r"run.ini: has a zero byte, so it is no plain text",
    "[debug]\nstonewall-time = 4294967297\n": r"stonewall-time = 4294967297: expected at most 214",
    "[ior-easy]\ntransferSize = 1k\nblockSize = 1k\n": r"blockSize = 1k: ior-rnd4K-easy-read reads",
    "[mdtest-easy-write]\nrun = FALSE\n": (
        r"mdtest-easy-stat goes by what mdtest-easy-write counts, .*set \[mdtest-easy\] run = FALSE"
    ),
    "[ior-hard-write]\nrun = FALSE\n": r"ior-hard-read goes by what ior-hard-write counts",
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: repr(text))
def test_a_wrong_ini_file_is_refused_with_one_line_and_nothing_is_made(bench, text):
    ini = bench.directory / "run.ini"
    ini.write_text(text)
    done = bench.alone("./run.ini")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert re.match(f"FATAL .*{REFUSED[text]}", done.stderr)
    assert [path.name for path in bench.directory.iterdir()] == ["run.ini"]


def test_many_ranks_say_it_once(bench):
    (bench.directory / "run.ini").write_text("[foo]\n")
    done = bench.run("./run.ini", ranks=4)
    assert done.returncode == 1
    assert done.stderr.count("FATAL") == 1


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--foo"], "unknown option --foo"),
        (["--mode=foo"], "--mode=foo"),
        (["-v=5"], "unknown option -v=5"),
        (["--timestamp"], "--timestamp needs a value"),
        (["--timestamp=../x"], "--timestamp=../x"),
        (["--verify"], "--verify needs a value"),
        (["--verbose=lots"], "--verbose=lots"),
    ],
)
def test_a_wrong_option_is_refused_with_one_line(bench, options, line):
    done = bench.alone(bench.write_ini(), *options)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("FATAL")
    assert line in done.stderr
    assert not bench.results.exists()


def test_an_ini_file_with_blanks_comments_cases_and_windows_line_ends_is_read(bench):
    path = bench.directory / "odd.ini"
    path.write_bytes(
        b"; a comment\r\n\r\n[ GLOBAL ]  ; another\r\n  DataDir =  /x y/z  \t\r\n"
        b"verbosity =\r\n[mdtest-EASY]\r\nN = 7 # files\r\n[mdtest-easy]\r\nn = 8\r\n"
    )
    plain = bench.directory / "plain.ini"
    plain.write_text("[global]\ndatadir = /x y/z\n[mdtest-easy]\nn = 8\n")
    odd, same = (bench.alone(ini, "--config-hash") for ini in (path, plain))
    assert odd.returncode == 0, odd.stderr
    assert odd.stdout == same.stdout


def test_a_directory_that_cannot_be_made_is_named_and_nothing_is_left(bench):
    (bench.directory / "file").touch()
    ini = bench.write_ini({"global": {"datadir": "./new/data", "resultdir": "./file/results"}})
    done = bench.run(ini)
    assert done.returncode == 1
    assert "FATAL cannot make the result directory ./file/results: Not a directory (ENOTDIR)" in (
        done.stderr
    )
    assert {path.name for path in bench.directory.iterdir()} == {"file", "run.ini"}


def test_disabled_phases_are_left_out_and_the_score_says_so(bench):
    off = {name: {"run": "FALSE"} for name in ("find", "mdtest-hard-read", "ior-hard")}
    done = bench.run(bench.write_ini(off))
    assert done.returncode == 0, done.stderr
    for phase in ("find", "mdtest-hard-read", "ior-hard-write", "ior-hard-read"):
        assert f" {phase} " not in bench.summary()
        assert f"[{phase}]" not in bench.result()
    assert "; ERROR INVALID only 8 of the 12 scored phases ran" in bench.result()
    assert bench.summary().rstrip().endswith("[INVALID]")
    assert not bench.data.exists()


def test_a_run_shorter_than_the_rules_says_so_at_every_write_phase_and_at_the_score(bench):
    bench.run(bench.write_ini())
    summary = bench.summary()
    marked = re.findall(r"\[RESULT\] +(\S+) .*\[INVALID\]", summary)
    assert marked == [
        "ior-easy-write",
        "mdtest-easy-write",
        "ior-hard-write",
        "mdtest-hard-write",
    ]
    assert "; ERROR INVALID stonewall-time 1s != 300s" in bench.result()


def test_caches_are_dropped_with_the_given_command_before_every_phase_on_every_rank(bench):
    log = bench.directory / "dropped"
    drop = {"global": {"drop-caches": "TRUE", "drop-caches-cmd": f"echo dropped >> {log}"}}
    assert bench.run(bench.write_ini(drop), ranks=2).returncode == 0
    assert log.read_text().count("dropped") == 2 * 12


def test_a_command_that_does_not_drop_caches_is_in_the_result(bench):
    last = bench.directory / "last"
    command = f"mkdir {last} 2>&-"  # goes well on one rank, the first time
    drop = {"global": {"drop-caches": "TRUE", "drop-caches-cmd": command}}
    assert bench.run(bench.write_ini(drop), ranks=2).returncode == 0
    told = f'; WARNING Calling "{command}" returned 256\n'
    assert bench.result().count(told) == 12
    assert f"{told}\n[ior-easy-write]" in bench.result()


def test_a_higher_verbosity_tells_times_and_transfers_in_upstreams_places(bench, shared):
    recorded = shared("upstream-runs", "drop-caches-cmd-v5") / "results/result.txt"
    bench.run(bench.write_ini({"global": {"verbosity": "5"}}))
    keys = [
        re.findall(r"^(\[[\w-]+|result-file|accessed-pairs|time|\w+-stonewall)\b", text, re.M)
        for text in (bench.result(), recorded.read_text().partition("[ior-rnd4K")[0])
    ]
    assert keys[0][:-1] == keys[1]  # but for [SCORE]
    assert re.findall(r"^accessed-pairs += (\d+)", bench.result(), re.M) == ["2", "20"]


@pytest.mark.parametrize(
    "name", ["find.csv", "ior-easy-read.csv", "ior-hard-write.txt", "mdtest-easy-stat.csv"]
)
def test_a_file_of_the_results_that_is_lost_ends_the_run(bench, name):
    bench.results.mkdir()
    (bench.results / name).symlink_to("/dev/full")
    done = bench.run(bench.write_ini(), ranks=1)
    assert done.returncode == 1
    assert f'write "./results/{name}": No space left on device (ENOSPC)' in done.stderr


def test_version_is_the_packages(bench, root):
    script = "import hpc_disk_bench; print(hpc_disk_bench.__version__)"
    package = subprocess.run(
        ["python3", "-c", script], cwd=root, capture_output=True, text=True, check=True
    ).stdout.strip()
    done = bench.alone("--version")
    assert done.stdout == f"IO500 version hpc-disk-bench-{package} (embedded engine)\n"
