"""--retries: what may pass by itself is tried again, each time in a directory of its own."""

import signal

import pytest

from tests.support.processes import wait_for

IO_ERROR = "ERROR rank 0 on n1: phase ior-easy-write: write: Input/output error (EIO)"


def failing(wrapper, says=IO_ERROR):
    wrapper.use_stand_in(code=134, says=says)
    wrapper.environ["RETRY_DELAY"] = "0"
    return wrapper


def test_each_try_has_a_directory_that_tells_which_one_it_is(wrapper):
    done = failing(wrapper).run("--retries", "2")
    assert done.returncode == 4
    about = [wrapper.json("run_metadata.json", run) for run in range(3)]
    first = about[0]["timestamp"]
    assert [(one["attempt"], one["retries"], one["retry_of"]) for one in about] == [
        (1, 2, None),
        (2, 2, first),
        (3, 2, first),
    ]
    assert len(wrapper.runs) == 3
    assert "retry try 2 of 3 in 0 s: HDB020 may pass by itself" in done.stderr
    assert not wrapper.test_dir.exists()


def test_the_first_try_that_ends_well_is_the_last(wrapper, recorded):
    failing(wrapper)
    # Fails once, then is a benchmark that ends well.
    broken = wrapper.environ["IO500_BIN"]
    path = wrapper.directory / "io500-of-luck"
    well = recorded("invalid")
    path.write_text(
        f"#!/bin/bash\nset -e\ntried='{wrapper.directory}/tried'\n"
        'if [[ $* != *--* ]] && mkdir "$tried" 2>/dev/null; then\n'
        f'  exec "{broken}" "$@"\nfi\n'
        f'STAND_IN_SAYS= STAND_IN_CODE=0 STAND_IN_RUN=\'{well}\' exec "{broken}" "$@"\n'
    )
    path.chmod(0o755)
    wrapper.environ["IO500_BIN"] = str(path)
    done = wrapper.run("--retries=5")
    assert done.returncode == 0, done.stderr
    assert [wrapper.json("status.json", run)["state"] for run in range(2)] == ["failed", "invalid"]
    assert len(wrapper.runs) == 2


@pytest.mark.parametrize(
    ("says", "code"),
    [
        ("ERROR rank 0 on n1: write: No space left on device (ENOSPC)", "HDB012"),
        ("ERROR rank 0 on n1: open: Permission denied (EACCES)", "HDB015"),
        ("FATAL Couldn't parse config file io500.ini", "HDB009"),
    ],
)
def test_what_somebody_has_to_mend_first_is_not_tried_again(wrapper, says, code):
    done = failing(wrapper, says).run("--retries", "3")
    assert done.returncode == 4
    assert len(wrapper.runs) == 1
    assert f"not tried again: {code} does not pass by itself" in done.stderr


def test_a_refusal_is_not_tried_again(wrapper):
    wrapper.test_dir.write_text("a file")
    done = wrapper.run("--retries", "3")
    assert done.returncode == 3
    assert wrapper.runs == []


def test_a_run_that_was_told_to_end_is_not_tried_again(wrapper):
    failing(wrapper)
    wrapper.environ["RETRY_DELAY"] = "3600"
    process = wrapper.start("--retries", "3")
    wait_for(lambda: wrapper.runs and wrapper.json("status.json")["state"] == "failed")
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    assert process.returncode in (4, 143)
    assert len(wrapper.runs) == 1, err


@pytest.mark.parametrize("value", ["", "-1", "two", "1.5", "1000"])
def test_a_number_of_retries_that_is_none_is_refused(wrapper, value):
    done = wrapper.run("--retries", value)
    assert done.returncode == 2
    assert "a number from 0 to 999 is needed" in done.stderr
    assert wrapper.made() == []
