"""node_metadata.json: the hardware and software of the node that a benchmark runs on.

Everything is read from /proc, /sys and /etc below `root`; what cannot be found is None, never a
guess.
"""

import datetime
import os
import re
import shlex
import socket
import subprocess
from pathlib import Path

from hpc_disk_bench import network
from hpc_disk_bench.errors import DONE, REFUSED, UserError
from hpc_disk_bench.files import write_json
from hpc_disk_bench.versions import KEY, WRITTEN

METADATA = "node_metadata.json"


def gather(cluster, node, storage_server=None, root="/"):
    """The object that node_metadata.json holds, keys in the order of the contract.

    storage_server: name or address of a server; the interface towards it is then told instead of
    that of the default route. root: where /proc, /sys and /etc are looked for.
    """
    proc, sys = os.path.join(root, "proc"), os.path.join(root, "sys")
    cpus = _processors(proc)
    address = network.address_of(storage_server) if storage_server else None
    interface = network.interface_to(address, proc)
    speed = network.speed_of(interface, sys) if interface else None
    return {
        "cluster_name": cluster,
        "node_name": node,
        "hostname": _host_name(),
        "cpu_model": _cpu_model(cpus),
        "cpu_count": len(cpus) or None,
        "cpu_cores": _cores_per_socket(cpus, sys),
        "memory_gb": _memory_gb(proc),
        "network_interface": interface,
        "network_speed": network.spoken_speed(speed),
        "kernel": os.uname().release,
        "os": _os_name(root),
        "metadata_timestamp": datetime.datetime.now(datetime.timezone.utc).strftime(
            "%Y-%m-%dT%H:%M:%SZ"
        ),
        KEY: WRITTEN[METADATA],
        "infiniband": network.infiniband(sys),
    }


def metadata_path(results_root, cluster, node):
    return Path(results_root, cluster, node, METADATA)


def write(results_root, cluster, node, storage_server=None):
    """Gather and write node_metadata.json below the results root; returns its path."""
    path = metadata_path(results_root, cluster, node)
    content = gather(cluster, node, storage_server)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, content)
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}", REFUSED) from error
    return path


def main(arguments):
    """CLUSTER NODE RESULTS_ROOT [STORAGE_SERVER], as gather_node_metadata.sh has checked them."""
    cluster, node, results_root, *server = arguments
    if server and network.address_of(server[0]) is None:
        raise UserError(f"storage server {server[0]} has no address that can be found")
    print(write(results_root, cluster, node, *server))
    return DONE


def _processors(proc):
    """One dictionary of /proc/cpuinfo for each logical CPU."""
    blocks = _read(Path(proc, "cpuinfo")).split("\n\n")
    pairs = [re.findall(r"^([^\t:]+?)\s*:[ \t]*(.*)$", block, re.MULTILINE) for block in blocks]
    return [dict(found) for found in pairs if any(key == "processor" for key, _ in found)]


def _cpu_model(cpus):
    for key in ("model name", "cpu", "Processor"):
        if cpus and cpus[0].get(key):
            return cpus[0][key]
    # /proc/cpuinfo of 64-bit ARM holds numbers only; lscpu has the table of names.
    found = re.search(r"^Model name:\s*(.+)$", _output(["lscpu"]), re.MULTILINE)
    return found[1].strip() if cpus and found and found[1].strip() != "-" else None


def _cores_per_socket(cpus, sys):
    if cpus and cpus[0].get("cpu cores", "").isdigit():
        return int(cpus[0]["cpu cores"])
    cores = {}
    for topology in Path(sys, "devices/system/cpu").glob("cpu[0-9]*/topology"):
        socket_id = _read(topology / "physical_package_id").strip()
        cores.setdefault(socket_id, set()).add(_read(topology / "core_id").strip())
    return max(map(len, cores.values()), default=None)


def _memory_gb(proc):
    """Memory that the kernel can use, in whole GiB, rounded to the nearest."""
    found = re.search(r"^MemTotal:\s*(\d+) kB", _read(Path(proc, "meminfo")), re.MULTILINE)
    return round(int(found[1]) / 1024**2) if found else None


def _os_name(root):
    for name in ("etc/os-release", "usr/lib/os-release"):
        found = re.search(r"^PRETTY_NAME=(.+)$", _read(Path(root, name)), re.MULTILINE)
        if found:
            try:
                return " ".join(shlex.split(found[1])) or None
            except ValueError:  # a quotation mark without its partner
                return found[1].strip("\"' ")
    return None


def _host_name():
    """The node's full name. Asked of a command, for a dead name server must not hold up a run."""
    name = _output(["hostname", "-f"]).strip()
    return name if name and not name.startswith("localhost") else socket.gethostname()


def _output(command):
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C"},
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


def _read(path):
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
