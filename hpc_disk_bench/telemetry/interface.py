"""The network interface towards the storage (its statistics in sysfs)."""

import os

from hpc_disk_bench.telemetry.counters import Rates, Source

BYTES = ("rx_bytes", "tx_bytes")
PACKETS = ("rx_packets", "tx_packets")
DROPS = ("rx_dropped", "tx_dropped", "rx_errors", "tx_errors")


class Interface:
    def __init__(self, name, sys="/sys"):
        directory = os.path.join(sys, "class/net", name, "statistics")
        self._files = [
            Source(os.path.join(directory, counter)) for counter in (*BYTES, *PACKETS, *DROPS)
        ]
        self._rates = Rates()

    def sample(self, seconds):
        """The columns of this source for an interval of so many seconds."""
        values = [int(text) for text in (file.read().strip() for file in self._files) if text]
        grown = self._rates.grown("interface", values) if len(values) == len(self._files) else None
        if grown is None:
            return {}
        received, sent, *others = grown
        return {
            "network_received_bytes_per_s": received / seconds,
            "network_sent_bytes_per_s": sent / seconds,
            "network_packets_per_s": sum(others[:2]) / seconds,
            "network_drops_per_s": sum(others[2:]) / seconds,
        }
