/* What the phases lend to the one that runs several workloads side by side. */
#ifndef HDB_PHASE_WORK_H
#define HDB_PHASE_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "ior.h"

#define MDWORKBENCH_SETS 10
#define MDWORKBENCH_BYTES 3901

/* The work of ior-easy-write on files of its own in `directory`, and that of ior-rnd1MB-read, which
   goes on until the stonewall; both without files of results. work.file is to be freed. */
struct ior_work ior_easy_write_beside(const char *directory);
struct ior_work ior_rnd1mb_read_beside(void);

/* The transfers of a rank that ior-rnd1MB-write recorded; rank 0 knows, collective. */
uint64_t ior_rnd1mb_transfers(void);

/* Files of a set of md-workbench where the INI file does not say: as many as last for a minute at
   the rate of mdtest-easy-write. `first` in the phase that makes them. Collective. */
uint64_t mdworkbench_standard_files(bool first);

#endif
