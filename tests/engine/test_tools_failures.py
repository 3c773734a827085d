"""What the workloads say where a path is wrong or the file system is full: path and cause."""

import re
import shutil

import pytest

from tests.engine.conftest import mounted_ext4


@pytest.mark.parametrize(
    "call",
    [
        "ior -w -o {data}/f -O summaryFile=/no/x",
        "ior -w -o {data}/f -O saveRankPerformanceDetailsCSV=/no/x",
        "ior -w -o {data}/f -O savePerOpDataCSV=/no/x",
        "ior -w -o {data}/f -O stoneWallingStatusFile=/no/x -D 9",
        "ior -o {data}/f -O stoneWallingStatusFile=/no/x",
        "mdtest -n 3 -d {data}/m -x /no/x",
        "mdtest -n 3 -d {data}/m --saveRankPerformanceDetails /no/x",
        "stream -s 1m -o {data}/f --csv /no/x",
        "pfind {data} -C -r /no/x",
        "pfind {data} -C -r {data}",
        "mdworkbench -o={data}/w --run-info-file=/no/x",
    ],
)
def test_results_that_nobody_could_write_are_refused_before_anything_is_measured(bench, call):
    bench.data.mkdir()
    done = bench.run(*call.format(data=bench.data).split())
    assert done.returncode == 1
    lines = [line for line in done.stderr.splitlines() if line.startswith("FATAL ")]
    assert len(lines) == 1
    assert re.search(r" = \S+ cannot be written: .* \(E\w+\)$", lines[0])
    assert list(bench.data.iterdir()) == []


@pytest.mark.parametrize(
    ("call", "line"),
    [
        ("ior -w -o {data}", "FATAL ior: -o {data} is a directory: name a file in it"),
        ("ior -r -o {data}", "FATAL ior: -o {data} is a directory: name a file in it"),
        ("stream -s 1m -f -o {data}", "FATAL stream: -o {data} is a directory: name a file in it"),
        ("pfind {data}/file -C", "FATAL pfind: {data}/file: Not a directory (ENOTDIR)"),
        ("pfind {data} -newer /no/x -C", "FATAL pfind: -newer /no/x: No such file or directory"),
    ],
)
def test_a_directory_for_a_file_and_the_other_way_round_is_one_line(bench, call, line):
    bench.data.mkdir()
    (bench.data / "file").touch()
    done = bench.run(*call.format(data=bench.data).split())
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(line.format(data=bench.data))
    assert [path.name for path in bench.data.iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("call", "named"),
    [
        ("ior -r -k -o {data}/f -O summaryFormat=JSON -O summaryFile={data}/f", "f"),
        ("ior -r -o {data}/f -O saveRankPerformanceDetailsCSV={data}/../{data.name}/f", "f"),
        ("ior -w -o {data}/f -O stoneWallingStatusFile={data}/link", "link"),
        ("ior -w -F -o {data}/f -O summaryFile={data}/f.00000000", "f.00000000"),
        ("stream -s 1m -f -o {data}/f --csv {data}/f", "f"),
        ("stream -s 1m -o {data}/f --csv {data}/f.00000007", "f.00000007"),
    ],
)
def test_results_that_would_replace_the_data_are_refused(bench, call, named):
    bench.data.mkdir()
    (bench.data / "f").write_text("data")
    (bench.data / "link").symlink_to("f")
    done = bench.alone(*call.format(data=bench.data).split())
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(rf"FATAL .*/{named} names data of -o \S+/f: results .*\n", done.stderr)
    assert (bench.data / "f").read_text() == "data"
    assert sorted(path.name for path in bench.data.iterdir()) == ["f", "link"]


@pytest.mark.parametrize(
    "call",
    [
        "ior -w -F -b 20m -o {data}/f",
        "ior -w -b 20m -a MPIIO -o {data}/f",
        "mdtest -F -n 3000 -w 3901 -d {data}/m",
        "mdtest -D -n 3000 -d {data}/m",
        "mdworkbench -o={data}/w -D=2 -P=2000 -I=9",
        "stream -s 20m -o {data}/f",
    ],
    ids=lambda call: call[:14],
)
def test_a_full_file_system_is_named_with_the_file_it_was_met_at(bench, tmp_path, call):
    with mounted_ext4(tmp_path / "small", 16) as small:
        bench.data = small
        shutil.rmtree(small / "lost+found")
        done = bench.run(*call.format(data=small).split())
    assert done.returncode == 1
    lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR rank")]
    assert lines
    for line in lines:
        assert re.search(rf'phase .*: \w+ "{small}/.*No space left on device \(ENOSPC\)', line)
