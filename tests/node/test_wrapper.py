"""io500_wrapper.sh: what it takes from arguments and environment, and the tree a run leaves."""

import os
import re
import shutil
import subprocess

import pytest

from tests.support.needs import obeying_modes

RUN_KEYS = [
    *("cluster_name", "node_name", "storage_type", "storage_volume", "device_type", "timestamp"),
    *("num_procs", "test_dir", "schema_version", "engine", "engine_version", "engine_path"),
    *("config_file", "config_sha256", "nodes", "node_count", "ppn", "job_id"),
    *("start_epoch", "end_epoch", "utc_offset_seconds", "storage", "warnings"),
    *("checks", "expected", "attempt", "retries", "retry_of"),
]


@pytest.fixture
def finished(wrapper, recorded):
    """A wrapper whose benchmark ends at once with a valid result."""
    wrapper.use_stand_in(run=recorded("valid/2026.11.20-09.54.40"))
    return wrapper


def config_of(wrapper):
    return wrapper.json("run_metadata.json")["config_file"]


def test_a_run_leaves_the_tree_of_the_contract(finished):
    done = finished.run(volume="md126")
    assert done.returncode == 0, done.stderr
    (run,) = finished.runs
    assert re.fullmatch(
        r"c/n1/local/md126/ssd/[\d.]{10}-[\d.]{8}", str(run.relative_to(finished.results))
    )
    assert (finished.results / "c/n1/node_metadata.json").is_file()
    metadata = finished.json("run_metadata.json")
    assert list(metadata) == RUN_KEYS
    assert metadata["storage_volume"] == "md126"
    assert metadata["timestamp"] == run.name
    assert metadata["test_dir"] == str(finished.test_dir)
    assert (metadata["num_procs"], metadata["node_count"], metadata["ppn"]) == (1, 1, 1)
    assert metadata["end_epoch"] >= metadata["start_epoch"] > 1.7e9
    assert (metadata["engine"], metadata["engine_version"]) == (
        "upstream",
        "io500-isc26_v2-26-g02091cf254d8",
    )
    assert finished.json("results.json")["score"]["total"] == 6.927932
    status = finished.json("status.json")
    assert (status["state"], status["exit_code"], status["phases_done"]) == ("complete", 0, 13)
    assert {path.name for path in run.iterdir()} >= {"io500.ini", "io500.out", "io500.err"}


def test_the_result_goes_to_stdout_and_the_talk_to_stderr(finished):
    done = finished.run()
    (run,) = finished.runs
    assert done.stdout.splitlines() == [
        "score     6.93   bandwidth 0.448 GiB/s   metadata 107 kIOPS   valid",
        f"results   {run.relative_to(finished.directory)}/results.json",
    ]
    lines = done.stderr.splitlines()
    assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ ", line) for line in lines)
    assert lines[0].endswith(" run c/n1/local/ssd ranks=1 nodes=1 engine=io500")
    assert any(
        line.endswith(" phase 1/13 ior-easy-write done 0.182456 GiB/s 52.1 s") for line in lines
    )
    assert sum(" phase " in line for line in lines) == 13
    assert "\x1b" not in done.stderr + done.stdout


def test_quiet_leaves_only_the_result(finished):
    done = finished.run("--quiet")
    assert (len(done.stdout.splitlines()), done.stderr) == (2, "")


def test_the_volume_s_level_is_left_out_without_a_volume(finished):
    finished.run(volume="")
    assert len(finished.runs[0].relative_to(finished.results).parts) == 5


def test_a_missing_test_dir_is_made_and_goes_again_and_one_that_was_there_stays(finished):
    finished.test_dir = finished.directory / "made/for it"
    assert finished.run().returncode == 0
    assert not (finished.directory / "made").exists()
    finished.test_dir = finished.directory / "was there"
    finished.test_dir.mkdir()
    (finished.test_dir / "precious").write_text("data")
    assert finished.run().returncode == 0
    assert os.listdir(finished.test_dir) == ["precious"]


def test_a_relative_test_dir_is_taken_from_the_working_directory(finished):
    assert finished.run(test_dir="below/here").returncode == 0
    assert finished.json("run_metadata.json")["test_dir"] == str(finished.directory / "below/here")


def test_a_test_dir_that_is_no_utf_8_works(finished):
    name = os.fsencode(finished.directory) + b"/\xff\xfe"
    command = [*finished.arguments()[:-1], name]
    process = finished.start(command=command)
    _, err = process.communicate()
    assert process.returncode == 0, err
    assert finished.json("run_metadata.json")["test_dir"].endswith("/\udcff\udcfe")
    (run,) = finished.runs
    assert b"datadir = " + name + b"/io500." in (run / "io500.ini").read_bytes()


def test_node_metadata_that_is_there_is_left_as_it_is(finished):
    path = finished.results / "c/n1/node_metadata.json"
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    finished.run()
    assert path.read_text() == "{}"


@pytest.mark.parametrize(
    ("names", "complaint"),
    [
        ({"cluster": "../x"}, "cluster '../x'"),
        ({"cluster": ".."}, "cluster '..'"),
        ({"cluster": ""}, "cluster is empty"),
        ({"node": "n/1"}, "node 'n/1'"),
        ({"node": "$(touch made)"}, "node '$(touch made)'"),
        ({"storage": "local disk"}, "storage 'local disk'"),
        ({"device": "ssd;"}, "device 'ssd;'"),
        ({"volume": ".hidden"}, "volume '.hidden'"),
        ({"volume": "ü"}, "volume 'ü'"),
        ({"volume": "x" * 300}, "300 characters are too many"),
        ({"test_dir": "a#b"}, "cannot hold a path with '#' or ';'"),
        ({"test_dir": "a;b"}, "cannot hold a path with '#' or ';'"),
        ({"test_dir": "a\nb"}, "cannot hold a path with a line end"),
        ({"test_dir": ""}, "test directory is empty"),
    ],
)
def test_a_name_that_cannot_be_used_is_refused_by_name(wrapper, names, complaint):
    done = wrapper.run(**names)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("io500_wrapper.sh: ")
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert wrapper.made() == []


@pytest.mark.parametrize(
    ("environ", "code", "complaint"),
    [
        ({"NUM_PROCS": "0"}, 2, "NUM_PROCS '0': the number of ranks is needed"),
        ({"NUM_PROCS": "two"}, 2, "NUM_PROCS 'two'"),
        ({"NUM_PROCS": ""}, 2, "NUM_PROCS ''"),
        ({"NUM_PROCS": "-1"}, 2, "NUM_PROCS '-1'"),
        ({"NUM_PROCS": "2 --host evil"}, 2, "NUM_PROCS '2 --host evil'"),
        ({"NUM_PROCS": "99999999"}, 2, "NUM_PROCS '99999999'"),
        ({"SLURM_CPUS_ON_NODE": "many"}, 2, "set NUM_PROCS"),
        ({"CONFIG_FILE": "no-such.ini"}, 2, "CONFIG_FILE 'no-such.ini': no such file"),
        ({"CONFIG_FILE": "../configs/config.ini"}, 2, "no such file"),
        ({"IO500_RESULTS_DIR": "a;b"}, 2, "results directory"),
        ({"IO500_BIN": "/no/such/io500"}, 3, "IO500_BIN '/no/such/io500'"),
        ({"IO500_BIN": "/etc/passwd"}, 3, "cannot be executed"),
        ({"NUM_PROCS": "2", "MPIRUN": "no-such-mpirun -x"}, 3, "MPIRUN 'no-such-mpirun'"),
        ({"IO500_RESULTS_DIR": "/proc/nowhere"}, 3, "cannot be"),
    ],
)
def test_an_environment_that_cannot_be_used_is_one_line_and_leaves_nothing(
    wrapper, environ, code, complaint
):
    wrapper.environ.update(environ)
    done = wrapper.run()
    assert (done.returncode, done.stdout) == (code, "")
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert wrapper.made() == []


def test_a_configuration_that_may_not_be_looked_at_is_not_called_missing(wrapper, tmp_path):
    (tmp_path / "closed").mkdir(mode=0)
    path = wrapper.environ["CONFIG_FILE"] = str(tmp_path / "closed/own.ini")
    process = wrapper.start(command=[*obeying_modes(), *wrapper.arguments()])
    _, err = process.communicate()
    problem = f"CONFIG_FILE '{path}': cannot be read: Permission denied"
    assert (process.returncode, err) == (2, f"io500_wrapper.sh: {problem}\n")


def test_wrong_use_is_one_line(wrapper):
    for arguments, complaint in [
        ([], "5 or 6 arguments are needed, 0 given"),
        (["a", "b", "c", "d"], "4 given"),
        (["a"] * 7, "7 given"),
        (["--fast", *"abcde"], "unknown option --fast"),
    ]:
        command = [wrapper.arguments()[0], *arguments]
        process = wrapper.start(command=command)
        _, err = process.communicate()
        assert process.returncode == 2
        assert complaint in err
        assert len(err.splitlines()) == 1
    assert wrapper.made() == []


@pytest.mark.parametrize(
    "name", ["io500_wrapper.sh", "gather_node_metadata.sh", "reprocess_all_results.sh"]
)
def test_help_says_usage_and_exit_codes(root, name):
    for flag in ("--help", "-h"):
        done = subprocess.run([root / name, flag], capture_output=True, text=True, check=True)
        assert done.stdout.startswith(f"usage: {name}")
        assert "Exit codes: 0" in done.stdout
        assert max(map(len, done.stdout.splitlines())) <= 100


def test_a_template_with_another_variable_is_refused_and_nothing_is_made(wrapper):
    path = wrapper.directory.parent / "own.ini"
    path.write_text("[global]\ndatadir = $TEST_DIR\nresultdir = $OUTPUT_DIR\napi = $FOO\n")
    wrapper.environ["CONFIG_FILE"] = str(path)
    done = wrapper.run()
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{path}:4: $FOO is not filled in" in done.stderr
    assert wrapper.made() == []


def test_a_test_dir_that_is_a_file_is_refused(wrapper):
    wrapper.test_dir.write_text("")
    done = wrapper.run()
    assert done.returncode == 3
    assert f"test directory '{wrapper.test_dir}' is a file" in done.stderr
    done = wrapper.run(test_dir=wrapper.test_dir / "below")
    assert done.returncode == 3
    assert "Not a directory" in done.stderr
    assert wrapper.made() == ["test dir"]


def test_a_test_dir_that_cannot_be_written_is_refused_and_leaves_nothing(wrapper, mount):
    mount("-t", "tmpfs", "-o", "ro", "tmpfs")
    done = wrapper.run(test_dir=wrapper.directory.parent / "mnt/new")
    assert done.returncode == 3
    assert "Read-only file system" in done.stderr
    done = wrapper.run(test_dir=wrapper.directory.parent / "mnt")
    assert (done.returncode, len(done.stderr.splitlines())) == (3, 1)
    assert wrapper.made() == []


def test_a_dangling_link_as_test_dir_is_refused(wrapper):
    wrapper.test_dir.symlink_to("nowhere")
    done = wrapper.run()
    assert (done.returncode, len(done.stderr.splitlines())) == (3, 1)
    assert wrapper.made() == ["test dir"]


@pytest.mark.parametrize(
    ("storage", "device", "config"),
    [
        ("local", "ssd", "configs/config-ssd.ini"),
        ("nfs", "hdd", "configs/config-nfs.ini"),
        ("local", "hdd", "configs/config.ini"),
        ("nfs", "ssd", "configs/config.ini"),
        ("lustre", "hdd", "configs/config.ini"),
    ],
)
def test_the_configuration_follows_storage_and_device(finished, storage, device, config):
    finished.run(storage=storage, device=device)
    assert config_of(finished) == config


def test_config_file_is_a_name_in_configs_or_a_path(finished, root):
    finished.environ["CONFIG_FILE"] = "config-powerscale.ini"
    finished.run()
    assert config_of(finished) == "configs/config-powerscale.ini"
    shutil.copy(root / "configs/config-quick.ini", finished.directory / "own one.ini")
    finished.environ["CONFIG_FILE"] = "own one.ini"
    finished.run()
    assert config_of(finished) == str(finished.directory / "own one.ini")


def test_the_extended_configuration_asks_the_benchmark_for_its_mode(finished, recorded):
    finished.use_stand_in(run=recorded("extended"))
    finished.environ["CONFIG_FILE"] = "config-extended.ini"
    done = finished.run()
    assert (finished.runs[0] / "arguments.txt").read_text().endswith("io500.ini --mode=extended\n")
    assert " phase 18/18 ior-rnd4K-easy-read done" in done.stderr
    assert "score_extended" in finished.json("results.json")


@pytest.mark.parametrize(
    ("environ", "ranks"),
    [
        ({}, 1),
        ({"NUM_PROCS": "3"}, 3),
        ({"SLURM_CPUS_ON_NODE": "16"}, 16),
        ({"SLURM_CPUS_ON_NODE": "16", "SLURM_NTASKS": "1"}, 16),
        ({"NUM_PROCS": "3", "SLURM_CPUS_ON_NODE": "16"}, 3),
        ({"SLURM_JOB_NUM_NODES": "2", "SLURM_NTASKS": "32", "SLURM_CPUS_ON_NODE": "16"}, 32),
        ({"SLURM_JOB_NUM_NODES": "3", "SLURM_JOB_CPUS_PER_NODE": "16(x2),8"}, 40),
    ],
)
def test_the_number_of_ranks_follows_num_procs_and_the_job(finished, environ, ranks):
    # A launcher that starts one process and says what it was asked for.
    launcher = finished.directory / "launcher"
    launcher.write_text(
        "#!/bin/bash\nif [[ $4 == *uname ]]; then\n"
        '  for ((i = 0; i < $3; i++)); do echo "h$((i % 2))"; done; exit\nfi\n'
        'printf "%s\\n" "$@" >launched\nSTAND_IN_RANKS=$3 exec "${@:4}"\n'
    )
    launcher.chmod(0o755)
    finished.environ.update(environ, MPIRUN="./launcher --flag")
    done = finished.run()
    assert done.returncode == 0, done.stderr
    metadata = finished.json("run_metadata.json")
    assert metadata["num_procs"] == ranks
    if ranks > 1:
        launched = (finished.directory / "launched").read_text().splitlines()
        assert launched[:3] == ["--flag", "-np", str(ranks)]
        assert metadata["nodes"] == ["h0", "h1"]
        assert (metadata["node_count"], metadata["ppn"]) == (2, (ranks + 1) // 2)
    else:
        assert not (finished.directory / "launched").exists()


def test_the_job_s_id_is_kept(finished):
    finished.environ["SLURM_JOB_ID"] = "1857286"
    done = finished.run()
    assert finished.json("run_metadata.json")["job_id"] == "1857286"
    assert "job=1857286" in done.stderr


def test_upstream_s_io500_on_path_comes_before_the_embedded_engine(finished):
    directory = finished.directory / "bin"
    directory.mkdir()
    (directory / "io500").symlink_to(finished.environ.pop("IO500_BIN"))
    finished.environ["PATH"] = f"{directory}:{finished.environ['PATH']}"
    assert finished.run().returncode == 0
    assert finished.json("run_metadata.json")["engine_path"] == str(directory / "io500")


def test_without_any_benchmark_the_command_that_makes_one_is_named(wrapper, root):
    clone = wrapper.directory.parent / "clone"
    for name in ("lib", "configs", "hpc_disk_bench", "io500_wrapper.sh"):
        copy = shutil.copytree if (root / name).is_dir() else shutil.copy
        clone.mkdir(exist_ok=True)
        copy(root / name, clone / name)
    if shutil.which("io500"):
        pytest.skip("an io500 is on PATH")
    del wrapper.environ["IO500_BIN"]
    process = wrapper.start(command=[clone / "io500_wrapper.sh", *wrapper.arguments()[1:]])
    _, err = process.communicate()
    assert process.returncode == 3
    assert "make engine" in err
    assert len(err.splitlines()) == 1
    assert wrapper.made() == []


def test_runs_started_in_the_same_second_get_directories_of_their_own(finished):
    started = [finished.start("--quiet") for _ in range(4)]
    assert [process.wait() for process in started] == [0] * 4
    for process in started:
        process.communicate()
    assert len(finished.runs) == 4
    assert all(re.fullmatch(r"\d{4}(\.\d\d){2}-\d\d(\.\d\d){2}", run.name) for run in finished.runs)
    # Who made the directory may have ended while others were still in it; then it stays, empty.
    assert not finished.test_dir.exists() or os.listdir(finished.test_dir) == []


def test_it_works_through_a_link_from_elsewhere_and_with_hardly_an_environment(finished):
    link = finished.directory / "a link"
    link.symlink_to(finished.arguments()[0])
    finished.environ = {
        name: value
        for name, value in finished.environ.items()
        if name in ("PATH", "IO500_BIN", "STAND_IN_RUN", "PROBE_SECONDS")
    }
    # A module of the working directory must not come between.
    (finished.directory / "json.py").write_text("raise SystemExit('the wrong json')\n")
    finished.environ["PYTHONPATH"] = str(finished.directory)
    process = finished.start(
        command=["bash", "-c", '"$@"', "bash", link, *finished.arguments()[1:]]
    )
    _, err = process.communicate()
    assert process.returncode == 0, err


def test_it_works_from_slurm_s_copy_of_the_script(finished, root):
    spooled = finished.directory / "slurm_script"
    shutil.copy(finished.arguments()[0], spooled)
    finished.environ["SLURM_SUBMIT_DIR"] = str(root)
    process = finished.start(command=[spooled, *finished.arguments()[1:]])
    _, err = process.communicate()
    assert process.returncode == 0, err


def test_the_node_side_runs_on_python_3_9(finished, python39):
    environment = finished.directory / "env"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin/python3").symlink_to(python39)
    finished.environ["VIRTUAL_ENV"] = str(environment)
    done = finished.run()
    assert done.returncode == 0, done.stderr
    assert finished.json("results.json")["score"]["valid"] is True


def test_a_python_too_old_is_passed_over(finished):
    old = finished.directory / "env/bin/python3"
    old.parent.mkdir(parents=True)
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    finished.environ["VIRTUAL_ENV"] = str(old.parent.parent)
    assert finished.run().returncode == 0


def test_a_contradiction_to_what_was_declared_is_said_and_kept(finished, mount):
    point = mount("-t", "tmpfs", "tmpfs")
    done = finished.run(test_dir=point, storage="nfs", device="hdd")
    warning = f"declared nfs hdd, but {point} is memory (tmpfs)"
    assert warning in done.stderr
    assert warning in finished.json("run_metadata.json")["warnings"]


def test_more_ranks_than_cpus_are_said(finished):
    finished.environ["NUM_PROCS"] = "5000"
    finished.environ["MPIRUN"] = str(finished.directory / "launcher")
    (finished.directory / "launcher").write_text(
        '#!/bin/bash\n[[ $3 != *uname ]] || { yes h0 | head -n "$2"; exit; }\n'
        'STAND_IN_RANKS=$2 exec "${@:3}"\n'
    )
    (finished.directory / "launcher").chmod(0o755)
    done = finished.run()
    assert "5000 ranks share" in done.stderr
