/* SPDX-License-Identifier: MIT */
#include "history/row_waits.h"

/* A call has at most so many waits in a row, besides those for processes that stood still. */
enum { WAITS_MAX = 2 };

static bool is_answer(const struct event *e, const struct call *c)
{
	enum event_kind kind = e->kind;

	if (e->client != c->client || e->wait != c->first->wait)
		return false;
	return kind == EVENT_QUEUED || kind == EVENT_GRANTED || kind == EVENT_DECLINED ||
	       kind == EVENT_RELEASED || kind == EVENT_UPGRADED || kind == EVENT_DOWNGRADED ||
	       kind == EVENT_FENCED || kind == EVENT_COMMITTED || kind == EVENT_BROKEN;
}

static bool touches(const struct span *span, int64_t from, int64_t to)
{
	return from <= span->to && to >= span->from;
}

static int64_t fence_ended(const struct call *c)
{
	if (c->committed)
		return c->committed->at;
	if (c->released)
		return c->released->at;
	return c->killed ? c->killed->at : NEVER;
}

static bool may_have_row(const struct story *s, int client, const struct span *span)
{
	for (size_t i = 0; i < s->n_troubles; i++) {
		const struct trouble *t = &s->troubles[i];

		if (t->client && t->client != client &&
		    (t->kind == EVENT_STOPPED || t->kind == EVENT_PARTED) &&
		    touches(span, t->from, t->to))
			return true;
	}
	for (size_t i = 0; i < s->n_calls; i++) {
		const struct call *c = &s->calls[i];

		if (c->fencing && touches(span, c->fencing->at, fence_ended(c)))
			return true;
	}
	return false;
}

/* Returns for how long another process stood still that may have had a row meanwhile. */
static int64_t stops_of_others(const struct story *s, int client, const struct span *span)
{
	int64_t sum = 0;

	for (size_t i = 0; i < s->n_troubles; i++) {
		const struct trouble *t = &s->troubles[i];

		if (t->client && t->client != client && t->kind == EVENT_STOPPED &&
		    touches(span, t->from, t->to))
			sum += (t->to < span->to ? t->to : span->to) -
			       (t->from > span->from ? t->from : span->from);
	}
	return sum;
}

/* Returns a silence that lasts as long as a statement waits, or a little less, for the clocks. */
static int64_t of_silence(const struct story *s, int client, int64_t from, int64_t to)
{
	int64_t wait = story_client(s, client)->row_wait;

	if (to - from < wait - wait / 10 || !may_have_row(s, client, &(struct span){from, to}))
		return 0;
	return to - from;
}

int64_t row_waits(const struct story *s, const struct call *c, const struct span *span)
{
	int client = c->client;
	int64_t wait = story_client(s, client)->row_wait, from = span->from, sum = 0, most;

	for (size_t i = 0; wait && i < s->history->n; i++) {
		const struct event *e = &s->history->events[i];

		if (e->at < span->from || e->at > span->to || !is_answer(e, c))
			continue;
		sum += of_silence(s, client, from, e->at);
		from = e->at;
	}
	if (wait)
		sum += of_silence(s, client, from, span->to);
	most = WAITS_MAX * wait + (wait ? stops_of_others(s, client, span) : 0);
	return sum < most ? sum : most;
}
