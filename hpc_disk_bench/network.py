"""The network interface that a node's traffic takes, and its speed; read from /proc and /sys."""

import ipaddress
import os
import socket
import struct
from pathlib import Path
from typing import NamedTuple, Optional

UP = 0x1  # RTF_UP of <linux/route.h>


class Route(NamedTuple):
    interface: str
    network: int
    mask: int
    metric: int


def interface_to(address=None, proc="/proc"):
    """The interface towards an IPv4 address; of the default route where none is given, or None.

    The route with the longest mask counts, and of equals the one with the lowest metric.
    """
    target = int(ipaddress.IPv4Address(address)) if address else 0
    routes = [
        route
        for route in _routes(proc)
        if (route.mask == 0 if address is None else target & route.mask == route.network)
    ]
    if routes:
        return min(routes, key=lambda route: (-route.mask, route.metric)).interface
    return None if address else _default_ipv6(proc)


def speed_of(interface, sys="/sys"):
    """Megabits a second of an interface, or None: virtual ones say -1, those that are down fail."""
    device = Path(sys, "class/net", interface)
    speed = _whole_number(_read(device / "speed"))
    if speed and speed > 0:
        return speed
    # Older kernels give no speed for IP over InfiniBand; the adapter below knows its own.
    for port in sorted(device.glob("device/infiniband/*/ports/*")):
        gigabits = (_read(port / "rate") or "").split(" ")[0]
        if _read(port / "state", "").endswith("ACTIVE") and gigabits.replace(".", "").isdigit():
            return round(float(gigabits) * 1000)
    return None


def spoken_speed(megabits):
    """A speed as in node_metadata.json: 10Gbps, 2.5Gbps, 100Mbps."""
    if megabits is None:
        return None
    return f"{megabits / 1000:g}Gbps" if megabits >= 1000 else f"{megabits}Mbps"


def infiniband(sys="/sys"):
    """The active InfiniBand ports in one line, "mlx5_0:1 200 Gb/sec (4X HDR)", or None."""
    ports = []
    for port in sorted(Path(sys, "class/infiniband").glob("*/ports/*")):
        rate, state = _read(port / "rate"), _read(port / "state", "")
        layer = _read(port / "link_layer", "InfiniBand")  # else Ethernet, for RoCE
        if rate and state.endswith("ACTIVE") and layer == "InfiniBand":
            ports.append(f"{port.parent.parent.name}:{port.name} {rate}")
    return ", ".join(ports) or None


def address_of(host):
    """The IPv4 address of a host name or address as text, or None where there is none."""
    try:
        return socket.getaddrinfo(host, None, socket.AF_INET)[0][4][0]
    except OSError:
        return None


def _routes(proc):
    """The IPv4 routes that are up (proc(5): addresses in hexadecimal, in the machine's order)."""
    for fields in _table(os.path.join(proc, "net/route"))[1:]:
        if len(fields) >= 8 and int(fields[3], 16) & UP:
            yield Route(fields[0], _address(fields[1]), _address(fields[7]), int(fields[6]))


def _default_ipv6(proc):
    routes = [
        (int(fields[5], 16), fields[9])
        for fields in _table(os.path.join(proc, "net/ipv6_route"))
        if len(fields) >= 10 and fields[0] == "0" * 32 and fields[1] == "00" and fields[9] != "lo"
    ]
    return min(routes)[1] if routes else None


def _address(hexadecimal):
    return struct.unpack(">I", struct.pack("=I", int(hexadecimal, 16)))[0]


def _table(path):
    return [line.split() for line in (_read(Path(path)) or "").splitlines()]


def _read(path, missing=None) -> Optional[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return missing


def _whole_number(text):
    try:
        return int(text)
    except (TypeError, ValueError):
        return None
