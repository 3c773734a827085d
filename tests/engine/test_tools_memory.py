"""The workloads on their own under AddressSanitizer and UBSan."""

import re
import shlex

import pytest

from tests.engine.conftest import Engine, scratch
from tests.engine.test_memory import HERE, sanitized  # noqa: F401 - a fixture

CALLS = [
    "ior -w -r -W -R -C -z -F -u -b 1m -t 64k -i 2 -v -e -g -o {data}/f",
    "ior -w -r -Z -Z -b 1m -t 47k -s 2 -b 94k -l random -D 1 -o {data}/f -O summaryFormat=JSON"
    " -O summaryFile={here}/j -O saveRankPerformanceDetailsCSV={here}/c",
    "ior -w -r -a MPIIO -c -O summaryFormat=CSV,segmentCount=3 -o {data}/f",
    "mdtest -i 2 -b 2 -z 2 -I 3 -w 100 -e 50 -X -y -u -P -N 1 -d {data}/m"
    " --saveRankPerformanceDetails={here}/m",
    "stream -n 9m -t 300k -R -o {data}/f --csv {here}/s",
    "pfind {here} -C -name *a* -size 10c -D rates -r {here}/p",
    "mdworkbench -o={data}/w -D=3 -P=7 -I=5 -R=2 -X --process-reports",
    "ior -w -r -R -z -b 96k -t 8k -s 3 --randomPrefill=32k -N 2 -m -i 2 -Y -M 1m -o {data}/f"
    " -O savePerOpDataCSV={here}/o",
    "mdtest -n 7 -I 3 -c -k -R --verify-write -w 100 -e 100 -X -u -d {data}/m",
    "pfind {here} -regex a+ -P -s 9",
    "mdworkbench -o={data}/w -D=2 -P=9 -I=9 -R=2 -O=2 -w=5 -W",
    "ior --help",
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: " ".join(call.split()[:4]))
def test_the_sanitizers_find_nothing(sanitized, mpirun, mpi_environ, tmp_path, call):  # noqa: F811
    environ = {
        **mpi_environ,
        "ASAN_OPTIONS": "detect_leaks=1",
        "LSAN_OPTIONS": f"suppressions='{HERE / 'lsan.supp'}':print_suppressions=0",
    }
    with scratch(tmp_path) as data:
        data.mkdir()
        bench = Engine(sanitized, mpirun, environ, tmp_path, data)
        done = bench.run(*shlex.split(call.format(data=data, here=tmp_path)), ranks=3)
        assert not list(data.iterdir())
    assert not re.search(r"ERROR: \w+Sanitizer|runtime error:", done.stderr), done.stderr
    assert done.returncode == 0, done.stderr
