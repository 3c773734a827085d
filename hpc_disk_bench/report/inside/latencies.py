"""Latencies of each kind of operation over a whole phase: percentiles and histograms."""

from __future__ import annotations

import numpy as np
import pandas as pd

from hpc_disk_bench.errors import UserError

LATENCY, HISTOGRAM = "latency.csv", "histogram.csv"
NUMBERS = {
    LATENCY: ["count", "p50_s", "p95_s", "p99_s", "p99.9_s", "max_s"],
    HISTOGRAM: ["count", "from_s"],
}
CLASSES = 16  # in a power of two, as engine/histogram.h has them; class k begins at 2^(k / 16) ns
LONGEST = 2**64  # ns that the engine can count


def percentiles(directory):
    """[phase, operation, count, p50 ... max in s] of each, [] where the run has none."""
    return [
        [phase, operation, int(count), *values]
        for phase, operation, (count, *values) in _rows(directory / LATENCY)
        if count > 0
    ]


def histograms(directory, known):
    """[phase, operation, k, [operations in class k, k + 1 ...]] of those in `known`, percentiles.

    One whose operations do not add up to the percentiles' count is left out: it tells of others.
    """
    found = {}
    for phase, operation, (count, start) in _rows(directory / HISTOGRAM):
        found.setdefault((phase, operation), []).append((start, count))
    made = []
    for phase, operation, total, *_ in known:
        classes = np.array(found.get((phase, operation), [])).reshape(-1, 2)
        known_all = np.isfinite(classes).all() and (classes >= 0).all()
        if not known_all or classes[:, 1].sum() != total or classes[:, 0].max() > 1e-9 * LONGEST:
            continue
        numbers = np.floor(CLASSES * np.log2(np.maximum(np.rint(1e9 * classes[:, 0]), 1)))
        first = int(numbers.min())
        counts = np.bincount((numbers - first).astype(int), weights=classes[:, 1])
        made.append([phase, operation, first, [int(count) for count in counts]])
    return made


def _rows(path):
    """(phase, operation, numbers of the file) of each row; unknown numbers are NaN."""
    try:
        table = pd.read_csv(path, on_bad_lines="skip")
    except (FileNotFoundError, pd.errors.EmptyDataError):
        return []
    except (OSError, UnicodeDecodeError, pd.errors.ParserError) as error:
        raise UserError(f"{path}: cannot be read: {error}") from error
    wanted = NUMBERS[path.name]
    if not {"phase", "operation", *wanted} <= set(table):
        return []
    numbers = table[wanted].apply(pd.to_numeric, errors="coerce")
    numbers = numbers.where(np.isfinite(numbers))
    names = (texts(table[name]) for name in ("phase", "operation"))
    return list(zip(*names, numbers.to_numpy(float), strict=True))


def texts(column):
    """Names as texts; an empty cell is an empty one."""
    return [str(value) if value == value else "" for value in column]
