# The work is done by scripts/: they quote, so that a clone below a path with blanks works as well.
.PHONY: help setup demo test engine lint report aggregate clean lock

help:
	@printf '%s\n' \
	  'make demo       benchmark this machine in a minute or two and render a report' \
	  'make test       run the tests (PYTEST_ARGS="-k words")' \
	  'make engine     compile the embedded benchmark' \
	  'make aggregate  the results tree to aggregated_results.csv' \
	  'make report     the table to io500_analysis.html' \
	  'make lint       run the linters and formatters' \
	  'make clean      remove what was built; results and .venv stay' \
	  'Each sets up what it needs: .venv from requirements/*.lock, MPI, the engine.'

setup:
	@scripts/setup.sh

demo:
	@scripts/demo.sh

test:
	@scripts/test.sh $(PYTEST_ARGS)

engine:
	@scripts/setup.sh engine

lint:
	@scripts/lint.sh

report:
	@scripts/report.sh

aggregate:
	@scripts/aggregate.sh

clean:
	@scripts/clean.sh

lock:
	@scripts/lock.sh
