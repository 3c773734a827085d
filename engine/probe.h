/* --probe: what the launcher made of the ranks, before a run is started with it. */
#ifndef HDB_PROBE_H
#define HDB_PROBE_H

/* Prints one line a rank, in rank order: "rank=0 size=16 host=n1 ahead=0.000012". `ahead` is by how
 * many seconds the clock of its host is before that of rank 0. All ranks. */
void probe_ranks(void);

#endif
