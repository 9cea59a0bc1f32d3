/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "history/story_own.h"

/* Orders calls by name, and then by time. */
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

/* Tells a lock's story from its calls, as they stand in the sorted list. */
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

/* ---- stays and changes ----------------------------------------------------------------------- */

static int by_begin(const void *a, const void *b)
{
	const struct stay *x = *(const struct stay *const *)a, *y = *(const struct stay *const *)b;

	return x->begins < y->begins ? -1 : x->begins > y->begins;
}

static int by_change(const void *a, const void *b)
{
	const struct change *x = *(const struct change *const *)a,
			    *y = *(const struct change *const *)b;

	return x->began < y->began ? -1 : x->began > y->began;
}

static void tell_stays(const struct story *s, struct lock_story *l)
{
	l->stays = story_array(s->n_stays, sizeof(*l->stays));
	for (size_t i = 0; i < s->n_stays; i++) {
		if (strcmp(s->stays[i].call->first->name, l->name) == 0)
			l->stays[l->n_stays++] = &s->stays[i];
	}
	qsort(l->stays, l->n_stays, sizeof(*l->stays), by_begin);
	l->changes = story_array(s->n_changes, sizeof(*l->changes));
	for (size_t i = 0; i < s->n_changes; i++) {
		if (strcmp(s->changes[i].call->first->name, l->name) == 0)
			l->changes[l->n_changes++] = &s->changes[i];
	}
	qsort(l->changes, l->n_changes, sizeof(*l->changes), by_change);
}

static int by_token(const void *a, const void *b)
{
	const struct stay *x = *(const struct stay *const *)a, *y = *(const struct stay *const *)b;

	if (x->token != y->token)
		return x->token < y->token ? -1 : 1;
	return by_begin(a, b);
}

/* If one thread has been given one token twice, it has entered again what it held. */
static void tell_entered(struct lock_story *l)
{
	struct stay **sorted = story_array(l->n_stays, sizeof(*sorted));
	const struct stay *first = NULL;

	memcpy(sorted, l->stays, l->n_stays * sizeof(*sorted));
	qsort(sorted, l->n_stays, sizeof(*sorted), by_token);
	for (size_t i = 0; i < l->n_stays; i++) {
		const struct stay *stay = sorted[i];

		if (!first || stay->token != first->token)
			first = stay;
		else if (stay->call != first->call && stay->call->client == first->call->client &&
			 stay->call->thread == first->call->thread)
			sorted[i]->call->enters = first->call;
	}
	free(sorted);
}

static bool is_about(const struct event *e, const struct lock_story *l)
{
	return e->kind == EVENT_PRESENTED && strcmp(e->name, l->name) == 0;
}

static void tell_presented(const struct history *h, struct lock_story *l)
{
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++) {
		n += is_about(&h->events[i], l);
		l->resized = l->resized || (h->events[i].kind == EVENT_RESIZING &&
					    strcmp(h->events[i].name, l->name) == 0);
	}
	l->presented = story_array(n, sizeof(*l->presented));
	for (size_t i = 0; i < h->n; i++) {
		if (is_about(&h->events[i], l))
			l->presented[l->n_presented++] = &h->events[i];
	}
}

/* A thread has one under way at a time. */
static void tell_aged(struct lock_story *l, const struct event *e)
{
	for (size_t i = l->n_ageings; i-- > 0;) {
		struct ageing *ageing = &l->ageings[i];

		if (ageing->began->client == e->client && ageing->began->thread == e->thread) {
			ageing->ended = e;
			return;
		}
	}
}

static void tell_ageings(const struct history *h, struct lock_story *l)
{
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++)
		n += h->events[i].kind == EVENT_AGEING && strcmp(h->events[i].name, l->name) == 0;
	l->ageings = story_array(n, sizeof(*l->ageings));
	for (size_t i = 0; i < h->n && n > 0; i++) {
		const struct event *e = &h->events[i];

		if (strcmp(e->name, l->name) != 0)
			continue;
		if (e->kind == EVENT_AGEING)
			l->ageings[l->n_ageings++].began = e;
		else if (e->kind == EVENT_AGED)
			tell_aged(l, e);
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
		tell_stays(s, &s->locks[s->n_locks]);
		tell_entered(&s->locks[s->n_locks]);
		tell_ageings(s->history, &s->locks[s->n_locks]);
		tell_presented(s->history, &s->locks[s->n_locks++]);
		from = i;
	}
	free(sorted);
}

void story_free_locks(struct story *s)
{
	for (size_t i = 0; i < s->n_locks; i++) {
		free(s->locks[i].calls);
		free(s->locks[i].grants);
		free(s->locks[i].stays);
		free(s->locks[i].changes);
		free(s->locks[i].presented);
		free(s->locks[i].ageings);
	}
	free(s->locks);
}
