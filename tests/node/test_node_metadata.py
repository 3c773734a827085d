"""node_metadata.json, from trees of /proc and /sys and of the machine itself."""

import json
import os
import re
import subprocess

import pytest

from hpc_disk_bench import network, node

KEYS = [
    *("cluster_name", "node_name", "hostname", "cpu_model", "cpu_count", "cpu_cores"),
    *("memory_gb", "network_interface", "network_speed", "kernel", "os", "metadata_timestamp"),
]
CPU = """processor\t: {number}
vendor_id\t: AuthenticAMD
model name\t: AMD Opteron(tm) Processor 6376
physical id\t: {socket}
cpu cores\t: 8

"""
ROUTES = """Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT
enp1s0\t00000000\t0100000A\t0003\t0\t0\t200\t00000000\t0\t0\t0
enp9s0f0\t00000000\t0100000A\t0003\t0\t0\t100\t00000000\t0\t0\t0
down0\t00000000\t0100000A\t0002\t0\t0\t1\t00000000\t0\t0\t0
ib0\t0002A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
"""


@pytest.fixture
def machine(tmp_path):
    """A function: writes a file of a made-up machine; the machine is at tmp_path."""

    def write(path, text):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    write("proc/cpuinfo", "".join(CPU.format(number=n, socket=n // 16) for n in range(64)))
    write("proc/meminfo", "MemTotal:       1043000000 kB\nMemFree: 1 kB\n")
    write("proc/net/route", ROUTES)
    write("etc/os-release", 'NAME="Rocky Linux"\nPRETTY_NAME="Rocky Linux 9.4 (Blue Onyx)"\n')
    write("sys/class/net/enp9s0f0/speed", "10000\n")
    write("sys/class/net/enp1s0/speed", "1000\n")
    write("sys/class/net/ib0/speed", "-1\n")
    return write


def gather(tmp_path, **options):
    return node.gather("wildwood", "chrom1", root=str(tmp_path), **options)


def test_the_contract_s_keys_come_first_and_hold_what_the_machine_says(machine, tmp_path):
    metadata = gather(tmp_path)
    assert list(metadata)[: len(KEYS)] == KEYS
    assert metadata["cluster_name"] == "wildwood"
    assert metadata["cpu_model"] == "AMD Opteron(tm) Processor 6376"
    assert (metadata["cpu_count"], metadata["cpu_cores"], metadata["memory_gb"]) == (64, 8, 995)
    assert metadata["network_interface"] == "enp9s0f0"
    assert metadata["network_speed"] == "10Gbps"
    assert metadata["os"] == "Rocky Linux 9.4 (Blue Onyx)"
    assert metadata["kernel"] == os.uname().release
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", metadata["metadata_timestamp"])


def test_the_interface_towards_a_storage_server_can_be_asked_for(machine, tmp_path):
    assert gather(tmp_path, storage_server="192.168.2.7")["network_interface"] == "ib0"
    assert gather(tmp_path, storage_server="172.16.0.1")["network_interface"] == "enp9s0f0"


def test_what_cannot_be_found_is_null(tmp_path):
    metadata = gather(tmp_path)
    unknown = ("cpu_count", "cpu_cores", "cpu_model", "memory_gb", "network_interface", "os")
    assert {metadata[key] for key in (*unknown, "network_speed", "infiniband")} == {None}
    assert metadata["kernel"]


@pytest.mark.parametrize("speed", ["-1\n", "0\n", "", "garbage\n"])
def test_a_speed_that_the_driver_does_not_know_is_null(machine, tmp_path, speed):
    machine("sys/class/net/enp9s0f0/speed", speed)
    assert gather(tmp_path)["network_speed"] is None


@pytest.mark.parametrize(
    ("megabits", "spoken"),
    [(10000, "10Gbps"), (2500, "2.5Gbps"), (100, "100Mbps"), (200000, "200Gbps"), (None, None)],
)
def test_a_speed_is_spoken_as_the_contract_does(megabits, spoken):
    assert network.spoken_speed(megabits) == spoken


def test_infiniband_is_told_and_gives_ip_over_infiniband_its_speed(machine, tmp_path):
    for base in ("sys/class/infiniband/mlx5_0", "sys/class/net/ib0/device/infiniband/mlx5_0"):
        machine(f"{base}/ports/1/rate", "200 Gb/sec (4X HDR)\n")
        machine(f"{base}/ports/1/state", "4: ACTIVE\n")
        machine(f"{base}/ports/1/link_layer", "InfiniBand\n")
    machine("sys/class/infiniband/mlx5_1/ports/1/rate", "10 Gb/sec (1X)\n")
    machine("sys/class/infiniband/mlx5_1/ports/1/state", "1: DOWN\n")
    machine("sys/class/infiniband/roce/ports/1/rate", "100 Gb/sec (4X EDR)\n")
    machine("sys/class/infiniband/roce/ports/1/state", "4: ACTIVE\n")
    machine("sys/class/infiniband/roce/ports/1/link_layer", "Ethernet\n")
    metadata = gather(tmp_path, storage_server="192.168.2.7")
    assert metadata["infiniband"] == "mlx5_0:1 200 Gb/sec (4X HDR)"
    assert metadata["network_speed"] == "200Gbps"


def test_cores_are_counted_where_cpuinfo_holds_no_count(machine, tmp_path):
    machine("proc/cpuinfo", "".join(f"processor\t: {n}\nBogoMIPS\t: 50\n\n" for n in range(4)))
    for cpu in range(4):
        topology = f"sys/devices/system/cpu/cpu{cpu}/topology"
        machine(f"{topology}/physical_package_id", f"{cpu // 2}\n")
        machine(f"{topology}/core_id", f"{cpu}\n")
    metadata = gather(tmp_path)
    assert (metadata["cpu_count"], metadata["cpu_cores"]) == (4, 2)


def test_a_node_with_ipv6_alone_has_its_default_route(machine, tmp_path):
    machine("proc/net/route", ROUTES.splitlines()[0] + "\n")
    zero = "0" * 32
    machine(
        "proc/net/ipv6_route",
        f"{zero} 00 {zero} 00 {zero} ffffffff 1 0 00200200       lo\n"
        f"{zero} 00 {zero} 00 fe80{'0' * 28} 00000400 1 0 00000003   enp1s0\n",
    )
    assert gather(tmp_path)["network_interface"] == "enp1s0"


@pytest.fixture
def command(root):
    def run(*arguments, **options):
        return subprocess.run(
            [root / "gather_node_metadata.sh", *arguments],
            capture_output=True,
            text=True,
            check=False,
            **options,
        )

    return run


def test_the_command_writes_this_machine_s_metadata_and_prints_where(command, tmp_path):
    done = command("wildwood", "chrom1", tmp_path)
    path = tmp_path / "wildwood/chrom1/node_metadata.json"
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{path}\n", "")
    metadata = json.loads(path.read_text())
    assert list(metadata)[: len(KEYS)] == KEYS
    assert metadata["cpu_count"] == os.cpu_count()
    assert metadata["memory_gb"] > 0


def test_metadata_that_is_there_is_gathered_anew(command, tmp_path):
    path = tmp_path / "wildwood/chrom1/node_metadata.json"
    path.parent.mkdir(parents=True)
    path.write_text("old")
    assert command("wildwood", "chrom1", tmp_path).returncode == 0
    assert json.loads(path.read_text())["node_name"] == "chrom1"


def test_ten_at_once_leave_one_whole_file(command, root, tmp_path):
    started = [
        subprocess.Popen(
            [root / "gather_node_metadata.sh", "c", "n", tmp_path], stdout=subprocess.DEVNULL
        )
        for _ in range(10)
    ]
    assert [process.wait() for process in started] == [0] * 10
    assert os.listdir(tmp_path / "c/n") == ["node_metadata.json"]
    json.loads((tmp_path / "c/n/node_metadata.json").read_text())


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["c"], "2 or 3 arguments are needed, 1 given"),
        (["../x", "n"], "cluster '../x'"),
        (["c", "n; rm -rf x"], "node 'n; rm -rf x'"),
        (["c", ".n"], "node '.n'"),
        (["--fast", "c", "n"], "unknown option --fast"),
        (["c", "n", "--storage-server"], "--storage-server needs a host"),
        (["--storage-server", "no.such.host.invalid", "c", "n"], "has no address"),
    ],
)
def test_wrong_use_is_one_line_and_nothing_is_made(command, tmp_path, arguments, complaint):
    done = command(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("gather_node_metadata.sh: ")
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert os.listdir(tmp_path) == []


def test_a_place_that_cannot_be_written_is_one_line(command, tmp_path):
    (tmp_path / "file").write_text("")
    done = command("c", "n", tmp_path / "file")
    assert done.returncode == 3
    assert done.stderr.endswith("cannot be written: Not a directory\n")


def test_it_runs_on_python_3_9(python39, tmp_path):
    command = [python39, "-I", "hpc_disk_bench/__main__.py", "node", "c", "n", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
