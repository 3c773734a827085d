# Which benchmark is started, by which launcher, with how many ranks.
# shellcheck shell=bash

: "${root:?the clone}" "${REFUSED:?lib/common.bash comes first}"

# find_benchmark: prints the path of the binary: IO500_BIN, else io500 on PATH, else the embedded engine.
find_benchmark() {
  local embedded=$root/engine/build/io500-embedded found
  if [[ -n ${IO500_BIN:-} ]]; then
    found=$(type -P -- "$IO500_BIN") ||
      abort "$REFUSED" "IO500_BIN '$IO500_BIN': no such program, or it cannot be executed"
    absolute "$found"
  elif found=$(type -P io500); then
    absolute "$found"
  elif [[ -x $embedded ]]; then
    printf '%s' "$embedded"
  else
    abort "$REFUSED" "no benchmark: compile the embedded engine with 'make engine', put io500 on PATH, or set IO500_BIN"
  fi
}

# count_ranks: prints how many ranks to start: NUM_PROCS, else what the job has: its tasks where it has several nodes,
# its CPUs where it has one. Without a job one.
count_ranks() {
  local ranks nodes=${SLURM_JOB_NUM_NODES:-${SLURM_NNODES:-1}}
  if [[ -n ${NUM_PROCS+set} ]]; then
    [[ $NUM_PROCS =~ ^[1-9][0-9]{0,6}$ ]] ||
      abort "$USAGE" "NUM_PROCS '$NUM_PROCS': the number of ranks is needed, 1 or more"
    ranks=$NUM_PROCS
  elif [[ $nodes != 1 ]]; then
    # Unset in a job that did not ask for tasks (sbatch without -n): then all CPUs of all nodes.
    ranks=${SLURM_NTASKS:-$(sum_cpus "${SLURM_JOB_CPUS_PER_NODE:-}")}
  else
    ranks=${SLURM_CPUS_ON_NODE:-1}
  fi
  [[ $ranks =~ ^[1-9][0-9]{0,6}$ ]] || abort "$USAGE" "how many ranks to start is unclear in this job: set NUM_PROCS"
  printf '%s' "$ranks"
}

# sum_cpus LIST: prints the sum of Slurm's SLURM_JOB_CPUS_PER_NODE: 16(x2),8 is 40.
sum_cpus() {
  local entry entries sum=0
  IFS=, read -ra entries <<<"$1"
  for entry in "${entries[@]}"; do
    [[ $entry =~ ^([0-9]+)(\(x([0-9]+)\))?$ ]] || return 0
    sum=$((sum + BASH_REMATCH[1] * ${BASH_REMATCH[3]:-1}))
  done
  printf '%s' "$sum"
}

# choose_launcher RANKS BINARY: sets the array launcher: the command that starts RANKS ranks; empty for a single one.
choose_launcher() {
  local mpirun
  launcher=()
  if [[ -z ${HOME:-} ]]; then
    # Open MPI does not start without; a bare environment (cron, env -i) has none, but the user does.
    export HOME=~
  fi
  if [[ $1 == 1 ]]; then
    # A lone rank of Open MPI 5 leaves the memory that it would share with others behind in /dev/shm.
    export OMPI_MCA_btl=${OMPI_MCA_btl:-self}
    return
  fi
  if [[ -n ${MPIRUN:-} ]]; then
    # A launcher and its flags, split at blanks and taken as they are.
    read -ra launcher <<<"$MPIRUN"
    type -P -- "${launcher[0]}" >/dev/null || abort "$REFUSED" "MPIRUN '${launcher[0]}': no such program"
    if [[ ${launcher[0]##*/} == srun ]]; then
      launcher+=(-n "$1")
    else
      launcher+=(-np "$1")
    fi
  else
    mpirun=$(find_mpirun "$2")
    launcher=("$mpirun" -np "$1")
    if [[ $("$mpirun" --version 2>/dev/null || true) == *"Open MPI"* ]]; then
      # A job of one task with 16 CPUs has one slot, and without a job hardware threads are none: the user's number
      # counts. Bound to a core, more ranks than cores are refused, in a job also fewer.
      launcher+=(--oversubscribe --bind-to none)
    fi
    if [[ -n ${SLURM_JOB_ID:-} ]] && ! type -P srun >/dev/null; then
      # Open MPI starts its daemons by srun in a job, and may crash where srun is not on PATH; ssh is what is left.
      export PRTE_MCA_plm=${PRTE_MCA_plm:-^slurm} OMPI_MCA_plm=${OMPI_MCA_plm:-^slurm}
    fi
  fi
  if [[ $EUID == 0 ]]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  fi
}

# find_mpirun BINARY: prints the launcher that belongs to the benchmark: for the embedded engine the one of the MPI it
# was compiled with; a rank started by another one may run as a job of its own.
find_mpirun() {
  local candidate recorded=""
  if [[ $1 -ef $root/engine/build/io500-embedded && -r $root/engine/build/mpirun.path ]]; then
    IFS= read -r recorded <"$root/engine/build/mpirun.path" || true
  fi
  for candidate in "$recorded" ${CONDA_PREFIX:+"$CONDA_PREFIX/bin/mpirun"} ${VIRTUAL_ENV:+"$VIRTUAL_ENV/bin/mpirun"} \
    "$(type -P mpirun || true)" "$root/.venv/bin/mpirun"; do
    if [[ -x $candidate ]]; then
      printf '%s' "$candidate"
      return
    fi
  done
  abort "$REFUSED" "no mpirun for more than one rank: load an MPI module, run 'make engine', or set MPIRUN"
}
