/* SPDX-License-Identifier: MIT */
/*
 * What parties of a barrier have seen, in the order in which they wrote it down, and whether that can be. Who has died
 * wrote nothing more; who was taken for dead ("lost") may have been one of those that were counted.
 */
#ifndef TESTS_DB_MEETING_H
#define TESTS_DB_MEETING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum what { COMES, IS_IN, WANTS_OUT, IS_OUT, WAS_TOLD, WAS_LOST };

/* A call is one party: it comes, is in (or hears why not), wants out, and is out (or hears why not). */
struct event {
	enum what what;
	int call;
	int64_t generation; /* of IS_IN and all that follows; else 0 */
};

enum { EVENTS_MAX = 200000, CALLS_MAX = 50000 };

struct meeting {
	atomic_int n;
	atomic_int calls;
	struct event event[EVENTS_MAX];
};

static inline void note(struct meeting *m, enum what what, int call, int64_t generation)
{
	int at = atomic_fetch_add(&m->n, 1);

	if (at < EVENTS_MAX)
		m->event[at] = (struct event){.what = what, .call = call, .generation = generation};
}

/* ---- what is known of a call at an event --------------------------------------------------------- */

/* The first event of that call which is one of those (bits) and behind `at`; NULL: none. */
static inline const struct event *next_of(const struct meeting *m, int n, int at, int call,
					  unsigned kinds)
{
	for (int i = at; i < n; i++)
		if (m->event[i].call == call && (kinds & 1U << m->event[i].what))
			return &m->event[i];
	return NULL;
}

#define ENDS_COMING (1U << IS_IN | 1U << WAS_TOLD | 1U << WAS_LOST)
#define ENDS_GOING  (1U << IS_OUT | 1U << WAS_TOLD | 1U << WAS_LOST)

/* How many parties can be among those of that generation which had come (or wanted out) before `at`: they had not ended
 * by then, and ended so, or were lost, or have died. */
static inline int possible(const struct meeting *m, int n, int at, int64_t generation,
			   enum what begun, enum what done)
{
	unsigned ends = begun == COMES ? ENDS_COMING : ENDS_GOING;
	int count = 0;

	for (int i = 0; i < at; i++) {
		const struct event *e = &m->event[i], *end;

		if (e->what != begun || (begun == WANTS_OUT && e->generation != generation))
			continue;
		end = next_of(m, n, i + 1, e->call, ends);
		if (end && end < &m->event[at])
			continue;
		count += !end || end->what == WAS_LOST ||
			 (end->what == done && end->generation == generation);
	}
	return count;
}

/* ---- the rules ----------------------------------------------------------------------------------- */

static inline int count_of(const struct meeting *m, int n, enum what what, int64_t generation)
{
	int count = 0;

	for (int i = 0; i < n; i++)
		count += m->event[i].what == what && m->event[i].generation == generation;
	return count;
}

static inline bool is_first(const struct meeting *m, int at)
{
	for (int i = 0; i < at; i++)
		if (m->event[i].what == m->event[at].what &&
		    m->event[i].generation == m->event[at].generation)
			return false;
	return true;
}

/* NULL: it can be; else the rule that says that it cannot. *at: the event. */
static inline const char *judge_meeting(const struct meeting *m, int parties, int *at)
{
	int n = m->n < EVENTS_MAX ? m->n : EVENTS_MAX;

	for (*at = 0; *at < n; ++*at) {
		const struct event *e = &m->event[*at];

		if (e->what == IS_IN && is_first(m, *at)) {
			if (count_of(m, n, IS_IN, e->generation) > parties)
				return "more parties are in than there are";
			if (possible(m, n, *at, e->generation, COMES, IS_IN) < parties)
				return "one is in before all have come";
		}
		if (e->what == IS_OUT && is_first(m, *at)) {
			if (possible(m, n, *at, e->generation, WANTS_OUT, IS_OUT) < parties)
				return "one is out before all wanted out";
			if (count_of(m, n, WAS_TOLD, e->generation))
				return "some are out, and others were told that it is broken";
		}
	}
	return NULL;
}

#endif
