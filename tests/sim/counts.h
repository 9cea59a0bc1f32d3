/* SPDX-License-Identifier: MIT */
/* The events that are counted: X(name, floor), with the least number that a thousand worlds must
 * have seen. A fault that never strikes proves nothing. */
#ifndef TESTS_SIM_COUNTS_H
#define TESTS_SIM_COUNTS_H

#include <stdint.h>

#define COUNTS(X)                                                                                  \
	/* calls */                                                                                \
	X(opens, 1000)                                                                             \
	X(tries, 1000)                                                                             \
	X(waits, 1000)                                                                             \
	X(any, 100)                                                                                \
	X(any_granted, 100)                                                                        \
	X(drives, 1000)                                                                            \
	X(cancels, 100)                                                                            \
	X(reentries, 100)                                                                          \
	X(releases, 1000)                                                                          \
	X(extends, 100)                                                                            \
	X(token_releases, 100)                                                                     \
	X(token_extends, 100)                                                                      \
	X(breaks, 100)                                                                             \
	X(breaks_told, 100)                                                                        \
	X(breaks_waited, 100)                                                                      \
	X(breaks_timed_out, 10)                                                                    \
	X(breaks_canceled, 10)                                                                     \
	X(breakers_killed, 5)                                                                      \
	X(reaps, 100)                                                                              \
	X(lists, 100)                                                                              \
	X(rates, 500)                                                                              \
	X(rates_taken, 100)                                                                        \
	X(upgrades, 100)                                                                           \
	X(downgrades, 100)                                                                         \
	X(resizes, 20)                                                                             \
	X(numbered, 50)                                                                            \
	X(prioritised, 100)                                                                        \
	/* outcomes */                                                                             \
	X(granted, 1000)                                                                           \
	X(turns, 10)                                                                               \
	X(kept, 10)                                                                                \
	X(busy, 1000)                                                                              \
	X(timeouts, 100)                                                                           \
	X(lost, 100)                                                                               \
	X(unsure, 100)                                                                             \
	X(invalid, 10)                                                                             \
	X(deadlocks, 10)                                                                           \
	X(failed, 100)                                                                             \
	X(believed_lost, 100)                                                                      \
	X(told, 100)                                                                               \
	X(writes_accepted, 1000)                                                                   \
	X(writes_refused, 10)                                                                      \
	X(reads_accepted, 100)                                                                     \
	/* at the server */                                                                        \
	X(statements, 100000)                                                                      \
	X(grants, 1000)                                                                            \
	X(reserved, 10)                                                                            \
	X(handed_over, 1000)                                                                       \
	X(passed_on, 100)                                                                          \
	X(joined_behind, 100)                                                                      \
	X(row_grants, 1000)                                                                        \
	X(entered, 1000)                                                                           \
	X(granted_together, 100)                                                                   \
	X(rings, 100)                                                                              \
	X(given_back, 100)                                                                         \
	X(marked, 100)                                                                             \
	X(freed_told, 100)                                                                         \
	X(buried, 100)                                                                             \
	X(buried_by_tries, 10)                                                                     \
	X(marks_of_dead, 100)                                                                      \
	X(leases_ended, 2)                                                                         \
	X(rows_ended, 1)                                                                           \
	X(expelled, 100)                                                                           \
	X(rows_reaped, 10)                                                                         \
	X(rows_rested, 10)                                                                         \
	X(freed_by_reaper, 10)                                                                     \
	X(purged, 10)                                                                              \
	/* faults */                                                                               \
	X(refused, 1000)                                                                           \
	X(dropped, 1000)                                                                           \
	X(held_back, 1000)                                                                         \
	X(replies_lost, 1000)                                                                      \
	X(slow, 1000)                                                                              \
	X(starved, 100)                                                                            \
	X(stops, 100)                                                                              \
	X(kills, 100)                                                                              \
	X(cuts, 100)                                                                               \
	X(degraded, 100)                                                                           \
	X(stalls, 100)                                                                             \
	X(restarts, 100)                                                                           \
	X(restarts_lossy, 100)                                                                     \
	X(rows_locked, 100)                                                                        \
	X(walls_set, 100)                                                                          \
	X(clocks_set, 100)                                                                         \
	/* two holders at a time, when that is not promised away */                                \
	X(overlaps_allowed, 1)                                                                     \
	X(stuck_by_losses, 0)

/* Of these, and of some that single worlds know too, a thousand worlds of clusters must have seen so many. */
#define OF_CLUSTERS(X)                                                                             \
	X(votes, 1000)                                                                             \
	X(raises, 100)                                                                             \
	X(rushes, 1000)                                                                            \
	X(replaces, 100)                                                                           \
	X(replaced, 25)                                                                            \
	X(completed, 100)                                                                          \
	X(replacers_killed, 10)                                                                    \
	X(replacers_hung, 10)

#define CLUSTER_COUNTS(X)                                                                          \
	OF_CLUSTERS(X)                                                                             \
	X(opens, 1000)                                                                             \
	X(tries, 1000)                                                                             \
	X(waits, 1000)                                                                             \
	X(reentries, 10)                                                                           \
	X(releases, 1000)                                                                          \
	X(extends, 100)                                                                            \
	X(token_releases, 100)                                                                     \
	X(token_extends, 100)                                                                      \
	X(reaps, 100)                                                                              \
	X(granted, 1000)                                                                           \
	X(busy, 1000)                                                                              \
	X(timeouts, 100)                                                                           \
	X(lost, 100)                                                                               \
	X(unsure, 10)                                                                              \
	X(invalid, 1)                                                                              \
	X(failed, 100)                                                                             \
	X(believed_lost, 100)                                                                      \
	X(told, 100)                                                                               \
	X(statements, 100000)                                                                      \
	X(handed_over, 100)                                                                        \
	X(marks_of_dead, 10)                                                                       \
	X(refused, 1000)                                                                           \
	X(dropped, 1000)                                                                           \
	X(held_back, 1000)                                                                         \
	X(replies_lost, 1000)                                                                      \
	X(slow, 1000)                                                                              \
	X(starved, 100)                                                                            \
	X(stops, 100)                                                                              \
	X(kills, 100)                                                                              \
	X(cuts, 100)                                                                               \
	X(degraded, 100)                                                                           \
	X(stalls, 100)                                                                             \
	X(restarts, 100)                                                                           \
	X(buried, 100)                                                                             \
	X(restarts_lossy, 50)                                                                      \
	X(rows_locked, 100)                                                                        \
	X(walls_set, 100)                                                                          \
	X(clocks_set, 100)                                                                         \
	X(overlaps_allowed, 1)

/* Ends with a name that is NULL. */
struct count {
	int kind;
	const char *name;
	int64_t floor;
};

enum count_kind {
#define X(name, floor) COUNT_##name,
	COUNTS(X) OF_CLUSTERS(X)
#undef X
		COUNT_KINDS
};

#define COUNT(w, name) ((w)->history.counts[COUNT_##name]++)

#endif
