/* SPDX-License-Identifier: MIT */
#include "storm/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "sim/random.h"
#include "storm/storm.h"

/* Each such time has one restart, in its middle; a shorter gust has one as well. */
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

/* Adds a fault that lasts: from a moment that nobody notices to far more than a session survives.
 */
static void add_with_end(struct fault *faults, int *n, struct rng *rng, struct fault f)
{
	add(faults, n, &f);
	f.at_ms += rng_between(rng, TTL_MS / 4, 3 * TTL_MS);
	if (f.kind == FAULT_STOP)
		f.kind = FAULT_CONT;
	else if (f.kind == FAULT_PART)
		f.kind = FAULT_JOIN;
	else
		return;
	add(faults, n, &f);
}

/* Draws each kind in its turn, so that none is left out, but in an order that changes. */
static enum fault_kind draw(struct rng *rng, int drawn, bool remote)
{
	static const enum fault_kind kinds[] = {FAULT_STOP, FAULT_KILL, FAULT_PART, FAULT_CUT};
	static enum fault_kind deck[4];
	int n = remote ? 4 : 2, at = drawn % n, other;
	enum fault_kind kind;

	if (at == 0)
		memcpy(deck, kinds, sizeof(deck));
	other = (int)rng_between(rng, at, n - 1);
	kind = deck[other];
	deck[other] = deck[at];
	return kind;
}

int schedule_make(struct fault faults[FAULTS_MAX], uint64_t seed, int64_t length_ms, bool remote)
{
	struct rng rng = {.state = seed};
	struct fault f = {.at_ms = 300};
	int64_t step = length_ms < RESTART_EACH_MS ? length_ms : RESTART_EACH_MS;
	int n = 0;

	for (int i = 0; f.at_ms < length_ms; i++) {
		f.slot = (int)rng_between(&rng, 0, SLOTS - 1);
		f.kind = draw(&rng, i, remote);
		add_with_end(faults, &n, &rng, f);
		f.at_ms += rng_between(&rng, 200, 800);
	}
	for (int64_t at = step / 2; remote && at < length_ms; at += step)
		add(faults, &n, &(struct fault){.at_ms = at, .kind = FAULT_RESTART});
	qsort(faults, (size_t)n, sizeof(*faults), by_time);
	return n;
}

struct habits schedule_habits(int client)
{
	return (struct habits){
		.posts = client % 2,
		.share_a_name = client / 2 % 2,
		.idle_ms = client % 3 ? 0 : 2 * TTL_MS,
	};
}
