"""A campaign: the TOML file that names nodes and storages, and the jobs that follow from it."""

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

import tomllib

from hpc_disk_bench.commandline import mode_of
from hpc_disk_bench.errors import UserError
from hpc_disk_bench.submit.batch_script import TEMPLATE
from hpc_disk_bench.submit.job import TIME, Job, quoted
from hpc_disk_bench.submit.toml_places import Places

CONFIGS = TEMPLATE.parent
LOCAL = "local"  # the storage type of what each node has its own of


def _is_text(value):
    return isinstance(value, str) and bool(value.strip()) and value.isprintable()


def _is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**7


def _is_truth(value):
    return isinstance(value, bool)


def _is_options(value):
    return isinstance(value, list) and all(_is_text(one) and one[:1] == "-" for one in value)


def _is_environment(value):
    return isinstance(value, dict) and all(
        re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) and isinstance(text, str)
        for name, text in value.items()
    )


def _is_names(value):
    return isinstance(value, list) and bool(value) and all(_is_text(one) for one in value)


def _is_time(value):
    return isinstance(value, str) and bool(TIME.fullmatch(value))


TEXT, NAMES = (_is_text, "text"), (_is_names, "a list of names")
# How a job is submitted: in [job] for all, in a [[node]] or a [[storage]] for those.
SETTINGS = {
    "ranks": (_is_count, "a whole number, 1 or more"),
    "nodes": (_is_count, "a whole number, 1 or more"),
    "nodelist": TEXT,
    "partition": TEXT,
    "account": TEXT,
    "time": (_is_time, 'a limit in quotes, as Slurm takes it: "90", "04:00:00", "1-12"'),
    "exclusive": (_is_truth, "true or false"),
    "config": TEXT,
    "sbatch": (_is_options, 'a list of options of sbatch: ["--mem=0"]'),
    "environment": (_is_environment, 'a table of texts: { IO500_BIN = "/opt/io500" }'),
}
TOP = {"cluster": TEXT, "results": TEXT, "template": TEXT}
TABLES = ("job", "node", "storage")  # are checked key by key
NODE = {"name": TEXT, **SETTINGS}
STORAGE = {
    "storage": TEXT,
    "device": TEXT,
    "test_dir": TEXT,
    "volume": TEXT,
    "shared": (_is_truth, "true or false"),
    "only": NAMES,
    **SETTINGS,
}


@dataclass(frozen=True)
class Campaign:
    """path: of the TOML file; jobs: in the order in which they are submitted."""

    path: Path
    results: str  # as the file says, or empty
    template: Path
    nodes: tuple  # names, in the order of the file
    places: tuple  # storages as paths of the results tree, likewise
    jobs: tuple
    shared: frozenset  # (storage, volume) of what several nodes see


def read_campaign(path):
    """Read and check a campaign. UserError (exit code 2) names the file, the line, the remedy."""
    path = Path(path)
    try:
        text = path.read_bytes().decode("utf-8")
        content = tomllib.loads(text)
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 text (byte {error.start})") from error
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{path}: not TOML: {error}") from error
    return _Reader(path, content, Places(text)).campaign()


class _Reader:
    def __init__(self, path, content, places):
        self.path, self.content, self.places = path, content, places

    def campaign(self):
        top = {key: value for key, value in self.content.items() if key not in TABLES}
        self._checked(top, TOP, "")
        defaults = self._checked(self._table("job"), SETTINGS, "job")
        nodes = self._tables("node", NODE, ("name",))
        storages = self._tables("storage", STORAGE, ("storage", "device", "test_dir"))
        self._require(top, ("cluster",), "", 0)
        names = [node["name"] for node in nodes]
        for number, name in enumerate(names):
            if name in names[:number]:
                raise self._error(f"node {name} stands here twice", "node", number, "name")
        found, shared = [], set()
        for at, storage in enumerate(storages):
            for name in storage.get("only", ()):
                if name not in names:
                    raise self._error(f"only: no [[node]] is named {name}", "storage", at, "only")
            if storage.get("shared", storage["storage"] != LOCAL):
                shared.add((storage["storage"], storage.get("volume", "")))
            for number, node in enumerate(nodes):
                if node["name"] in storage.get("only", names):
                    # Each storage first on another node, so that jobs have little to wait for.
                    turn = ((at - number) % len(storages), number)
                    job = self._job(top["cluster"], (defaults, node, storage), number, at)
                    found.append((turn, job))
        jobs = tuple(job for _, job in sorted(found, key=lambda entry: entry[0]))
        targets = [(job.node, job.place) for job in jobs]
        places = tuple(dict.fromkeys(job.place for _, job in found))
        for job in jobs:
            if targets.count((job.node, job.place)) > 1:
                raise self._error(f"{job.place} stands here twice: name a volume", "storage")
        here = self.path.parent.absolute()
        return Campaign(
            self.path,
            results=os.fspath(here / top["results"]) if "results" in top else "",
            template=here / top["template"] if "template" in top else TEMPLATE,
            nodes=tuple(names),
            places=places,
            jobs=jobs,
            shared=frozenset(shared),
        )

    def _job(self, cluster, layers, number, at):
        _, node, storage = layers
        settings, environment, options = {}, {}, []
        for layer in layers:
            settings.update({key: layer[key] for key in SETTINGS if key in layer})
            environment.update(layer.get("environment", {}))
            options += layer.get("sbatch", [])
        config = settings.pop("config", None)
        if config is not None:
            environment["CONFIG_FILE"] = self._config(config, layers, number, at)
        settings.update(environment=environment, sbatch=tuple(options))
        if settings.get("nodes", 1) == 1:
            settings.setdefault("nodelist", node["name"])
        target = {key: storage[key] for key in ("storage", "device", "test_dir")}
        job = Job(
            cluster=cluster,
            node=node["name"],
            volume=storage.get("volume", ""),
            **target,
            **settings,
        )
        try:
            job.check()
            for option in options:
                quoted(option)
        except UserError as error:
            raise self._error(str(error), "storage", at) from error
        if job.nodes > 1 and not (job.nodelist or job.exclusive):
            remedy = "a nodelist, or exclusive = true, keeps other runs away from them"
            raise self._error(f"{job.nodes} nodes of Slurm's choice: {remedy}", "node", number)
        if not os.path.isabs(job.test_dir):
            raise self._error("test_dir: a path from / on is needed", "storage", at, "test_dir")
        return job

    def _config(self, name, layers, number, at):
        """A path from this file on, or the name of a file in configs/."""
        last = max(index for index, layer in enumerate(layers) if "config" in layer)
        place = (("job", 0), ("node", number), ("storage", at))[last]
        path = self.path.parent.absolute() / name
        try:
            if stat.S_ISREG(mode_of(path) or 0):
                return os.fspath(path)
        except UserError as error:
            raise self._error(f"config {name!r}: {error}", *place, "config") from error
        if "/" not in name and (CONFIGS / name).is_file():
            return name
        raise self._error(f"config {name!r}: no such file, here or in configs/", *place, "config")

    def _table(self, name):
        table = self.content.get(name, {})
        if not isinstance(table, dict):
            raise self._error(f"{name} has to be a table: [{name}]", "", 0, name)
        return table

    def _tables(self, name, keys, needed):
        tables = self.content.get(name, [])
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            raise self._error(f"{name} has to be tables: [[{name}]], one each", name)
        if not tables:
            raise self._error(f"no [[{name}]] is there: one at least is needed")
        for number, table in enumerate(tables):
            self._checked(table, keys, name, number)
            self._require(table, needed, name, number)
        return tables

    def _checked(self, table, keys, name, number=0):
        for key, value in table.items():
            if key not in keys:
                known = ", ".join((*keys, *TABLES) if keys is TOP else keys)
                raise self._error(f"{key} is unknown, known are: {known}", name, number, key)
            if not keys[key][0](value):
                raise self._error(f"{key} has to be {keys[key][1]}", name, number, key)
        return table

    def _require(self, table, needed, name, number):
        for key in needed:
            if key not in table:
                where = f" in [[{name}]]" if name else ""
                raise self._error(f"{key} is missing{where}", name, number)

    def _error(self, message, *place):
        return UserError(f"{self.path}:{self.places.line(*place)}: {message}")
