/* SPDX-License-Identifier: MIT */
#include "history/rank.h"

#include <dblock/lock.h>

/* us: of two ranks that differ by less nobody knows which comes first */
#define APART 1000000

/* us: who hands a lock on in memory has heard by then that others wait */
#define HEARS_WITHIN 200000

/* (An upgrade goes before the queue.) */
int64_t rank_lead(const struct event *waits, const struct event *comes)
{
	int64_t steps;

	if (!waits || !comes || waits->kind != EVENT_CALLED || comes->priority == waits->priority)
		return 0;
	steps = comes->priority - waits->priority;
	return steps * DBLOCK_PRIORITY_AGE_MS * 1000 + APART;
}

/* Returns by how much more a wait that had joined by then has certainly been aged than a call that came: what was
 * done afterwards to the call was done to the wait as well. */
static int64_t aged_more(const struct lock_story *l, int64_t joined, int64_t came)
{
	int64_t sum = 0;

	for (size_t i = 0; i < l->n_ageings; i++) {
		const struct ageing *a = &l->ageings[i];
		bool before_it_came = a->ended && a->ended->outcome == 0 && a->ended->at < came;

		if (a->began->at > joined && before_it_came)
			sum += a->began->lease;
		else if (a->began->at <= joined && !before_it_came)
			sum -= a->began->lease;
	}
	return sum;
}

/* Returns when that grant was decided, at the earliest: not before it was asked for, nor while the holder before
 * certainly had the lock, and kept this one out. */
static int64_t granted_since(const struct lock_story *l, size_t i)
{
	const struct call *c = l->grants[i], *before = i ? l->grants[i - 1] : NULL;
	int64_t asked = c->first->at, free;

	if (!before || before->changes || before->granted->token > c->granted->token ||
	    modes_agree(before->granted->mode, c->granted->mode))
		return asked;
	free = call_relied_until(before);
	return free > asked ? free : asked;
}

/* A higher class goes before those who came earlier, but not before what had been decided by then. */
int64_t rank_settled(const struct lock_story *l, size_t i, const struct event *waits)
{
	if (rank_lead(waits, l->grants[i]->called) < 0)
		return granted_since(l, i);
	return l->grants[i]->first->at;
}

/* (Within a class nothing but the tickets counts.) */
bool rank_is_passed(const struct story *s, const struct lock_story *l, size_t i,
		    const struct event *waits, int64_t joined)
{
	int64_t lead = rank_lead(waits, l->grants[i]->called), came = l->grants[i]->first->at;

	if (joined >= NEVER || came - joined + (lead ? aged_more(l, joined, came) : 0) <= lead)
		return false;
	return lead >= 0 || story_after(s, joined, HEARS_WITHIN) < rank_settled(l, i, waits);
}
