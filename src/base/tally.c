/* SPDX-License-Identifier: MIT */
#include "base/tally.h"

static int64_t read(const dbl_counter *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

static void read_histogram(const struct dbl_histogram *from, struct dblock_histogram *to)
{
	*to = (struct dblock_histogram){.sum_us = read(&from->sum)};
	for (unsigned i = 0; i < DBLOCK_HISTOGRAM_BUCKETS; i++) {
		to->buckets[i] = read(&from->buckets[i]);
		to->count += to->buckets[i];
	}
}

static void read_acquires(const struct dbl_tally *from, struct dblock_stats *to)
{
	to->acquired = read(&from->acquired);
	to->reentered = read(&from->reentered);
	to->busy = read(&from->busy);
	to->timed_out = read(&from->timed_out);
	to->canceled = read(&from->canceled);
	to->deadlocks = read(&from->deadlocks);
	to->late = read(&from->late);
	to->fenced = read(&from->fenced);
	to->failed = read(&from->failed);
	to->passed_in_memory = read(&from->passed_in_memory);
	to->woken_by_thread = read(&from->woken_by_thread);
	to->woken_by_datagram = read(&from->woken_by_datagram);
	to->woken_by_database = read(&from->woken_by_database);
	to->found_by_looking = read(&from->found_by_looking);
	to->idle_taken = read(&from->idle_taken);
}

static void read_holds(const struct dbl_tally *from, struct dblock_stats *to)
{
	to->released = read(&from->released);
	for (unsigned i = 0; i < DBLOCK_LOSS_CAUSES; i++)
		to->losses[i] = read(&from->losses[i]);
	read_histogram(&from->wait, &to->wait);
	read_histogram(&from->hold, &to->hold);
}

static void read_database(const struct dbl_tally *from, struct dblock_stats *to)
{
	to->statements = read(&from->statements);
	to->batches = read(&from->batches);
	to->batched = read(&from->batched);
	to->retries_conflict = read(&from->retries_conflict);
	to->retries_unavailable = read(&from->retries_unavailable);
	to->retries_readonly = read(&from->retries_readonly);
	to->retries_unsure = read(&from->retries_unsure);
	to->connects = read(&from->connects);
	to->connections_lost = read(&from->connections_lost);
	to->heartbeats = read(&from->heartbeats);
	to->heartbeats_failed = read(&from->heartbeats_failed);
	to->sessions = read(&from->sessions);
}

void dbl_tally_read(const struct dbl_tally *calls, const struct dbl_tally *connections,
		    struct dblock_stats *to)
{
	read_acquires(calls, to);
	read_holds(calls, to);
	read_database(connections, to);
}

static int64_t least_of(const struct dbl_trace *trace, enum dblock_phase phase)
{
	return phase == DBLOCK_PHASE_HOLD ? trace->long_hold : trace->slow_wait;
}

void dbl_trace_tell(const struct dbl_tally *tally, const struct dbl_env *env,
		    const struct dbl_span *span)
{
	int64_t now, until, wall;

	if (!dbl_trace_on(tally))
		return;
	now = dbl_now(env);
	until = span->until ? span->until : now;
	if (until - span->began < least_of(&tally->trace, span->phase))
		return;
	wall = dbl_wall(env) - (now - until);
	tally->trace.tell(tally->trace.arg,
			  &(struct dblock_span){.size = sizeof(struct dblock_span),
						.phase = span->phase,
						.outcome = span->outcome,
						.name = span->name,
						.token = span->token,
						.start_us = wall - (until - span->began),
						.end_us = wall});
}
