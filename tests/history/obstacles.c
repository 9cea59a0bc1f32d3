/* SPDX-License-Identifier: MIT */
#include "history/obstacles.h"

#include <stdlib.h>

#include <dblock/lock.h>

static int64_t hold_end(const struct call *c)
{
	if (c->released)
		return c->released->at;
	return c->killed ? c->killed->at : NEVER;
}

/* Returns when nobody wants the lock by this call, or has it, any more. */
static int64_t call_is_over(const struct call *c)
{
	if (c->granted)
		return hold_end(c);
	if (c->killed)
		return c->killed->at;
	return call_ended(c);
}

static bool is_of_group(const struct call *c)
{
	return c->called && c->called->group;
}

/* ---- holds ----------------------------------------------------------------------------------- */

static int by_from(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

static void join(struct obstacles *o)
{
	size_t n = 0;

	qsort(o->spans, o->n, sizeof(*o->spans), by_from);
	for (size_t i = 0; i < o->n; i++) {
		struct span *last = n ? &o->spans[n - 1] : NULL;

		if (!last || o->spans[i].from > last->to)
			o->spans[n++] = o->spans[i];
		else if (o->spans[i].to > last->to)
			last->to = o->spans[i].to;
	}
	o->n = n;
}

void obstacles_of_holds(struct obstacles *o, const struct lock_story *l)
{
	*o = (struct obstacles){.spans = calloc(l->n_calls + 1, sizeof(*o->spans))};
	for (size_t i = 0; i < l->n_calls; i++) {
		const struct call *c = l->calls[i];

		if (is_of_group(c))
			o->spans[o->n++] = (struct span){c->called->at, call_is_over(c)};
		else if (c->granted)
			o->spans[o->n++] = (struct span){c->granted->at, hold_end(c)};
	}
	join(o);
}

/* ---- crowds ---------------------------------------------------------------------------------- */

/* From `at` on, `count` more (or, if negative, fewer) hold the lock or want it in this way. */
struct step {
	int64_t at, count, mode, weight, capacity;
};

struct crowd {
	struct step *steps;
	size_t n;
	int64_t modes[DBLOCK_PERMITS + 1], permits, capacity;
};

static void stands(struct crowd *crowd, int64_t from, int64_t to, int mode, const struct event *e)
{
	if (from >= to)
		return;
	crowd->steps[crowd->n++] = (struct step){from, 1, mode, e->weight, e->capacity};
	crowd->steps[crowd->n++] = (struct step){to, -1, mode, -e->weight, e->capacity};
}

/* A call counts with what it asked for, until it asks for more, or has less. */
static void stand(struct crowd *crowd, const struct lock_story *l, const struct call *c)
{
	int64_t from = c->first->at, over = call_is_over(c);
	int mode = call_mode(c), before;

	/* A group may wait for another name, and all behind the group wait as well. */
	if (is_of_group(c)) {
		stands(crowd, from, call_ended(c) < over ? call_ended(c) : over, DBLOCK_EXCLUSIVE,
		       c->first);
		from = call_ended(c);
	}

	for (size_t i = 0; i < l->n_changes; i++) {
		const struct change *change = l->changes[i];
		bool up = change->began->kind == EVENT_UPGRADING;
		int64_t ended = change->ended ? change->ended->at : over;

		if (change->call != c)
			continue;
		before = mode;
		stands(crowd, from, up ? change->began->at : ended, mode, c->first);
		from = up ? change->began->at : ended;
		mode = up ? DBLOCK_EXCLUSIVE : change->began->mode;
		if (up && change->ended && change->ended->outcome) {
			stands(crowd, from, ended, mode, c->first);
			from = ended;
		}
		if (change->ended && change->ended->outcome)
			mode = before;
	}
	stands(crowd, from, over, mode, c->first);
}

static int by_step(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->count > y->count ? -1 : x->count < y->count;
}

static bool agrees(const struct crowd *crowd)
{
	const int64_t *n = crowd->modes;

	if (n[DBLOCK_PERMITS])
		return !n[DBLOCK_EXCLUSIVE] && !n[DBLOCK_SHARED] && !n[DBLOCK_UPDATE] &&
		       crowd->permits <= crowd->capacity;
	return !n[DBLOCK_EXCLUSIVE] && n[DBLOCK_UPDATE] <= 1;
}

static void count_in(struct crowd *crowd, const struct step *step)
{
	/* Of two capacities the smaller counts: it may be too little, but then nothing is proven.
	 */
	if (step->mode == DBLOCK_PERMITS && (!crowd->capacity || step->capacity < crowd->capacity))
		crowd->capacity = step->capacity;
	crowd->modes[step->mode] += step->count;
	crowd->permits += step->weight;
}

void obstacles_of_crowds(struct obstacles *o, const struct lock_story *l)
{
	struct crowd crowd = {
		.steps = calloc(4 * l->n_calls + 4 * l->n_changes + 1, sizeof(*crowd.steps))};
	bool agreed = true;

	for (size_t i = 0; i < l->n_calls; i++) {
		if (!l->calls[i]->enters)
			stand(&crowd, l, l->calls[i]);
	}
	qsort(crowd.steps, crowd.n, sizeof(*crowd.steps), by_step);
	*o = (struct obstacles){.spans = calloc(crowd.n + 1, sizeof(*o->spans))};
	for (size_t i = 0; i < crowd.n; i++) {
		count_in(&crowd, &crowd.steps[i]);
		if (agreed && !agrees(&crowd))
			o->spans[o->n++] = (struct span){crowd.steps[i].at, NEVER};
		else if (!agreed && agrees(&crowd))
			o->spans[o->n - 1].to = crowd.steps[i].at;
		agreed = agrees(&crowd);
	}
	free(crowd.steps);
}

/* ---- both ------------------------------------------------------------------------------------ */

void obstacles_free(struct obstacles *o)
{
	free(o->spans);
}

size_t obstacle_after(const struct obstacles *o, int64_t at)
{
	size_t low = 0, high = o->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (o->spans[middle].to > at)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}
