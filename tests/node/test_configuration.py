"""The INI templates: those that come with the project, and what is refused in a user's own."""

import subprocess

import pytest

from hpc_disk_bench.configuration import read_template
from hpc_disk_bench.errors import UserError

NEEDED = "[global]\ndatadir = $TEST_DIR\nresultdir = ${OUTPUT_DIR}\n"
FILES = {
    "config.ini": "10000000",
    "config-ssd.ini": "50000000",
    "config-nfs.ini": "1000000",
    "config-powerscale.ini": "2000000",
    "config-10node.ini": "10000000",
    "config-extended.ini": "10000000",
    "config-extended-2021.ini": "10000000",
    "config-direct.ini": "10000000",
    "config-quick.ini": "50000",
}


@pytest.fixture
def template(tmp_path):
    """A function: a template of this text, read and checked."""

    def read(text):
        (tmp_path / "own.ini").write_text(text)
        return read_template(tmp_path / "own.ini")

    return read


def test_every_template_of_the_project_is_known_here(root):
    assert {path.name for path in (root / "configs").glob("*.ini")} == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_a_template_of_the_project_sets_what_the_wrapper_relies_on(root, name):
    template = read_template(root / "configs" / name)
    assert template.setting("global", "timestamp-datadir") == "FALSE"
    assert template.setting("global", "timestamp-resultdir") == "FALSE"
    assert template.setting("global", "verbosity") == "1"
    assert template.setting("mdtest-easy", "n") == FILES[name]
    quick = name == "config-quick.ini"
    assert (template.setting("debug", "stonewall-time") == "300") is not quick
    assert template.mode == ("extended" if "extended" in name else "standard")
    rendered = template.render("/scratch/a b/data", "/results")
    assert "\ndatadir = /scratch/a b/data\n" in rendered
    assert "\nresultdir = /results\n" in rendered
    assert "$" not in rendered


@pytest.mark.parametrize("name", FILES)
def test_the_embedded_engine_takes_the_template(root, name, engine, mpi_environ, tmp_path):
    template = read_template(root / "configs" / name)
    ini = tmp_path / "io500.ini"
    ini.write_text(template.render(tmp_path / "data", tmp_path / "out"))
    command = [engine, ini, "--config-hash"]
    done = subprocess.run(command, capture_output=True, text=True, env=mpi_environ, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "config-hash" in done.stdout


def test_the_two_variables_are_filled_in_and_nothing_else(template):
    text = NEEDED + "# $HOME and $(date) stay in a comment ; as does ${USER}\n[find]\n"
    rendered = template(text + "external-script = a$ b $5 # $HOME\n").render("/t/$HOME", "/o")
    assert "datadir = /t/$HOME\nresultdir = /o\n" in rendered
    assert "# $HOME and $(date) stay in a comment ; as does ${USER}" in rendered
    assert "external-script = a$ b $5 # $HOME" in rendered


def test_without_envsubst_the_package_fills_in_the_same(template, monkeypatch):
    text = template(NEEDED + "# ${HOME} $TEST_DIRECTORY $OUTPUT_DIR/x\r\n")
    with_gettext = text.render("/t x", "/o")
    monkeypatch.setenv("PATH", "/nowhere")
    assert text.render("/t x", "/o") == with_gettext


def test_a_path_that_is_no_utf_8_survives(template):
    path = b"/scratch/\xff\xfe".decode("utf-8", "surrogateescape")
    assert f"datadir = {path}\n" in template(NEEDED).render(path, "/o")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (NEEDED + "[find]\nexternal-script = $HOME/x\n", r"own\.ini:5: \$HOME is not filled in"),
        (NEEDED + "[find]\nexternal-script = ${FOO}\n", r"own\.ini:5: \$FOO is not filled in"),
        ("[global]\ndatadir = $TEST_DIR\n", r"own\.ini: \$OUTPUT_DIR is missing"),
        ("", r"\$TEST_DIR and \$OUTPUT_DIR is missing"),
        (f"# hpc-disk-bench: mode = fast\n{NEEDED}", r"own\.ini:1: 'mode = fast' is unknown"),
        (f"{NEEDED}; hpc-disk-bench: ranks=3\n", r"own\.ini:4: 'ranks=3' is unknown"),
    ],
)
def test_a_template_that_cannot_be_used_is_refused_with_file_and_line(template, text, complaint):
    with pytest.raises(UserError, match=complaint) as caught:
        template(text)
    assert caught.value.exit_code == 2


def test_a_setting_is_read_as_the_benchmark_reads_it(template):
    text = NEEDED + (
        "[ DEBUG ] ; a comment\r\nStonewall-Time = 5 # seconds\n[find]\nnproc = 7\n"
        "[debug]\nstonewall-time = 6\nstonewall-time =\n#stonewall-time = 8\n"
    )
    assert template(text).setting("debug", "stonewall-time") == "6"
    assert template(text).setting("debug", "pause-dir", "none") == "none"


def test_equal_templates_have_equal_hashes_wherever_they_are_used(template):
    one = template(NEEDED)
    assert one.sha256 == template(NEEDED).sha256
    assert one.sha256 != template(NEEDED + "# other\n").sha256


def test_a_template_that_cannot_be_read_is_one_line():
    with pytest.raises(UserError, match="/nowhere: cannot be read: No such file"):
        read_template("/nowhere")


def test_nothing_is_imported_but_the_standard_library_of_python_3_9(root, python39):
    modules = [
        path.stem
        for path in (root / "hpc_disk_bench").glob("*.py")
        if not path.stem.startswith(("table", "environment", "_"))
    ]
    code = "import sys, importlib; sys.path.insert(0, sys.argv[1])\n"
    code += "for name in sys.argv[2:]: importlib.import_module('hpc_disk_bench.' + name)"
    # -S and -I leave no installed packages at all.
    command = [python39, "-I", "-S", "-c", code, root, *modules]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
