/* SPDX-License-Identifier: MIT */
#include "storm/quorum/faults.h"

#include "sim/random.h"
#include "storm/quorum/members.h"
#include "storm/storm.h"

const char *fault_of_member(enum member_fault kind)
{
	static const char *const names[] = {
		[MEMBER_KILL] = "member killed",      [MEMBER_START] = "member started",
		[MEMBER_STOP] = "member stopped",     [MEMBER_CONT] = "member continued",
		[MEMBER_COPY] = "member copied",      [MEMBER_RESTORE] = "member restored",
		[MEMBER_REPLACE] = "member replaced",
	};

	return names[kind];
}

static void add(struct blow *blows, int *n, int64_t at_ms, enum member_fault kind, int member)
{
	if (*n < BLOWS_MAX)
		blows[(*n)++] = (struct blow){at_ms, kind, member};
}

/* Mostly for so short a time that no session ends, or for far longer than one lives. */
static int64_t choose_length(struct rng *rng)
{
	return rng_one_in(rng, 3) ? rng_between(rng, TTL_MS, 3 * TTL_MS)
				  : rng_between(rng, 50, TTL_MS / 2);
}

/* One member goes, and comes back. */
static int64_t add_absence(struct blow *blows, int *n, struct rng *rng, int64_t at_ms, int i)
{
	int member = (int)rng_between(rng, 0, MEMBERS - 1);
	int64_t length = choose_length(rng);
	bool killed = i % 2;

	add(blows, n, at_ms, killed ? MEMBER_KILL : MEMBER_STOP, member);
	add(blows, n, at_ms + length, killed ? MEMBER_START : MEMBER_CONT, member);
	return at_ms + length;
}

int faults_make(struct blow blows[BLOWS_MAX], uint64_t seed, int64_t length_ms)
{
	struct rng rng = {.state = seed ^ 0x9e3779b9};
	bool restored = false;
	int64_t at = 500;
	int n = 0;

	add(blows, &n, at, MEMBER_COPY, RESTORED);
	for (int i = 0; at < length_ms || !restored; i++) {
		if (!restored && at > length_ms / 3) {
			add(blows, &n, at, MEMBER_RESTORE, RESTORED);
			at += rng_between(&rng, TTL_MS, 2 * TTL_MS);
			add(blows, &n, at, MEMBER_REPLACE, RESTORED);
			restored = true;
		} else {
			at = add_absence(blows, &n, &rng, at, i);
		}
		at += rng_between(&rng, 300, 1500);
	}
	return n;
}
