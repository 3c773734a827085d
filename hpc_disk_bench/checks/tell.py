"""The lines before a launch: the target, the configuration, and a line a check."""

from hpc_disk_bench import hosts
from hpc_disk_bench.checks.finding import OK, REFUSAL, WARNING
from hpc_disk_bench.checks.survey import spoken_expectation
from hpc_disk_bench.checks.words import number_of
from hpc_disk_bench.console import RED, YELLOW

STYLES = {WARNING: YELLOW, REFUSAL: RED}
WIDTH = 76  # columns of a check's text, so that the verdicts stand below each other


def introduce(target, template, version, survey, console):
    """Tell what is about to run. version: of the engine, None where only a run tells it."""
    name = f"io500-embedded {version.replace('hpc-disk-bench-', '')}" if version else "io500"
    levels = [target.cluster, target.node, target.storage, target.volume, target.device]
    levels = [level for level in levels if level]
    nodes = len(survey.nodes) if survey.nodes else "?"
    ranks = f"{number_of(target.ranks, 'rank')} on {number_of(nodes, 'node')}"
    job = f" job={hosts.job_id()}" if hosts.job_id() else ""
    console.talk(
        "target",
        f"{' / '.join(levels)}    {ranks}    {name}",
        log=f"run {'/'.join(levels)} ranks={target.ranks} nodes={nodes} "
        f"engine={name.replace(' ', '-')}{job}",
    )
    stonewall = template.setting("debug", "stonewall-time", "300")
    mode = "" if template.mode == "standard" else f"   {template.mode} mode"
    expected = spoken_expectation(survey)
    console.talk(
        "config",
        f"{target.config_name}   stonewall {stonewall} s{mode}{'   ' * bool(expected)}{expected}",
    )
    for number, finding in enumerate(survey.findings):
        console.talk(
            "" if number else "checks", line(finding), log=_log(finding), style=_style(finding)
        )


def report(survey, console):
    """The result of --check: a line a check on stdout; --quiet leaves those that are not well."""
    for finding in survey.findings:
        if finding.verdict != OK or not console.quiet:
            console.result("check", line(finding), _style(finding))


def line(finding):
    """One check as it stands on a terminal."""
    code = f" {finding.code}" if finding.code else ""
    return f"{finding.name:<9} {finding.text:<{WIDTH}} {finding.verdict}{code}"


def refusal(survey):
    """The last line of a run that is not started."""
    reasons = "; ".join(f"{finding.code} {finding.text}" for finding in survey.refusals)
    return f"not started: {reasons}. --force starts it nevertheless, --explain CODE says more"


def _style(finding):
    return STYLES.get(finding.verdict)


def _log(finding):
    code = f" {finding.code}" if finding.code else ""
    return f"check {finding.name} {finding.verdict}{code} {finding.text}"
