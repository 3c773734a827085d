"""The trial launch before a run: real launchers, real binaries, and ranks that are none."""

import os
import re
import shutil
import struct
from types import SimpleNamespace

import pytest

from hpc_disk_bench.checks import launch as launching
from hpc_disk_bench.checks.launch import Answer
from hpc_disk_bench.configuration import read_template
from hpc_disk_bench.errors import UserError

# Starts N processes that know nothing of each other, as the mpirun of another MPI does.
COPIES = '#!/bin/bash\nfor ((i = 0; i < $2; i++)); do "${@:3}" & done\nwait\n'
MACHINE = 18  # place of e_machine in an ELF file


@pytest.fixture
def real(wrapper, engine):
    wrapper.use(engine)
    return wrapper


def program(path, text):
    path.write_text(text)
    path.chmod(0o755)
    return path


def refused(wrapper, done):
    """The one line of a run that was refused and has left nothing."""
    assert (done.returncode, done.stdout) == (3, ""), done.stderr
    (line,) = done.stderr.splitlines()
    assert wrapper.made() == []
    return line


def test_copies_that_are_no_job_are_refused_as_singletons(real):
    copies = program(real.directory.parent / "copies", COPIES)
    real.environ.update(MPIRUN=str(copies), NUM_PROCS="3")
    line = refused(real, real.run())
    assert "HDB005 3 ranks were asked for, but each one is alone (singletons)" in line


def test_upstream_s_benchmark_is_asked_by_a_dry_run_of_its_own(wrapper):
    copies = program(wrapper.directory.parent / "copies", COPIES)
    wrapper.environ.update(MPIRUN=str(copies), NUM_PROCS="3")
    assert "HDB005 3 ranks were asked for, but each one is alone" in refused(wrapper, wrapper.run())
    wrapper.use_stand_in(ranks=2)
    assert "a job of 2 was started" in refused(wrapper, wrapper.run())
    wrapper.use_stand_in(ranks=3)
    done = wrapper.run("--check")
    assert "3 ranks" in done.stdout
    assert done.returncode == 0


def test_too_few_slots_are_refused_with_the_launcher_s_words(real, mpirun):
    real.environ.update(MPIRUN=f"{mpirun} --host localhost:1", NUM_PROCS="2")
    line = refused(real, real.run())
    # On a machine that is very busy Open MPI was seen to end before its words were out.
    assert re.search(r"HDB00(4 fewer slots than ranks: There are not enough slots|7 )", line)


def test_a_host_that_is_not_there_is_refused_by_its_name(real, mpirun, real_parts):
    real_parts.programs("ssh")
    real.environ.update(MPIRUN=f"{mpirun} -np 2 --host no-such-host.invalid:2", NUM_PROCS="2")
    line = refused(real, real.run())
    assert re.search(r"HDB006 host missing or silent: .*no-such-host.invalid", line)


def test_a_launcher_that_fails_without_a_word_is_refused(real):
    launcher = program(real.directory.parent / "launcher", "#!/bin/sh\nexit 1\n")
    real.environ["MPIRUN"] = str(launcher)
    line = refused(real, real.run())
    assert "HDB007 MPI could not start: the benchmark ended with exit code 1" in line


def test_a_launcher_that_is_none_is_refused(real):
    launcher = program(real.directory.parent / "launcher", "#!/no/such/shell\n")
    real.environ["MPIRUN"] = str(launcher)
    assert f"HDB002 {launcher}: cannot be started: No such file" in refused(real, real.run())


@pytest.mark.parametrize("name", ["io500", "io500-embedded"])
def test_a_benchmark_for_another_machine_is_refused(wrapper, engine, name):
    path = wrapper.directory.parent / name
    content = bytearray(engine.read_bytes())
    (here,) = struct.unpack_from("<H", content, MACHINE)
    other = {62: 183}.get(here, 62)
    struct.pack_into("<H", content, MACHINE, other)
    path.write_bytes(content)
    path.chmod(0o755)
    wrapper.environ["IO500_BIN"] = str(path)
    line = refused(wrapper, wrapper.run())
    assert f"HDB002 {path}: is a program for {'aarch64' if other == 183 else 'x86_64'}" in line


def test_a_benchmark_that_is_cut_off_is_refused(wrapper, engine):
    path = wrapper.directory.parent / "io500"
    path.write_bytes(engine.read_bytes()[:40])
    path.chmod(0o755)
    wrapper.environ["IO500_BIN"] = str(path)
    assert "is no whole program" in refused(wrapper, wrapper.run())


@pytest.mark.parametrize("name", ["io500", "io500-embedded"])
def test_a_benchmark_without_its_library_is_refused_with_the_library_s_name(wrapper, engine, name):
    content = engine.read_bytes()
    if b"libmpi.so." not in content:
        pytest.skip("the engine's MPI is no shared library of this name")
    path = wrapper.directory.parent / name
    path.write_bytes(content.replace(b"libmpi.so.", b"libmpX.so."))
    path.chmod(0o755)
    wrapper.environ["IO500_BIN"] = str(path)
    line = refused(wrapper, wrapper.run())
    assert "HDB003 " in line
    assert "libmpX.so." in line


def test_a_configuration_that_upstream_refuses_is_named(wrapper, root):
    says = 'ERROR Parsing error in section debug line 2, unknown option "stonewall" with value "3"'
    binary = program(wrapper.directory.parent / "io500", f"#!/bin/sh\necho '{says}'\nexit 1\n")
    wrapper.environ["IO500_BIN"] = str(binary)
    line = refused(wrapper, wrapper.run())
    assert f"HDB009 configuration rejected: {root}/configs/config-ssd.ini: {says}" in line


def test_an_embedded_engine_without_a_probe_is_asked_by_a_dry_run(wrapper, engine):
    """An older one, stood in for by a script that passes on all but --probe."""
    binary = program(
        wrapper.directory.parent / "io500-embedded",
        '#!/bin/bash\n[[ "$*" != *--probe* ]] || { echo "FATAL unknown option --probe"; exit 1; }\n'
        f'exec {engine} "$@"\n',
    )
    wrapper.environ["IO500_BIN"] = str(binary)
    done = wrapper.run("--check")
    assert done.returncode == 0, done.stderr
    assert "1 rank, " in done.stdout
    assert wrapper.made() == []


def target_of(directory, *launch, ranks=2):
    binary = program(directory / "io500", "#!/bin/sh\nexec sleep 1000\n")
    return SimpleNamespace(launch=list(launch), binary=str(binary), ranks=ranks, config_name="x")


def test_a_launcher_that_does_not_come_to_an_end_is_ended_and_refused(tmp_path, root, monkeypatch):
    monkeypatch.setattr(launching, "PATIENCE", 0.3)
    template = read_template(root / "configs/config-quick.ini")
    found = launching.launch(
        target_of(tmp_path), template, "upstream", str(tmp_path), lambda: False
    )
    ((name, verdict, text, code),) = found.findings
    assert (name, verdict, code) == ("launch", "refusal", "HDB007")
    assert "has not started 2 ranks" in text
    assert found.nodes is None
    # What it started names its directory in its arguments.
    assert [pid for pid in filter(str.isdigit, os.listdir("/proc")) if _names(pid, tmp_path)] == []


def judged(monkeypatch, ranks, environ=None, **answer):
    """Findings on ranks that answered like this."""
    for name in ("SLURM_JOB_NUM_NODES", "SLURM_NNODES"):
        monkeypatch.delenv(name, raising=False)
    for name, value in (environ or {}).items():
        monkeypatch.setenv(name, value)
    answer = Answer(**{"sizes": [ranks], "nodes": None, "ahead": 0.0, **answer})
    return launching._judge(SimpleNamespace(ranks=ranks), answer)


def test_clocks_a_second_apart_and_missing_nodes_are_warned_of(monkeypatch):
    nodes = {"n1": 2, "n2": 2}
    (found,) = judged(monkeypatch, 4, nodes=nodes, ahead=3.24)
    assert found[1:] == ("warning", "the clocks of the nodes differ by 3.2 s", "HDB042")
    (found,) = judged(monkeypatch, 4, nodes=nodes, ahead=0.2)
    assert found[1:3] == ("ok", "4 ranks, one job on 2 nodes, clocks within 0.200 s")
    (found,) = judged(monkeypatch, 4, nodes=nodes, ahead=None)
    assert found.text.endswith("clocks not compared")
    (found,) = judged(monkeypatch, 4, {"SLURM_JOB_NUM_NODES": "3"}, nodes=nodes)
    assert found[1:] == ("warning", "the job has 3 nodes, the ranks are on 2 (n1, n2)", "HDB048")


def test_what_cannot_be_told_is_never_said_to_be_well(monkeypatch):
    found = judged(monkeypatch, 4, sizes=[], nodes=None)
    assert [finding.verdict for finding in found] == ["warning", "warning"]
    assert {finding.code for finding in found} == {"HDB046"}


def test_the_engine_s_own_refusal_names_the_template_and_its_line(tmp_path, engine, root):
    path = tmp_path / "own.ini"
    shutil.copy(root / "configs/config-quick.ini", path)
    path.write_text(path.read_text() + "[mdtest-easy]\nm = 1\n")
    target = target_of(tmp_path, ranks=1)
    target.binary = str(engine)
    with pytest.raises(
        UserError, match=rf"HDB009 .*{path}:\d+: unknown option m in \[mdtest-easy\]"
    ):
        launching.launch(target, read_template(path), "embedded", str(tmp_path), lambda: False)


def _names(pid, path):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            said = file.read()
    except OSError:
        return False
    return int(pid) != os.getpid() and os.fsencode(path) in said
