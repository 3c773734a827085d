import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from little_clone import LittleClone


@pytest.fixture
def clone(tmp_path):
    return LittleClone(tmp_path)


@pytest.fixture
def path_without(tmp_path):
    """A function: a PATH on which all of /usr/bin and /bin is to be found but the names given."""

    def make(*names):
        directory = tmp_path / "bin"
        directory.mkdir()
        for source in ("/usr/bin", "/bin"):
            for program in Path(source).iterdir():
                wanted = not any(program.name.startswith(name) for name in names)
                if wanted and not (directory / program.name).is_symlink():
                    (directory / program.name).symlink_to(program)
        assert shutil.which("bash", path=str(directory))
        return directory

    return make
