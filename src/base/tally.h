/* SPDX-License-Identifier: MIT */
/* What a client has done: counters and histograms, which dblock_stats_of() copies, and the caller's
 * functions that are told of calls and states. Any thread adds, without a mutex: the numbers have no order
 * among each other, so all is relaxed. */
#ifndef DBL_BASE_TALLY_H
#define DBL_BASE_TALLY_H

#include <stdatomic.h>
#include <stdbool.h>

#include <dblock/connection.h>
#include <dblock/stats.h>
#include <dblock/trace.h>

#include "base/env.h"

typedef _Atomic int64_t dbl_counter;

struct dbl_histogram {
	dbl_counter sum;
	dbl_counter buckets[DBLOCK_HISTOGRAM_BUCKETS];
};

/* Whom to tell of spans: of those that took longer. */
struct dbl_trace {
	void (*tell)(void *arg, const struct dblock_span *); /* NULL: nobody */
	void *arg;
	int64_t slow_wait, long_hold; /* us */
};

/* Whom to tell of the session's state. */
struct dbl_listener {
	void (*tell)(void *arg, enum dblock_connection_state, const struct dblock_error *why);
	void *arg;
};

/* The members of struct dblock_stats, by their names. */
struct dbl_tally {
	struct dbl_trace trace; /* this and the next one are set before other threads see them */
	struct dbl_listener listener;
	dbl_counter acquired, reentered, busy, timed_out, canceled, deadlocks, late, fenced, failed;
	dbl_counter passed_in_memory, woken_by_thread, woken_by_datagram, woken_by_database;
	dbl_counter found_by_looking, idle_taken, released;
	dbl_counter losses[DBLOCK_LOSS_CAUSES];
	dbl_counter statements, batches, batched;
	dbl_counter retries_conflict, retries_unavailable, retries_readonly, retries_unsure;
	dbl_counter connects, connections_lost, heartbeats, heartbeats_failed, sessions;
	struct dbl_histogram wait, hold;
};

static inline void dbl_counter_add(dbl_counter *counter, int64_t n)
{
	(void)atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

/* Count one more. A tally of NULL is nobody's: connections that no client has are not counted. */
#define DBL_COUNT(tally, what)                                                                     \
	do {                                                                                       \
		struct dbl_tally *dbl_tally_ = (tally);                                            \
                                                                                                   \
		if (dbl_tally_)                                                                    \
			dbl_counter_add(&dbl_tally_->what, 1);                                     \
	} while (0)

/* 0 for 0, else the number of bits. */
static inline unsigned dbl_bucket_of(int64_t us)
{
	unsigned n = us > 0 ? 64 - (unsigned)__builtin_clzll((unsigned long long)us) : 0;

	return n < DBLOCK_HISTOGRAM_BUCKETS ? n : DBLOCK_HISTOGRAM_BUCKETS - 1;
}

/* Add a time, in us. */
static inline void dbl_histogram_add(struct dbl_histogram *histogram, int64_t us)
{
	dbl_counter_add(&histogram->buckets[dbl_bucket_of(us)], 1);
	if (us > 0)
		dbl_counter_add(&histogram->sum, us);
}

/* Fills in all but the size; what connections and sessions did is read from a tally of theirs, or the same. */
void dbl_tally_read(const struct dbl_tally *calls, const struct dbl_tally *connections,
		    struct dblock_stats *);

/* The counter of an outcome. */
static inline dbl_counter *dbl_tally_counter(struct dbl_tally *tally, int rc)
{
	switch (rc) {
	case DBLOCK_OK:
		return &tally->acquired;
	case DBLOCK_BUSY:
		return &tally->busy;
	case DBLOCK_TIMEOUT:
		return &tally->timed_out;
	case DBLOCK_CANCELED:
		return &tally->canceled;
	case DBLOCK_DEADLOCK:
		return &tally->deadlocks;
	case DBLOCK_LOST:
		return &tally->late;
	case DBLOCK_FENCED:
		return &tally->fenced;
	default:
		return &tally->failed;
	}
}

/* How an acquire has ended, that is not a re-entry; it took so many us. */
static inline void dbl_tally_acquire(struct dbl_tally *tally, int rc, int64_t took)
{
	if (!tally)
		return;
	dbl_counter_add(dbl_tally_counter(tally, rc), 1);
	if (rc == DBLOCK_OK)
		dbl_histogram_add(&tally->wait, took);
}

/* Is anybody told of spans? */
static inline bool dbl_trace_on(const struct dbl_tally *tally)
{
	return tally && tally->trace.tell;
}

/* A span; its times are on env->now(). */
struct dbl_span {
	enum dblock_phase phase;
	const char *name;
	int64_t token;
	int outcome;
	int64_t began;
	int64_t until; /* 0: it ends now */
};

/* Tell it, if anybody is told and it took long enough. No mutex is held. */
void dbl_trace_tell(const struct dbl_tally *, const struct dbl_env *, const struct dbl_span *);

#endif
