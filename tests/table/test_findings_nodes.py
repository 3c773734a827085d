"""telemetry.csv of many nodes, read in parts: the same as read whole, whatever the parts are."""

import numpy as np
import pandas as pd
import pytest

from hpc_disk_bench.errors import UserError
from hpc_disk_bench.findings import nodes
from hpc_disk_bench.findings.nodes import MOST_APART, joined, read_nodes
from hpc_disk_bench.telemetry.columns import NAMES

EPOCH = 1_770_000_000


def write(path, count, seconds=30):
    """Rows of so many nodes, not quite at the full second, in no order within it."""
    draw = np.random.default_rng(count)
    rows = [
        {
            "time_epoch": EPOCH + second + draw.uniform(-0.3, 0.3),
            "node": f"n{node}",
            "phase": "ior-easy-write",
            "nfs_busiest": "WRITE 812/s 3.1 ms, and a comma",
            **{name: draw.uniform(0, 0.4) for name in nodes.CPU},
            **{name: draw.integers(0, 1 << 40) for name in nodes.SUMMED[:4]},
        }
        for second in range(1, seconds + 1)
        for node in draw.permutation(count)
    ]
    table = pd.DataFrame(rows, columns=NAMES)
    table.to_csv(path, index=False)
    return table.assign(second=table["time_epoch"].round())


@pytest.mark.parametrize("count", [1, MOST_APART, MOST_APART + 1, 40])
@pytest.mark.parametrize("rows", [7, 1000])
def test_each_second_is_the_sum_and_the_spread_of_all_nodes(tmp_path, monkeypatch, count, rows):
    monkeypatch.setattr(nodes, "PART", rows)
    whole = write(tmp_path / "telemetry.csv", count)
    found = read_nodes(tmp_path / "telemetry.csv")
    assert set(found.names) == set(whole["node"])
    together = found.together
    by_second = whole.groupby("second")
    assert list(together.index) == list(by_second.groups)
    for name in nodes.SUMMED[:4]:
        assert np.allclose(together[name], by_second[name].sum())
    busy = (whole["cpu_user"] + whole["cpu_system"]).groupby(whole["second"])
    for one in ("mean", "min", "max"):
        assert np.allclose(together[f"busy_{one}"], busy.agg(one))
    # What no node has is unknown, not 0.
    assert together["nfs_read_bytes_per_s"].isna().all()
    assert len(found.apart) == (count if count <= MOST_APART else 0)
    for node, table in found.apart.items():
        own = whole[whole["node"] == node]
        assert np.allclose(table["wait"], own["cpu_iowait"])
        assert list(table.index) == list(own["second"])


def test_a_part_of_the_time_and_the_parts_joined_again(tmp_path):
    write(tmp_path / "telemetry.csv", 2)
    found = read_nodes(tmp_path / "telemetry.csv")
    first, second = found.within(EPOCH, EPOCH + 11), found.within(EPOCH + 10, EPOCH + 30)
    assert (len(first.together), len(second.together)) == (11, 21)
    again = joined([second, first])
    pd.testing.assert_frame_equal(again.together, found.together)
    assert set(again.apart) == set(found.apart)
    for node, table in found.apart.items():
        pd.testing.assert_frame_equal(again.apart[node], table)


def test_what_is_broken_is_left_out_or_said(tmp_path):
    path = tmp_path / "telemetry.csv"
    assert not read_nodes(path).names
    path.write_text("")
    assert not read_nodes(path).names
    whole = "time_epoch,node,phase,cpu_user,cpu_system,cpu_iowait,memory_dirty_bytes\n"
    path.write_text(whole)
    assert not read_nodes(path).names
    path.write_text(f"{whole}100,a,p,0.1,0.1,0.1,5\n101,a,p,x,inf,0.1,\n,a,p,0,0,0,1\n")
    found = read_nodes(path)
    assert found.together["memory_dirty_bytes"].dropna().to_dict() == {100.0: 5.0}
    assert found.apart["a"]["busy"].dropna().index.tolist() == [100.0]
    path.write_text("time_epoch,phase\n1,p\n")
    with pytest.raises(UserError, match=r"telemetry\.csv:1: the columns node are missing"):
        read_nodes(path)
    path.write_bytes(whole.encode() + b"100,\xff,p,1,1,1,1\n")
    with pytest.raises(UserError, match="not a table"):
        read_nodes(path)
