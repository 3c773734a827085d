"""What was submitted for a campaign: submitted.json in the directory beside its TOML file.

In that directory, <campaign>.jobs/, lie the batch scripts and the jobs' output as well.
"""

import contextlib
import fcntl
import getpass
import os
import time

from hpc_disk_bench.commandline import mode_of
from hpc_disk_bench.errors import REFUSED, UserError
from hpc_disk_bench.files import read_json, write_json
from hpc_disk_bench.versions import KEY, WRITTEN

NAME = "submitted.json"


class Submissions:
    """The jobs of a campaign so far. Reading changes nothing."""

    def __init__(self, campaign, results):
        """results: the results root; UserError where the campaign has been using another one."""
        self.directory = campaign.path.absolute().with_suffix(".jobs")
        self._path = self.directory / NAME
        self.content = {
            KEY: WRITTEN[NAME],
            "id": os.urandom(6).hex(),
            "results": results,
            "jobs": [],
        }
        if mode_of(self._path) is not None:
            self.content = read_json(self._path)
        if self.content["results"] != results:
            raise UserError(
                f"{self._path}: this campaign's results are in {self.content['results']}, not in "
                f'{results}: name them in {campaign.path.name}: results = "..."'
            )

    @property
    def users(self):
        return {job["user"] for job in self.content["jobs"]}

    def job_ids(self, job):
        """The ids of what was submitted for a target, oldest first."""
        return [one["job_id"] for one in self.content["jobs"] if self._is_of(one, job)]

    def comment(self, job):
        """What a job carries in Slurm, so that it is known there even where it is not here."""
        return f"hpc-disk-bench:{self.content['id']}:{job.node}/{job.place}"

    def find_lost(self, jobs, queue):
        """Take in what is queued but not noted: submit.sh was killed in between."""
        for job in jobs:
            for job_id, queued in queue.items():
                if queued.comment == self.comment(job) and job_id not in self.job_ids(job):
                    self._note(job, job_id)

    def add(self, job, job_id):
        self._note(job, job_id)
        self._write()

    @contextlib.contextmanager
    def alone(self):
        """While one submit.sh is at work on a campaign, another is refused."""
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.directory, os.O_RDONLY)
        except OSError as error:
            raise UserError(
                f"{self.directory}: cannot be made: {error.strerror}", REFUSED
            ) from error
        try:
            self._lock(handle)
            if mode_of(self._path) is not None:
                # Another one may have submitted since this one looked.
                self.content = read_json(self._path)
            else:
                # The jobs carry the campaign's id, which has to outlive this process.
                self._write()
            yield
        finally:
            os.close(handle)

    def _lock(self, handle):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UserError(
                f"{self.directory}: another submit.sh is at work on this campaign", REFUSED
            ) from error
        except OSError:
            pass  # a file system that cannot lock: one has to take turns oneself

    def _write(self):
        try:
            write_json(self._path, self.content)
        except OSError as error:
            raise UserError(
                f"{self._path}: cannot be written: {error.strerror}", REFUSED
            ) from error

    def _note(self, job, job_id):
        self.content["jobs"].append(
            {
                "job_id": job_id,
                "node": job.node,
                "place": job.place,
                "user": getpass.getuser(),
                "submitted_epoch": round(time.time(), 3),
            }
        )

    @staticmethod
    def _is_of(one, job):
        return (one["node"], one["place"]) == job.key
