/* SPDX-License-Identifier: MIT */
#include "storm/schedule.h"

#include <stdlib.h>

#include "sim/random.h"
#include "storm/storm.h"

/* One restart in this time, in the middle of it; what is shorter gets one all the same. */
enum { RESTART_EACH_MS = 15000 };

const char *fault_name(enum fault_kind kind)
{
	static const char *const names[] = {
#define X(name, meaning) [FAULT_##name] = #name,
		FAULT_MAP(X)
#undef X
	};

	return names[kind];
}

static int by_time(const void *a, const void *b)
{
	const struct fault *x = a, *y = b;

	return x->at_ms < y->at_ms ? -1 : x->at_ms > y->at_ms;
}

static void add(struct fault *faults, int *n, const struct fault *f)
{
	if (*n < FAULTS_MAX)
		faults[(*n)++] = *f;
}

/* From a moment that nobody notices to twice what a session survives. */
static void add_stop(struct fault *faults, int *n, struct rng *rng, struct fault f)
{
	add(faults, n, &f);
	f.kind = FAULT_CONT;
	f.at_ms += rng_between(rng, TTL_MS / 4, 2 * TTL_MS);
	add(faults, n, &f);
}

int schedule_make(struct fault faults[FAULTS_MAX], uint64_t seed, int64_t length_ms, bool remote)
{
	struct rng rng = {.state = seed};
	struct fault f = {.at_ms = 300};
	int64_t step = length_ms < RESTART_EACH_MS ? length_ms : RESTART_EACH_MS;
	int n = 0;

	for (; f.at_ms < length_ms; f.at_ms += rng_between(&rng, 100, 600)) {
		int64_t choice = rng_between(&rng, 0, remote ? 9 : 6);

		f.slot = (int)rng_between(&rng, 0, SLOTS - 1);
		f.kind = choice < 4 ? FAULT_KILL : choice < 7 ? FAULT_STOP : FAULT_CUT;
		if (f.kind == FAULT_STOP)
			add_stop(faults, &n, &rng, f);
		else
			add(faults, &n, &f);
	}
	for (int64_t at = step / 2; remote && at < length_ms; at += step)
		add(faults, &n, &(struct fault){.at_ms = at, .kind = FAULT_RESTART});
	qsort(faults, (size_t)n, sizeof(*faults), by_time);
	return n;
}
