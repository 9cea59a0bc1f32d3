/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "history/story_own.h"

/* By name, and then by time. */
static int by_first(const void *a, const void *b)
{
	const struct call *x = *(const struct call *const *)a, *y = *(const struct call *const *)b;
	int order = strcmp(x->first->name, y->first->name);

	return order ? order : x->first < y->first ? -1 : x->first > y->first;
}

static int by_grant(const void *a, const void *b)
{
	const struct call *x = *(const struct call *const *)a, *y = *(const struct call *const *)b;

	return x->granted < y->granted ? -1 : x->granted > y->granted;
}

/* The calls of one name, as they stand in the sorted list. */
static void tell_lock(struct lock_story *l, struct call **calls, size_t n)
{
	l->name = calls[0]->first->name;
	l->calls = story_array(n, sizeof(*l->calls));
	l->grants = story_array(n, sizeof(*l->grants));
	memcpy(l->calls, calls, n * sizeof(struct call *));
	l->n_calls = n;
	for (size_t i = 0; i < n; i++) {
		if (calls[i]->granted)
			l->grants[l->n_grants++] = calls[i];
	}
	qsort(l->grants, l->n_grants, sizeof(*l->grants), by_grant);
}

static bool is_about(const struct event *e, const struct lock_story *l)
{
	return e->kind == EVENT_PRESENTED && strcmp(e->name, l->name) == 0;
}

static void tell_presented(const struct history *h, struct lock_story *l)
{
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++)
		n += is_about(&h->events[i], l);
	l->presented = story_array(n, sizeof(*l->presented));
	for (size_t i = 0; i < h->n; i++) {
		if (is_about(&h->events[i], l))
			l->presented[l->n_presented++] = &h->events[i];
	}
}

void story_tell_locks(struct story *s)
{
	struct call **sorted = story_array(s->n_calls, sizeof(struct call *));
	size_t from = 0;

	for (size_t i = 0; i < s->n_calls; i++)
		sorted[i] = &s->calls[i];
	qsort(sorted, s->n_calls, sizeof(struct call *), by_first);
	s->locks = story_array(s->n_calls, sizeof(*s->locks));
	for (size_t i = 1; i <= s->n_calls; i++) {
		if (i < s->n_calls &&
		    strcmp(sorted[i]->first->name, sorted[from]->first->name) == 0)
			continue;
		tell_lock(&s->locks[s->n_locks], sorted + from, i - from);
		tell_presented(s->history, &s->locks[s->n_locks++]);
		from = i;
	}
	free(sorted);
}
