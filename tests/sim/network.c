/* SPDX-License-Identifier: MIT */
/* The way to the server and back, and all that can happen on it. Nothing arrives twice, as TCP
 * guarantees. */
#include "sim/network.h"

#include "sim/network_own.h"
#include "sim/schedule.h"

#define HELD_BACK_US INT64_C(5000000)

struct way *network_way(struct process *p, const struct server *s)
{
	return &p->ways[s - p->world->servers];
}

static struct way *way_of(const struct letter *l)
{
	return network_way(l->process, l->to);
}

static int64_t delay(struct world *w)
{
	if (rng_chance(&w->rng, w->faults.slow)) {
		COUNT(w, slow);
		return rng_between(&w->rng, 1000, 1000000);
	}
	return rng_between(&w->rng, 50, 600);
}

/* ---- the way back --------------------------------------------------------------------------- */

static void deliver(struct world *w, void *what, uint64_t answer)
{
	struct letter *l = what;
	struct coroutine *sender = l->sender;
	const struct way *way = way_of(l);

	if (sender && way->cut_until > w->now) {
		schedule_event(w, way->cut_until + delay(w), deliver, l, answer);
		return;
	}
	if (sender && sender->channel == l) {
		l->answer = way->cuts == l->cuts_then ? (enum letter_answer)answer : LETTER_CUT;
		schedule_wake_one(w, sender, sender->ticket);
	}
	letter_drop(l);
}

static void answer(struct world *w, struct letter *l, enum letter_answer with)
{
	const struct way *way = way_of(l);
	int64_t slow = way->slow_until > w->now ? way->slow_by : 0;

	l->users++;
	schedule_event(w, w->now + delay(w) + slow, deliver, l, with);
}

/* ---- the way there -------------------------------------------------------------------------- */

static bool is_reset(const struct letter *l)
{
	return l->op != LETTER_CONNECT && (l->start != l->to->network.starts ||
					   (l->in_transaction && l->to->network.owner != l->conn));
}

static void arrive(struct world *w, void *what, uint64_t number)
{
	struct letter *l = what;
	const struct network *network = &l->to->network;
	int64_t wait = 0;
	bool lost = network->down_until > w->now || is_reset(l);

	(void)number;
	if (!lost)
		wait = network->stalled_until > w->now
			       ? network->stalled_until - w->now + rng_between(&w->rng, 0, 2000)
			       : server_take(w, l);
	if (wait) {
		schedule_event(w, w->now + wait, arrive, l, 0);
		return;
	}
	w->on_the_way--;
	if (lost)
		answer(w, l, l->op == LETTER_CONNECT ? LETTER_REFUSED : LETTER_CUT);
	else if (!l->loses_reply)
		answer(w, l, LETTER_DONE);
	else if (l->cuts)
		answer(w, l, LETTER_CUT);
	letter_drop(l);
}

static void go(struct world *w, struct letter *l, int64_t at)
{
	l->users++;
	w->on_the_way++;
	schedule_event(w, at, arrive, l, 0);
}

/* The sender of the letter will not know the outcome: its connection is cut, or it hears nothing.
 */
static void leave_unsure(struct world *w, struct letter *l)
{
	if (rng_one_in(&w->rng, 2))
		answer(w, l, LETTER_CUT);
}

/* The network of the process is cut. The letter may arrive when it is back. */
static void send_into_cut(struct world *w, struct letter *l)
{
	if (rng_one_in(&w->rng, 2))
		go(w, l, way_of(l)->cut_until + delay(w));
}

static void send_well(struct world *w, struct letter *l)
{
	l->loses_reply = rng_chance(&w->rng, w->faults.lose_reply);
	l->cuts = rng_one_in(&w->rng, 2);
	if (l->loses_reply)
		COUNT(w, replies_lost);
	go(w, l, w->now + delay(w));
}

/* Returns about as long as a session lives, or a much longer time. */
static int64_t held_back(struct world *w)
{
	return rng_one_in(&w->rng, 2) ? rng_between(&w->rng, 20000, HELD_BACK_US / 4)
				      : rng_between(&w->rng, 20000, HELD_BACK_US);
}

static bool holds_back(struct world *w, const struct letter *l)
{
	enum { MANY = 10 };
	const struct faults *f = &w->faults;

	return !l->in_transaction &&
	       rng_chance(&w->rng, l->op == f->hold_op ? f->hold * MANY : f->hold);
}

void network_send(struct world *w, struct letter *l)
{
	struct faults *f = &w->faults;

	if (way_of(l)->cuts != l->cuts_then) {
		answer(w, l, rng_one_in(&w->rng, 2) ? LETTER_REFUSED : LETTER_CUT);
	} else if (way_of(l)->cut_until > w->now) {
		send_into_cut(w, l);
	} else if (l->process->deaf && l->op == DBL_OP_quorum_read) {
		COUNT(w, dropped);
	} else if (l->process->calm) {
		go(w, l, w->now + delay(w));
	} else if (rng_chance(&w->rng, f->refuse)) {
		COUNT(w, refused);
		answer(w, l, LETTER_REFUSED);
	} else if (rng_chance(&w->rng, f->drop)) {
		COUNT(w, dropped);
		leave_unsure(w, l);
	} else if (holds_back(w, l)) {
		COUNT(w, held_back);
		l->loses_reply = true;
		go(w, l, w->now + held_back(w));
		leave_unsure(w, l);
	} else {
		send_well(w, l);
	}
}
