/* SPDX-License-Identifier: MIT */
/*
 * First come, first served. Tokens tell who was granted the lock, clocks tell who was waiting. Two
 * who come at once may be seen in another order than their tickets; but a call that was in the
 * queue before another one even asked is older than it, and is granted the lock first. Where their priorities
 * differ their ranks tell that, not their tickets (rank.h).
 */
#include <stdlib.h>

#include <dblock/lock.h>

#include "history/rank.h"
#include "history/rules.h"

/* us: a call that is granted the lock learns of it by then */
#define LEARNS_WITHIN 1500000

/* Joining the queue waits for no disk, so a crash so soon afterwards forgets the place:
 * PostgreSQL's background writer needs up to three of its rounds, of 200 ms. */
#define FORGETS_WITHIN 1000000

/* A call was granted the lock while an older one waited. */
struct passing {
	const struct call *granted, *waiter;
};

/* The grants of one lock in their order, and the calls that wait in the queue meanwhile. */
struct queue {
	const struct story *story;
	const struct lock_story *lock;
	const struct call **waiting;
	size_t n_waiting;
	struct passing *passings;
	size_t n_passings, room;
};

/* Returns the call's ticket, which it learns when it joins the queue, or only when it is granted.
 */
static int64_t ticket_of(const struct call *c)
{
	if (c->queued)
		return c->queued->ticket;
	return c->granted ? c->granted->ticket : TICKET_UNKNOWN;
}

/* Returns INT64_MAX if nobody has written that down. */
static int64_t in_queue_since(const struct call *c)
{
	return c->queued ? c->queued->at : INT64_MAX;
}

/* A crash of the server may have forgotten the waiter's place. */
static bool is_forgotten(const struct story *s, const struct call *waiter,
			 const struct trouble *down, int64_t until)
{
	int64_t since = in_queue_since(waiter);

	return down->from < until && down->to > since &&
	       down->from < story_after(s, since, FORGETS_WITHIN);
}

/* The waiter's place ends with its session. */
static bool has_lost_its_place(const struct call *waiter, const struct trouble *renewed,
			       int64_t until)
{
	return renewed->client == waiter->client && renewed->from < until &&
	       renewed->to > in_queue_since(waiter);
}

/* Tells whether the waiter was cut off for so long that its session may have been over, and its
 * place with it; or that it may have been granted the lock with a lease that is over. */
static bool may_be_dead(const struct story *s, const struct call *waiter, int64_t until)
{
	const struct client_story *client = story_client(s, waiter->client);
	int64_t lease = waiter->called ? waiter->called->lease : 0;
	int64_t life = lease && lease < client->ttl ? lease : client->ttl;

	for (size_t i = 0; i < s->n_troubles; i++) {
		const struct trouble *t = &s->troubles[i];
		int64_t to = t->to < until ? t->to : until;

		if ((t->client == waiter->client || t->client == 0) &&
		    to > in_queue_since(waiter) && to - t->from > life / 2)
			return true;
		if (t->kind == EVENT_RENEWED && has_lost_its_place(waiter, t, until))
			return true;
		if (t->kind == EVENT_DOWN && is_forgotten(s, waiter, t, until))
			return true;
	}
	return false;
}

/* Tells whether the waiter's ticket is older. A call that never waited in the queue has none, and
 * is younger than all who waited when it came. A higher class does not need that. */
static bool is_older(const struct call *waiter, const struct call *granted)
{
	int64_t ticket = ticket_of(granted);

	if (rank_lead(waiter->called, granted->called) < 0)
		return true;
	return ticket == TICKET_NONE || ticket_of(waiter) < ticket;
}

static bool can_be_together(const struct call *waiter, const struct call *granted)
{
	const struct event *a = waiter->called, *b = granted->granted;

	if (!a || !modes_agree(a->mode, b->mode))
		return false;
	return a->mode != DBLOCK_PERMITS || a->weight + b->weight <= a->capacity;
}

/* The waiter may have been granted the lock first, hold it together with the other one, and not
 * know it: it was in trouble, or gave up, or was killed, before it could learn of it. */
static bool may_have_it(const struct story *s, const struct call *waiter,
			const struct call *granted)
{
	int64_t learns = story_after(s, granted->granted->at, LEARNS_WITHIN);
	int64_t left = call_left(waiter);

	if (!can_be_together(waiter, granted))
		return false;
	for (size_t i = 0; i < s->n_troubles; i++) {
		const struct trouble *t = &s->troubles[i];

		if ((t->client == waiter->client || t->client == 0) &&
		    t->to > in_queue_since(waiter) && t->from < learns)
			return true;
	}
	return left < learns && !(waiter->granted && left == waiter->granted->at);
}

/* The database may have granted the lock to the waiter first: then it has the smaller token, and
 * only its message was slow. The real outcome of a call that failed is not known. */
static bool is_passed(const struct queue *queue, const struct call *waiter, size_t grant)
{
	const struct call *granted = queue->lock->grants[grant];
	int64_t at = granted->granted->at;

	if (!rank_is_passed(queue->story, queue->lock, grant, waiter->called,
			    in_queue_since(waiter)))
		return false;
	if (waiter->granted && waiter->granted->token < granted->granted->token)
		return false;
	if (waiter->declined && waiter->declined->outcome < 0)
		return false;
	return is_older(waiter, granted) && !may_be_dead(queue->story, waiter, at) &&
	       !waiter_may_be_broken(queue->lock, in_queue_since(waiter), at) &&
	       !may_have_it(queue->story, waiter, granted);
}

static void note_passing(struct queue *queue, const struct call *granted, const struct call *waiter)
{
	if (queue->n_passings == queue->room) {
		queue->room = queue->room ? 2 * queue->room : 64;
		queue->passings = realloc(queue->passings, queue->room * sizeof(*queue->passings));
		if (!queue->passings)
			abort();
	}
	queue->passings[queue->n_passings++] = (struct passing){granted, waiter};
}

/* Calls that came before this grant join; calls that had left before it go. */
static void move_on(struct queue *queue, const struct lock_story *l, size_t *next, int64_t at)
{
	size_t kept = 0;

	for (; *next < l->n_calls && l->calls[*next]->first->at < at; ++*next) {
		if (ticket_of(l->calls[*next]) > TICKET_UNKNOWN)
			queue->waiting[queue->n_waiting++] = l->calls[*next];
	}
	for (size_t i = 0; i < queue->n_waiting; i++) {
		if (call_left(queue->waiting[i]) > at)
			queue->waiting[kept++] = queue->waiting[i];
	}
	queue->n_waiting = kept;
}

static void queue_read(struct queue *queue, const struct story *s, const struct lock_story *l)
{
	size_t next = 0;

	*queue = (struct queue){
		.story = s, .lock = l, .waiting = calloc(l->n_calls + 1, sizeof(struct call *))};
	for (size_t i = 0; i < l->n_grants; i++) {
		move_on(queue, l, &next, l->grants[i]->granted->at);
		for (size_t j = 0; j < queue->n_waiting; j++) {
			/* A re-entry passes nobody. */
			if (!l->grants[i]->enters && is_passed(queue, queue->waiting[j], i))
				note_passing(queue, l->grants[i], queue->waiting[j]);
		}
	}
}

static void queue_free(struct queue *queue)
{
	free(queue->waiting);
	free(queue->passings);
}

void rule_order(const struct story *s, struct findings *f)
{
	struct queue queue;

	for (size_t i = 0; i < s->n_locks; i++) {
		if (s->locks[i].resized)
			continue;
		queue_read(&queue, s, &s->locks[i]);
		for (size_t j = 0; j < queue.n_passings; j++) {
			const struct passing *p = &queue.passings[j];

			found(f, PROOF(p->waiter->first, p->granted->queued, p->granted->granted),
			      "%s: client %d.%d is granted, and client %d.%d waits with ticket "
			      "%lld",
			      s->locks[i].name, p->granted->client, p->granted->thread,
			      p->waiter->client, p->waiter->thread,
			      (long long)ticket_of(p->waiter));
		}
		queue_free(&queue);
	}
}

/* ---- twice ----------------------------------------------------------------------------------- */

/* Returns the last earlier time at which the same thread passed the same waiter. */
static const struct passing *passing_before(const struct queue *queue, size_t n)
{
	const struct passing *p = &queue->passings[n];

	while (n-- > 0) {
		const struct passing *q = &queue->passings[n];

		if (q->waiter == p->waiter && q->granted->client == p->granted->client &&
		    q->granted->thread == p->granted->thread)
			return q;
	}
	return NULL;
}

void rule_twice(const struct story *s, struct findings *f)
{
	struct queue queue;

	for (size_t i = 0; i < s->n_locks; i++) {
		if (s->locks[i].resized)
			continue;
		queue_read(&queue, s, &s->locks[i]);
		for (size_t j = 0; j < queue.n_passings; j++) {
			const struct passing *p = &queue.passings[j],
					     *q = passing_before(&queue, j);

			if (q)
				found(f,
				      PROOF(p->waiter->first, q->granted->granted,
					    p->granted->granted),
				      "%s: client %d.%d is granted again, and client %d.%d still "
				      "waits with ticket %lld",
				      s->locks[i].name, p->granted->client, p->granted->thread,
				      p->waiter->client, p->waiter->thread,
				      (long long)ticket_of(p->waiter));
		}
		queue_free(&queue);
	}
}
