/* SPDX-License-Identifier: MIT */
#include "storm/tally.h"

#include "history/story.h"
#include "support/kit.h"

enum { MODES = DBLOCK_PERMITS + 1 };

struct tally {
	int calls[MODES], grants[MODES], entered;
	int grouped, groups; /* names asked for in groups; those granted */
	int upgrades, deadlocks, upgrades_ended, downgrades, downgrades_failed;
	int readers, permits;             /* the most that were held together */
	int fences, commits, stale, kept; /* kept: releases that were refused in the middle */
	int turns;                        /* grants passed on within a client */
	int prioritised;                  /* granted with a priority */
	int breaks, broken;               /* breaks without force; grants given up for them */
};

int tally_count(const struct history *h, enum event_kind kind, int outcome)
{
	int n = 0;

	for (size_t i = 0; i < h->n; i++)
		n += h->events[i].kind == kind && h->events[i].outcome == outcome;
	return n;
}

static void count_calls(struct tally *t, const struct story *s)
{
	for (size_t i = 0; i < s->n_calls; i++) {
		const struct call *c = &s->calls[i];

		if (c->called)
			t->calls[call_mode(c)]++;
		if (c->granted && !c->enters)
			t->grants[call_mode(c)]++;
		t->entered += c->enters != NULL;
		t->prioritised += c->called && c->called->priority && c->granted;
		t->grouped += c->called && c->called->group;
		t->groups += c->called && c->called->group && c->granted;
		if (!c->breaking || c->breaking->kind == EVENT_FORCING)
			continue;
		t->breaks++;
		t->broken += c->broken && c->broken->outcome == DBLOCK_OK;
	}
}

static void count_fences(struct tally *t, const struct history *h)
{
	for (size_t i = 0; i < h->n; i++) {
		const struct event *e = &h->events[i];

		t->fences += e->kind == EVENT_FENCED;
		t->stale += e->kind == EVENT_FENCED && e->outcome == DBLOCK_STALE;
		t->commits += e->kind == EVENT_COMMITTED && e->outcome == DBLOCK_OK;
		t->kept += e->kind == EVENT_RELEASED && e->outcome == DBLOCK_FENCED;
	}
}

/* A turn's token is the next one; the token of a new grant hardly ever is. */
static void count_turns(struct tally *t, const struct lock_story *l)
{
	for (size_t i = 1; i < l->n_grants; i++) {
		const struct event *before = l->grants[i - 1]->granted, *e = l->grants[i]->granted;

		t->turns += e->client == before->client && e->token == before->token + 1;
	}
}

static void count_changes(struct tally *t, const struct story *s)
{
	for (size_t i = 0; i < s->n_changes; i++) {
		const struct change *change = &s->changes[i];
		int outcome = change->ended ? change->ended->outcome : -1;

		if (change->began->kind == EVENT_DOWNGRADING) {
			t->downgrades += outcome == DBLOCK_OK;
			t->downgrades_failed += outcome != DBLOCK_OK;
			continue;
		}
		t->upgrades += outcome == DBLOCK_OK;
		t->deadlocks += outcome == DBLOCK_DEADLOCK;
		t->upgrades_ended += outcome == DBLOCK_TIMEOUT || outcome == DBLOCK_CANCELED;
	}
}

/* Returns how many have the lock in that mode when this stay begins. */
static int together(const struct lock_story *l, size_t i)
{
	int n = 0;

	for (size_t j = 0; j <= i; j++)
		n += l->stays[j]->mode == l->stays[i]->mode &&
		     l->stays[j]->until > l->stays[i]->begins->at;
	return n;
}

static void count_together(struct tally *t, const struct lock_story *l)
{
	for (size_t i = 0; i < l->n_stays; i++) {
		int mode = l->stays[i]->mode, n = together(l, i);

		if (mode == DBLOCK_SHARED && n > t->readers)
			t->readers = n;
		if (mode == DBLOCK_PERMITS && n > t->permits)
			t->permits = n;
	}
}

static int lacks(int64_t n, int64_t least, const char *what)
{
	if (n < least)
		printf("storm: too few: %s\n", what);
	return n < least;
}

static int find_lacking(const struct tally *t, const struct history *h)
{
	int n = lacks(tally_count(h, EVENT_GRANTED, DBLOCK_OK), 100, "grants");

	for (int mode = 0; mode < MODES; mode++)
		n += lacks(t->grants[mode], 1, event_mode_name(mode));
	n += lacks(tally_count(h, EVENT_DECLINED, DBLOCK_TIMEOUT), 1, "timeouts");
	n += lacks(tally_count(h, EVENT_DECLINED, DBLOCK_CANCELED), 1, "cancels");
	n += lacks(t->entered, 1, "entered again");
	n += lacks(t->groups, 1, "names in groups");
	n += lacks(t->upgrades, 1, "upgrades");
	n += lacks(t->downgrades, 1, "downgrades");
	n += lacks(t->readers, 2, "readers together");
	n += lacks(t->permits, 2, "permits together");
	n += lacks(t->commits, 1, "fenced commits");
	n += lacks(t->kept, 1, "releases refused in the middle");
	n += lacks(t->prioritised, 1, "grants with a priority");
	n += lacks(tally_count(h, EVENT_AGED, DBLOCK_OK), 1, "queues that were aged");
	n += lacks(t->broken, 1, "breaks that were waited for");
	n += lacks(tally_count(h, EVENT_TAKEN, DBLOCK_OK), 10, "takes of a rate");
	return n + lacks(t->turns, 1, "turns within a client");
}

static void print(const struct tally *t, const struct history *h)
{
	for (int mode = 0; mode < MODES; mode++)
		printf("storm: %s: %d calls, %d grants\n", event_mode_name(mode), t->calls[mode],
		       t->grants[mode]);
	printf("storm: %d entered again; at most %d readers, %d with permits at once\n", t->entered,
	       t->readers, t->permits);
	printf("storm: %d of %d names in groups granted\n", t->groups, t->grouped);
	printf("storm: %d upgrades, %d deadlocks, %d out of time or canceled; %d downgrades, %d "
	       "failed\n",
	       t->upgrades, t->deadlocks, t->upgrades_ended, t->downgrades, t->downgrades_failed);
	printf("storm: %d fences, %d stale, %d committed; %d releases refused meanwhile\n",
	       t->fences, t->stale, t->commits, t->kept);
	printf("storm: %d takes of a rate\n", tally_count(h, EVENT_TAKEN, DBLOCK_OK));
	printf("storm: %d turns within a client\n", t->turns);
	printf("storm: %d granted with a priority; %d queues aged\n", t->prioritised,
	       tally_count(h, EVENT_AGED, DBLOCK_OK));
	printf("storm: %d breaks that told, %d done\n", t->breaks, t->broken);
}

int tally(const struct history *h)
{
	struct tally t = {.entered = 0};
	struct story s;
	int n;

	story_tell(&s, h);
	count_calls(&t, &s);
	count_changes(&t, &s);
	count_fences(&t, h);
	for (size_t i = 0; i < s.n_locks; i++) {
		count_together(&t, &s.locks[i]);
		count_turns(&t, &s.locks[i]);
	}
	story_free(&s);
	print(&t, h);
	n = find_lacking(&t, h);
	fflush(stdout);
	return n;
}
