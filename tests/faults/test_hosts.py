"""Several hosts: one run over two of them, and one whose link dies in mid-run."""

from tests.faults.spread import start


def test_two_hosts_with_two_ranks_each_are_one_run(spread, hosts):
    process = start(spread, hosts)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, (out, err)
    about = spread.json("run_metadata.json")
    assert (about["num_procs"], about["node_count"], about["ppn"]) == (4, 2, 2)
    assert sorted(about["nodes"]) == ["h1", "h2"]
    results = spread.json("results.json")
    assert results["score"]["total"] > 0
    assert spread.nothing_is_left()


def test_a_host_whose_link_dies_is_found_out_and_the_run_ended(spread, hosts):
    # The ranks make their files without a word to each other; then they wait for the lost host.
    spread.go_on_long(items=20000)
    spread.environ["HANG_TIMEOUT"] = "5"
    process = start(spread, hosts, "--force")
    spread.wait_until_it_has_begun("mdtest-easy", process)
    hosts.unplug("h2")
    spread.failed_with("HDB024", process)
    spread.kept("ior-easy-write")
    assert spread.nothing_is_left()
