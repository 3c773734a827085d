"""The rules about which storage to use and what limits it: best storage, network, SSD or HDD."""

from __future__ import annotations

from hpc_disk_bench.comparison import statistics
from hpc_disk_bench.report import figures_network, sure, units, uses
from hpc_disk_bench.report.rule import HIGH, LOW, MEDIUM, Advice, Case, directories, rule, together
from hpc_disk_bench.report.uses import CLEARLY_BETTER

WORTH_ITS_PRICE = 2.0  # the factor from which SSDs are advised
NEAR_LINE_RATE, FAR_FROM_LINE_RATE = 80.0, 30.0  # % of the link


def _sure(comparison, threshold, runs):
    """How sure a ratio is above its threshold, and why: (confidence, sentence)."""
    verdict = sure.verdict(comparison, runs)
    if verdict == sure.ENGINES:
        return LOW, sure.DIFFERENT_ENGINES
    if verdict == sure.FEW:
        return (
            LOW,
            f"With n = {comparison.n} on one side it is not decidable; 3 runs a side would do.",
        )
    interval = f"{units.number(comparison.low, 2)} to {units.number(comparison.high, 2)}"
    if verdict == sure.NOISE:
        return LOW, f"The 95 % interval of the factor, {interval}, includes 1: it may be noise."
    if comparison.low >= threshold:
        return HIGH, f"The 95 % interval of the factor is {interval}."
    return MEDIUM, f"The 95 % interval of the factor, {interval}, reaches below the threshold."


def _best_storage(runs, use):
    """The storage with the best median for this use, if it is clearly better than the next."""
    one = uses.leader(runs, use)
    if not one.second or one.ratio.median < CLEARLY_BETTER:
        return
    confidence, because = _sure(one.ratio, CLEARLY_BETTER, one.runs)
    yield Advice(
        f"Use {one.first} for {use.name}",
        [
            f"Its median is {units.number(one.ratio.median, 2)} times that of the next;"
            f" threshold {CLEARLY_BETTER}.",
            *(
                f"{storage}: {units.number(value)} {use.unit}, n = {len(one.values[storage])}"
                for storage, value in [*one.medians.items()][:3]
            ),
        ],
        confidence,
        because,
        directories(one.runs),
    )


@rule(
    "REC01", f"one storage is at least {CLEARLY_BETTER} times the next in ior-easy write and read"
)
def large_files(runs):
    return _best_storage(runs, uses.LARGE)


@rule(
    "REC02", f"one storage is at least {CLEARLY_BETTER} times the next in ior-hard write and read"
)
def shared_files(runs):
    return _best_storage(runs, uses.SHARED)


@rule("REC03", f"one storage is at least {CLEARLY_BETTER} times the next in the metadata score")
def many_files(runs):
    return _best_storage(runs, uses.MANY)


def _links(runs):
    """The share of the line rate of each storage, link and phase: (name, Spread in %, runs)."""
    shares = figures_network.line_shares(runs[runs["networked"]])
    found = []
    for (link, panel), group in shares.groupby(["link", "panel"], sort=False):
        spread = statistics.spread(group["value"])
        found.append((link, f"{panel} on {link}", spread, runs.loc[group["run"]]))
    return sorted(found, key=lambda entry: -entry[2].median)


@rule("REC10", f"easy write or read reaches {NEAR_LINE_RATE:.0f} to 100 % of the link's line rate")
def network_is_the_limit(runs):
    cases = [
        Case(name, share, share.low >= NEAR_LINE_RATE, _of_line_rate(share), behind)
        for _, name, share, behind in _links(runs)
        if NEAR_LINE_RATE <= share.median <= 100
    ]
    if cases:
        explanation = (
            f"Medians as a share of the line rate; threshold {NEAR_LINE_RATE:.0f} %. A faster"
            " link, or more of them, comes before faster disks."
        )
        yield together(cases, "The network is the limit of {}", explanation)


@rule("REC11", f"neither easy write nor read reaches {FAR_FROM_LINE_RATE:.0f} % of the line rate")
def network_is_not_the_limit(runs):
    best = {}
    for link, _, share, behind in _links(runs):
        best.setdefault(link, (share, behind))  # the first is the higher of write and read
    cases = [
        Case(link, share, share.high < FAR_FROM_LINE_RATE, _of_line_rate(share), behind)
        for link, (share, behind) in best.items()
        if share.median < FAR_FROM_LINE_RATE
    ]
    if cases:
        explanation = (
            "Medians of the better of easy write and read as a share of the line rate; threshold"
            f" {FAR_FROM_LINE_RATE:.0f} %. Look at the server, its disks and the mount options"
            " first."
        )
        yield together(cases, "The network is not the bottleneck of {}", explanation)


@rule("REC12", "the median of a read phase is above what the network link can carry")
def reads_from_a_cache(runs):
    cases = [
        Case(name, share, share.low > 100, _of_line_rate(share), behind)
        for _, name, share, behind in _links(runs)
        if share.median > 100
    ]
    if cases:
        explanation = (
            "Medians as a share of the line rate; threshold 100 %. Write more than the clients'"
            " memory holds, drop the caches between the phases, or use direct I/O"
            " (configs/config-direct.ini)."
        )
        yield together(cases, "Do not trust {}: it came from a cache", explanation)


MEMORY_READS = 3.0  # the factor from write to read that no rotating disk has


@rule(
    "REC13",
    f"ior-easy-read of a local rotating disk is at least {MEMORY_READS:.0f} times its write",
)
def reads_from_memory(runs):
    disks = runs[~runs["networked"] & (runs["device_type"].str.lower() == "hdd")]
    cases = []
    for target, group in disks.groupby("target"):
        spread = statistics.spread(group["ior_easy_read_value"] / group["ior_easy_write_value"])
        if spread.median >= MEMORY_READS:
            said = f"{units.number(spread.median, 2)} times"
            cases.append(Case(target, spread, spread.low >= MEMORY_READS, said, group))
    if cases:
        cases.sort(key=lambda case: -case.spread.median)
        explanation = (
            f"Reads over writes of large files, medians; threshold {MEMORY_READS:.0f}. A disk reads"
            " about as fast as it writes, so these came from the node's memory. Write more than"
            " the memory holds, or use direct I/O (configs/config-direct.ini)."
        )
        yield together(cases, "Do not trust the reads of {}: they came from memory", explanation)


def _of_line_rate(share):
    return units.percent(share.median / 100)


def _ssd_over_hdd(runs):
    for reach, side in (
        ("local", runs[~runs["networked"]]),
        ("networked", runs[runs["networked"]]),
    ):
        device = side["device_type"].str.lower()
        ssd, hdd = side[device == "ssd"], side[device == "hdd"]
        if len(ssd) and len(hdd):
            comparison = statistics.ratio(ssd["score_iops"], hdd["score_iops"])
            yield reach, comparison, ssd, hdd, side[device.isin(["ssd", "hdd"])]


@rule("REC20", f"the metadata score of SSDs is at least {WORTH_ITS_PRICE:.0f} times that of HDDs")
def ssd_for_metadata(runs):
    for reach, comparison, ssd, hdd, behind in _ssd_over_hdd(runs):
        if comparison.median >= WORTH_ITS_PRICE:
            yield Advice(
                f"Put metadata-heavy work on {reach} SSDs rather than {reach} HDDs",
                [f"{_ssd_numbers(comparison, ssd, hdd)}; threshold {WORTH_ITS_PRICE}."],
                *_sure(comparison, WORTH_ITS_PRICE, behind),
                directories(behind),
            )


@rule("REC21", f"the metadata score of SSDs is less than {CLEARLY_BETTER} times that of HDDs")
def ssd_without_gain(runs):
    for reach, comparison, ssd, hdd, behind in _ssd_over_hdd(runs):
        if comparison.median < CLEARLY_BETTER:
            yield Advice(
                f"Do not expect faster metadata from {reach} SSDs",
                [
                    f"{_ssd_numbers(comparison, ssd, hdd)}; threshold {CLEARLY_BETTER}.",
                    "Something else limits both: the server, the protocol or the client.",
                ],
                *_sure_below(comparison, behind),
                directories(behind),
            )


def _sure_below(comparison, runs):
    """How sure a ratio is below the factor that is called better, and why."""
    if sure.engines_differ(runs):
        return LOW, sure.DIFFERENT_ENGINES
    if not comparison.decidable:
        return LOW, f"It may be noise. n = {comparison.n} on one side is not decidable."
    if comparison.high < CLEARLY_BETTER:
        return HIGH, "The interval stays below the threshold."
    return LOW, "It may be noise."


def _ssd_numbers(comparison, ssd, hdd):
    return (
        f"Median metadata score {units.number(ssd['score_iops'].median())} kIOPS"
        f" ({units.count(len(ssd), 'run')}) against {units.number(hdd['score_iops'].median())}"
        f" kIOPS ({units.count(len(hdd), 'run')}), factor {units.number(comparison.median, 2)}"
    )
