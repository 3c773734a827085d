"""Every JSON file of the pipeline against its schema, and the schemas against the page on them."""

import glob
import json
import time

import jsonschema
import pytest

from hpc_disk_bench.errors import UserError
from hpc_disk_bench.files import read_json
from hpc_disk_bench.results import load
from hpc_disk_bench.versions import WRITTEN
from tests.support import json_page

TITLES = {"results.json", *WRITTEN}
OF_TOOLS = {"tool_metadata.json", "tool_results.json"}
# What a run of the wrapper leaves in the results tree.
OF_A_RUN = {"results.json", ".parsed.json"}
OF_A_RUN |= {f"{name}.json" for name in ("run_metadata", "node_metadata", "status")}
# Numbers that count or name something by themselves.
WITHOUT_UNIT = {"schema_version", "exit_code", "pid", "line", "total"}


@pytest.fixture(scope="module")
def schemas():
    """Name of a JSON file to the validator of its schema."""
    found = {}
    for path in json_page.SCHEMAS.glob("*.schema.json"):
        schema = json.loads(path.read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        found[schema["title"]] = jsonschema.Draft202012Validator(schema)
    return found


@pytest.fixture(scope="module")
def checked(schemas):
    """A function: validates every JSON file below a directory; returns their names.

    What is written now has every field, in the order of the schema; older files may lack some.
    """

    def check(directory):
        names = set()
        for path in directory.rglob("*.json"):
            if path.name in schemas:
                content = json.loads(path.read_text())
                schemas[path.name].validate(content)
                if path.name != "results.json":
                    assert list(content) == list(schemas[path.name].schema["properties"])
                names.add(path.name)
        return names

    return check


def test_each_file_that_is_written_has_a_schema(schemas):
    assert set(schemas) == TITLES


def test_the_version_that_is_written_is_that_of_the_schema(schemas):
    for name, version in WRITTEN.items():
        assert schemas[name].schema["properties"]["schema_version"]["const"] == version


def test_the_page_explains_every_field_as_the_schemas_have_it():
    page = json_page.PAGE.read_text()
    assert page == json_page.filled(page), "run: python tests/support/json_page.py"
    tables = [match["name"] for match in json_page.TABLE.finditer(page)]
    assert sorted(tables) == sorted(json_page.names())


@pytest.mark.parametrize("name", json_page.names())
def test_every_field_is_explained_and_every_figure_has_a_unit(name):
    for key, field in json_page.fields(name).items():
        assert field["description"], key
        kinds = field.get("type", "object")
        figure = {"number", "integer"} & {*([kinds] if isinstance(kinds, str) else kinds)}
        assert not figure or "unit" in field or key in WITHOUT_UNIT, key


def test_a_run_that_ends_well_leaves_files_that_fit(wrapper, checked, recorded):
    wrapper.use_stand_in(run=recorded("extended"))
    assert wrapper.run(volume="v1").returncode == 0
    assert checked(wrapper.results) == OF_A_RUN


def test_a_run_that_fails_leaves_files_that_fit(wrapper, checked, recorded):
    wrapper.use_stand_in(run=recorded("aborted"), code=134)
    assert wrapper.run().returncode == 4
    assert checked(wrapper.results) == OF_A_RUN
    assert wrapper.json("status.json")["evidence"]


def test_a_run_that_goes_on_has_files_that_fit_and_its_data_a_marker_that_does(wrapper, checked):
    wrapper.use_stand_in(hang="yes")
    process = wrapper.start()
    try:
        # Not Path.glob(), which raises where what the look has made goes meanwhile.
        while not glob.glob("io500.*/data/ior-easy/*", root_dir=wrapper.test_dir):
            time.sleep(0.05)
        assert checked(wrapper.test_dir) == {".hpc-disk-bench.json"}
        assert checked(wrapper.results) >= {"run_metadata.json", "status.json"}
    finally:
        process.terminate()
        process.communicate()


def test_a_run_of_the_engine_leaves_files_that_fit(wrapper, engine, checked):
    wrapper.use(engine)
    done = wrapper.run()
    assert done.returncode == 0, done.stderr
    assert checked(wrapper.results) == OF_A_RUN


def test_the_recorded_runs_give_results_that_fit(schemas, root, shared):
    fitting = 0
    fixtures = (root / "tests/fixtures/upstream").rglob("result*.txt")
    directories = {path.parent for path in fixtures}
    directories |= {path.parent for path in shared("upstream-runs").rglob("result*.txt")}
    for directory in sorted(directories):
        try:
            results = load(directory)
        except UserError:
            continue
        schemas["results.json"].validate(results.as_json())
        fitting += 1
    assert fitting > 80


def test_what_is_expected_of_the_samples_fits(schemas, shared):
    expected = [json.loads(path.read_text()) for path in shared("samples").glob("*/expected.json")]
    lines = shared("samples", "dialects", "expected.jsonl").read_text().splitlines()
    expected += [json.loads(line)["results"] for line in lines]
    for content in expected:
        schemas["results.json"].validate(content)
    assert len(expected) > 50


def test_files_with_no_more_than_the_first_keys_fit(schemas):
    node = ("cluster_name", "node_name", "hostname", "cpu_model", "cpu_count", "cpu_cores")
    node += ("memory_gb", "network_interface", "network_speed", "kernel", "os")
    content = dict.fromkeys(node, None) | {"cluster_name": "wildwood", "node_name": "chrom1"}
    content["metadata_timestamp"] = "2025-10-28T20:58:30Z"
    schemas["node_metadata.json"].validate(content)
    run = {"cluster_name": "wildwood", "node_name": "chrom1", "storage_type": "local"}
    run |= {"storage_volume": "", "device_type": "hdd", "timestamp": "2025.10.29-14.56.43"}
    run |= {"num_procs": 16, "test_dir": "/scratch/davised/disk_test"}
    schemas["run_metadata.json"].validate(run)
    assert not schemas["run_metadata.json"].is_valid({**run, "num_procs": "16"})


@pytest.mark.parametrize(
    "content",
    [
        {"find": {"value": None, "unit": "kIOPS", "time": 1.0, "valid": True}},
        {"find": {"value": "1.0", "unit": "kIOPS", "time": 1.0, "valid": True}},
        {"find": {"value": 1.0, "unit": "kIOPS", "time": 1.0}},
        {"find": {"value": 1.0, "unit": "kIOPS", "time": 1.0, "valid": False, "reasons": []}},
        {"score": {"bandwidth": None, "iops": 1.0, "total": 1.0, "valid": True}},
        {"partial": False},
        {"partial": True, "score": {"bandwidth": 1.0, "iops": 1.0, "total": 1.0, "valid": True}},
        {"source": "hearsay"},
    ],
)
def test_results_that_would_mislead_do_not_fit(schemas, content):
    assert not schemas["results.json"].is_valid(content)


@pytest.mark.parametrize("name", sorted(WRITTEN))
def test_a_file_from_before_there_were_versions_is_read(tmp_path, name):
    (tmp_path / name).write_text('{"cluster_name": "wildwood"}')
    assert read_json(tmp_path / name) == {"cluster_name": "wildwood"}


@pytest.mark.parametrize("name", sorted(WRITTEN))
def test_a_file_of_a_newer_version_is_refused_by_name(tmp_path, name):
    newer = WRITTEN[name] + 1
    (tmp_path / name).write_text(json.dumps({"schema_version": newer, "cluster_name": "wildwood"}))
    with pytest.raises(UserError, match=f"{name}: of version {newer}, this hpc-disk-bench knows"):
        read_json(tmp_path / name)


@pytest.mark.parametrize("version", [True, "1", 1.5, -1, [1]])
def test_a_version_that_is_no_number_is_refused(tmp_path, version):
    (tmp_path / "status.json").write_text(json.dumps({"schema_version": version}))
    with pytest.raises(UserError, match="a whole number is needed"):
        read_json(tmp_path / "status.json")


def test_a_key_that_nobody_knows_yet_does_no_harm(tmp_path):
    (tmp_path / "status.json").write_text('{"schema_version": 1, "mood": "fine"}')
    assert read_json(tmp_path / "status.json")["mood"] == "fine"
