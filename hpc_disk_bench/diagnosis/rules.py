"""What lines of output say which code: a table, read from the top; the first rule that fits wins.

A cause stands above what follows from it: a full disk above the assertion it trips, that above the
signal it ends in, that above the launcher's word on it. Wording: glibc and musl, Open MPI 4 and 5,
MPICH/Hydra, Intel MPI, srun, and the benchmarks themselves.
"""

import re
from typing import NamedTuple, Optional


class Rule(NamedTuple):
    code: str
    pattern: "re.Pattern[str]"
    unless: Optional["re.Pattern[str]"] = None
    spoils: bool = False  # also a run that came to its end: its figures are not what they seem

    def fits(self, text):
        return bool(self.pattern.search(text)) and not (self.unless and self.unless.search(text))

    def said_in(self, line):
        """Whether a lines.Line says it, by itself or with what was wrapped onto the next."""
        if self.pattern.search(line.text) or not line.onward:
            return self.fits(line.text)
        return not self.pattern.search(line.onward) and self.fits(line.sentence)


def _rule(code, *patterns, unless=None, spoils=False):
    pattern = re.compile("|".join(patterns), re.IGNORECASE)
    return Rule(code, pattern, unless and re.compile(unless, re.IGNORECASE), spoils)


def _errno(*names, text=()):
    """Patterns for errors of system calls: names as they stand in brackets, texts of strerror."""
    return (r"\b(?:" + "|".join(names) + r")\b", *text)


# Who speaks of the network between the ranks, of ssh, or of help files, speaks of no storage.
LAUNCHING = (
    r"\bssh\b|publickey|sudo|drop_caches|\bbtl\b|\bplm\b|\boob\b|\btcp\b|socket|\bconnect\b"
    r"|\b(?:orted|prted|prterun|hydra|pmix|pmi)\b|help-|session dir|\bscontrol\b|\bmca\b"
    r"|\bcma\b|\bvader\b|ptrace|shared librar|shared object|\bexecv?[ep]*\b|executable"
)
# A system call that makes a file or a directory, as benchmarks name it.
OPENING = re.compile(
    r"\b(?:open(?:64|at|at64)?|creat(?:64)?|mkdir(?:at)?|mknod|symlink)\b\s*[(\"]"
    r"|create (?:file|directory)|make the data directory"
)

RULES = (
    # What a batch system says of its job.
    _rule("HDB018", r"DUE TO TIME LIMIT", r"walltime .*exceeded", r"TERM_RUNLIMIT"),
    _rule("HDB006", r"DUE TO NODE FAIL", r"error: Node failure on"),
    _rule(
        "HDB022",
        r"oom[-_ ]kill",
        r"out[- _]of[- _]memory(?! on the GPU)",
        r"cannot allocate memory",
        r"\bENOMEM\b",
        r"std::bad_alloc",
        r"exceeded (?:job |step |its )?memory limit",
        r"malloc.{0,40}\bfail|fail.{0,40}\bmalloc",
        unless=r"cuda|help-",
    ),
    _rule("HDB019", r"CANCELLED AT (?!.*DUE TO)", r"DUE TO PREEMPTION"),
    # The launch.
    _rule(
        "HDB003",
        r"error while loading shared libraries",
        r"symbol lookup error",
        r"undefined symbol",
        r"version `[^']+' not found",
        r"cannot open shared object file",
        r"\bELF (?:load command|file).*(?:not|invalid)",
        r"not built with (?:SLURM's )?(?:PMI|PMIx)",
        r"PMI2?_Init (?:failed|returned)|pmi version mismatch",
        r"was (?:compiled|built) with .* but .*(?:libmpi|librar)",
        # glibc's components of Open MPI are allowed to miss libraries of hardware that is not here
        unless=r"mca_base_component|component_find|unable to open mca_|open_?ib|libcuda",
    ),
    _rule(
        "HDB004",
        r"not enough slots",
        r"no available slots",
        r"all nodes which are allocated for this job are already filled",
        r"binding more processes than cpus",
        r"more (?:processes|cpus|processors|tasks) than (?:cpus|permitted|are available|available)",
        r"bind .*more cpus than are available",
        r"more processors requested than permitted",
        r"requested node configuration is not available",
        r"more processes than the ppr",
    ),
    _rule(
        "HDB002",
        r"cannot be started:",
        r"exec format error",
        r"cannot execute binary file",
        r"cannot execute: required file not found",
        r"could not find an executable",
        r"unable to find the specified executable",
        r"unable to (?:launch|start|access) the specified (?:application|executable)",
        r"could not (?:access or )?(?:execute|find) (?:an |the )?executable",
        r"execv[pe]* (?:error|failed)|execve\(\)",
        r"io500[\w.-]*: (?:command )?not found",
        r"CPU ISA level is lower than required",
        r"illegal instruction",
        r"\bSIGILL\b",
    ),
    _rule(
        "HDB006",
        r"could not resolve hostname",
        r"name or service not known",
        r"temporary failure in name resolution",
        r"unable to get host address|gethostbyname failed|unknown host",
        r"ssh: connect to host",
        r"no route to host",
        r"host key verification failed",
        r"permission denied \((?:publickey|password|keyboard|gssapi)",
        r"unable to reliably start one or more daemons",
        r"daemon has unexpectedly failed",
        r"lost communication with a remote daemon",
        r"daemon .* did not report back|failed to report back",
        r"(?:node|host)s?\b.*(?:was|were|is|are) not (?:found|included) in",
        r"requested (?:node|host)s?\b.*(?:not found|not included|not in the)",
        r"invalid (?:node|host) ?name|not in this (?:job's )?allocation",
        r"srun: error: .*(?:node|host).*(?:down|not respond)|unable to resolve",
    ),
    _rule(
        "HDB007",
        r"attempt(?:ed)? to run as root|strongly suggest that you run as a non-root",
        r"MPI_INIT(?:_THREAD)? (?:has )?failed|looks like (?:MPI_INIT|orte_init|prte_init)",
        r"(?:fatal )?error in (?:internal_|p)?MPI_Init",
        r"(?:orte|prte|pmix|opal)\w*_init\b.*fail|init failed|PMIx_Init",
        r"plm_rsh_agent|plm_ssh_agent",
        r"unable to create.*session|session director(?:y|ies).*(?:fail|unable|could not)",
        r"at least one pair of MPI processes are unable to reach each other",
        r"(?:mpirun|mpiexec|prterun|srun)[^:]*: (?:error: )?(?:unknown|unrecognized|invalid)"
        r".*(?:option|argument)",
        r"unrecognized argument|invalid MPI (?:type|plugin)|mpi/\w+: can't load|couldn't load.*mpi",
    ),
    # What the benchmark was given.
    _rule(
        "HDB008",
        r"cannot open config file",
        r"\.ini\"?: cannot be read",
        r"(?:can(?:not|'t)|could not|couldn't|failed to) (?:open|read) .*\b(?:config|ini)\b",
    ),
    _rule(
        "HDB009",
        r"parsing error in",
        r"couldn't parse config file",
        r"^FATAL .*\.ini:\d+: |\.ini: the file is empty",
        r"^FATAL (?:\(.*\) )?(?:unknown|missing|API = |\[[\w-]+\] |--)",
        r"unknown (?:option|section|packet type)|missing timestamp argument|invalid options",
        r"error invalid argument",
        r"unrecognized I/O API|(?:coudln't|couldn't) parse API option",
        r"must be a multiple of|is no multiple of",
        r"no CUDA supported",
        r"cannot check external-script",
        r"couldn't split rank",
        r"(?:create|make) (?:the data )?directory .*(?:file exists|not a directory|name too long"
        r"|too many levels|no such file)",
        unless=r"mpirun|mpiexec|prterun|srun",
    ),
    # Storage, by what system calls returned.
    _rule(
        "HDB012",
        *_errno("ENOSPC", "MPI_ERR_NO_SPACE", text=(r"no space left",)),
        unless=LAUNCHING,
        spoils=True,
    ),
    _rule(
        "HDB014",
        *_errno("EDQUOT", "MPI_ERR_QUOTA", text=(r"quota exceeded", r"over quota")),
        unless=LAUNCHING,
        spoils=True,
    ),
    _rule("HDB017", *_errno("EMLINK", text=(r"too many links", r"directory index full"))),
    _rule(
        "HDB021",
        *_errno("ESTALE", text=(r"stale (?:nfs )?file handle",)),
        unless=LAUNCHING,
        spoils=True,
    ),
    _rule(
        "HDB016",
        *_errno("EROFS", "MPI_ERR_READ_ONLY", text=(r"read-only file ?system",)),
        unless=LAUNCHING,
    ),
    _rule(
        "HDB020",
        *_errno(
            *("EIO", "EREMOTEIO", "ENXIO", "ENODEV", "ENOTCONN", "ESHUTDOWN", "EHOSTDOWN"),
            *("ETIMEDOUT", "MPI_ERR_IO", "EUCLEAN", "EBADMSG", "ENODATA"),
            text=(
                *(r"(?:input/output|remote I/O|\bI/O) error", r"no such device"),
                *(r"endpoint is not connected", r"transport endpoint shutdown"),
                *(r"host is down", r"structure needs cleaning", r"connection timed out"),
            ),
        ),
        unless=LAUNCHING,
        spoils=True,
    ),
    _rule(
        "HDB010",
        *_errno("EMFILE", "ENFILE", "EFBIG", "SIGXFSZ"),
        *(r"too many open files", r"file too large", r"file size limit exceeded"),
        r"\bfork\b.*resource temporarily unavailable|pthread_create.*(?:fail|EAGAIN)",
        r"cannot fork|unable to fork|number of processes.*limit",
    ),
    _rule(
        "HDB015",
        *_errno("EACCES", "EPERM", "MPI_ERR_ACCESS"),
        *(r"permission denied", r"operation not permitted"),
        unless=LAUNCHING,
    ),
    _rule(
        "HDB029",
        r"incorrect data on read|verifying the data on read|wrong data in",
        r"errors? \(\d+\) occured during phase",
        r"operations failed or found wrong data",
        r"unable to stat file|returned EOF prematurely|cannot read from file",
        r"the write phase must run first",
        r"pfind: cannot open directory",
        spoils=True,
    ),
    _rule(
        "HDB029",
        *_errno("ENOENT", text=(r"no such file or directory",)),
        unless=LAUNCHING + r"|config|\.ini\b|unlink|cannot be removed",
    ),
    _rule(
        "HDB011",
        *_errno("EOPNOTSUPP", "ENOTSUP", "ENOSYS", "ENOLCK", "EINVAL"),
        *(r"operation not supported", r"function not implemented", r"no locks available"),
        r"invalid argument",
        unless=LAUNCHING,
    ),
    # How it ended, where nothing says why.
    _rule(
        "HDB023",
        r"exited on signal \d+|killed by signal|exit string: .*signal \d+",
        r"\bSignal: .*\(\d+\)|caught signal \d+",
        r"(?:task|tasks) [\d,\s-]+: (?:killed|segmentation fault|aborted|bus error|floating)",
        r"segmentation fault|bus error|floating point exception|stack smashing|double free",
        r"free\(\): invalid|malloc\(\): |corrupted (?:size|top)",
        r"assertion .*failed",
    ),
)
SUREST = re.compile(
    r"\bERROR rank \d+|\bFATAL\b|process rank \d+|\bERROR\b(?! INVALID)|oom|:.*failed"
)
# Of lines that fit no rule, these may still tell a person something.
TELLING = re.compile(
    r"\bERROR\b(?! INVALID)|\bFATAL\b|fail|error|abort|cannot|unable", re.IGNORECASE
)
# What a launcher prints whatever has happened.
FRAME = re.compile(
    r"^[\W_]*$|Primary job|non-zero exit code|mpirun detected|the job to be terminated"
    r"|^Process name|^Exit code:|MPI_ABORT was invoked|with errorcode|NOTE: invoking"
    r"|You may or may not|exactly when|more process(?:es)? ha|Set MCA parameter|IO500 version"
    r"|ERROR INVALID|^\[RESULT|^\[ +\]|ORTE_ERROR_LOG: (?:Data unpack|Out of resource)",
    re.IGNORECASE,
)
# What may pass by itself; the others come again until somebody mends something.
WORTH_A_RETRY = frozenset(("HDB001", "HDB006", "HDB020", "HDB021", "HDB023", "HDB024"))
