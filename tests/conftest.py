"""What tests of every room share: where things are, or a skip with its reason."""

import os
import shutil
import signal
from pathlib import Path

import pytest

from tests.support.turns import open_room, turn

ROOT = Path(__file__).resolve().parent.parent
# Without these Chromium looks for its maker's hosts at every start.
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_configure(config):
    config.add_cleanup(open_room())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """A test marked `alone` has no other beside it, from before its fixtures to after them."""
    with turn(alone=item.get_closest_marker("alone") is not None):
        return (yield)


@pytest.fixture(scope="session", autouse=True)
def _home_is_left_alone(tmp_path_factory):
    """What programs keep for a user (Chromium's profile, its crash reports) goes to a scratch."""
    before = dict(os.environ)
    for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        os.environ[name] = str(tmp_path_factory.mktemp(name.lower()))
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="session", autouse=True)
def _launchers(_home_is_left_alone, tmp_path_factory):
    """Where Open MPI's launcher keeps a directory for each process id. It does not start where a
    killed one of that id left its own."""
    directory = tmp_path_factory.mktemp("mpirun")
    os.environ.update(PRTE_MCA_prte_tmpdir_base=str(directory))
    return directory


@pytest.fixture(autouse=True)
def _no_killed_launcher_leaves_its_directory(_launchers):
    yield
    for left in _launchers.iterdir():
        if not Path("/proc", left.suffix[1:]).exists():
            shutil.rmtree(left, ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def _signals_are_a_terminals():
    """nohup and background jobs ignore signals, and children would inherit that."""
    for number, handler in (
        (signal.SIGINT, signal.default_int_handler),
        (signal.SIGHUP, signal.SIG_DFL),
        (signal.SIGTERM, signal.SIG_DFL),
    ):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, handler)


@pytest.fixture(scope="session")
def root():
    """The clone's root."""
    return ROOT


class RealParts:
    """What a test needs of the machine: it is skipped where that is missing. With
    HDB_REQUIRE_REAL_PARTS=1, as in CI, it fails instead, so that nothing is left out unseen.
    """

    def programs(self, *names):
        missing = [name for name in names if not shutil.which(name)]
        if missing:
            self.lack(f"not installed: {', '.join(missing)}")

    def root(self):
        if os.geteuid() != 0:
            self.lack("needs root")

    def lack(self, reason):
        """Give up on the test for this reason."""
        if os.environ.get("HDB_REQUIRE_REAL_PARTS") == "1":
            pytest.fail(f"HDB_REQUIRE_REAL_PARTS=1, but {reason}", pytrace=False)
        pytest.skip(reason)


@pytest.fixture(scope="session")
def real_parts():
    """RealParts: real_parts.root(), real_parts.programs("slurmctld"), real_parts.lack("why")."""
    return RealParts()


@pytest.fixture(scope="session")
def shared():
    """A function: shared("samples", "09-bash-gib") is that path in ../shared, or skips the test."""

    def find(*parts):
        path = ROOT.parent.joinpath("shared", *parts)
        if not path.exists():
            pytest.skip(f"reference material is not there: {path}")
        return path

    return find


@pytest.fixture(scope="session")
def engine():
    """Path of the compiled embedded engine."""
    path = ROOT / "engine/build/io500-embedded"
    if not os.access(path, os.X_OK):
        pytest.skip(f"the engine is not compiled: make engine ({path})")
    return path


@pytest.fixture(scope="session")
def mpirun(engine):
    """Path of the mpirun that belongs to the MPI the engine was compiled with."""
    return Path((engine.parent / "mpirun.path").read_text().strip())


@pytest.fixture(scope="session")
def mpi_environ():
    """The environment in which mpirun starts ranks as root, and more of them than cores."""
    return {
        **os.environ,
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
        "PRTE_MCA_hwloc_default_binding_policy": "none",
        # One machine needs no fabric; looking for one costs a second at every start.
        "OMPI_MCA_btl": "^ofi",
    }


@pytest.fixture(scope="session")
def chromium():
    """Path of a Chromium for the browser tests."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    pytest.skip("no chromium on PATH (apt install chromium)")


@pytest.fixture(scope="session")
def browser(chromium):
    """A Chromium that Playwright drives; one for all tests, as a process can have no second."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=QUIET)
        yield browser
        browser.close()
