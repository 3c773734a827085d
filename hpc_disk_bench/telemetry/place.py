"""What on a node stands behind the benchmark's directory, as sources of telemetry."""

from hpc_disk_bench.devices import numbers_behind
from hpc_disk_bench.mounts import mount_of
from hpc_disk_bench.network import address_of, interface_to
from hpc_disk_bench.telemetry.disk import Disk
from hpc_disk_bench.telemetry.interface import Interface
from hpc_disk_bench.telemetry.lustre import Lustre
from hpc_disk_bench.telemetry.nfs import Nfs
from hpc_disk_bench.telemetry.system import System


def sources_of(directory):
    """The sources of a node, each with sample(seconds)."""
    mount = mount_of(directory)
    sources = [System()]
    if mount is None:
        return sources
    numbers = numbers_behind(mount)
    if numbers:
        sources.append(Disk(numbers))
    interface = interface_to(_server(mount)) or interface_to()
    if interface:
        sources.append(Interface(interface))
    if mount.filesystem in ("nfs", "nfs4"):
        sources.append(Nfs(mount.mount_point))
    elif mount.filesystem == "lustre":
        sources.append(Lustre(mount.source))
    return sources


def _server(mount):
    """The IPv4 address of the server behind a mount, or None."""
    if mount.filesystem in ("nfs", "nfs4"):
        host = mount.options.get("addr") or mount.source.partition(":")[0]
    elif mount.filesystem == "lustre":
        host = mount.source.partition("@")[0]
    else:
        return None
    return address_of(host)
