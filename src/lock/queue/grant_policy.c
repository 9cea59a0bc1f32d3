/* SPDX-License-Identifier: MIT */
#include "lock/queue/grant_policy.h"

#include <dblock/lock.h>

#include "base/assert.h"

/* What is held, or is going to be. */
struct held {
	unsigned shared, update, exclusive;
	int64_t permits, capacity;
	bool stored; /* the capacity is the lock's, and not the holders' */
};

static struct held held_none(const struct dbl_queue *queue)
{
	return (struct held){.stored = queue->stored, .capacity = queue->capacity};
}

static void hold(struct held *held, const struct dbl_row *row)
{
	if (row->mode == DBLOCK_SHARED)
		held->shared++;
	else if (row->mode == DBLOCK_UPDATE)
		held->update++;
	else if (row->mode == DBLOCK_PERMITS)
		held->permits += row->weight;
	else
		held->exclusive++;
	if (row->mode == DBLOCK_PERMITS && !held->stored)
		held->capacity = row->capacity;
}

static bool has_permits(const struct held *held, const struct dbl_row *row)
{
	if (held->stored)
		return held->permits <= held->capacity - row->weight;
	return (!held->permits || held->capacity == row->capacity) &&
	       held->permits <= row->capacity - row->weight;
}

static bool is_compatible(const struct held *held, const struct dbl_row *row)
{
	if (held->exclusive)
		return false;
	if (row->mode == DBLOCK_PERMITS)
		return !held->shared && !held->update && has_permits(held, row);
	if (held->permits)
		return false;
	if (row->mode == DBLOCK_SHARED)
		return true;
	return !held->update && (row->mode == DBLOCK_UPDATE || !held->shared);
}

/* All that will hold the lock, once the decision has been carried out, is compatible. */
static bool goes_together(const struct held *held)
{
	if (held->exclusive)
		return held->exclusive == 1 && !held->shared && !held->update && !held->permits;
	if (held->permits)
		return !held->shared && !held->update && held->permits <= held->capacity;
	return held->update <= 1;
}

/* An upgrade holds the lock in its place: its own client deletes it later. */
static bool is_replaced(const struct dbl_queue *queue, const struct dbl_row *row)
{
	for (unsigned i = 0; i < queue->n && dbl_row_holds(&queue->rows[i]); i++) {
		if (queue->rows[i].upgrades == row->nonce)
			return true;
	}
	return false;
}

/* The decision grants to waiting rows only, each once and in order, and the lock can be held so. An
 * upgrade takes the place of its own grant. */
static bool is_sound(const struct dbl_queue *queue, const struct dbl_decision *decision)
{
	struct held held = held_none(queue);

	if (decision->n > DBL_GRANTS_MAX ||
	    (decision->what == DBL_DECIDE_GRANT) != (decision->n > 0))
		return false;
	for (unsigned i = 0; i < decision->n; i++) {
		unsigned at = decision->grants[i];

		if (at >= queue->n || dbl_row_holds(&queue->rows[at]) ||
		    (i && at <= decision->grants[i - 1]))
			return false;
		hold(&held, &queue->rows[at]);
	}
	for (unsigned i = 0; i < queue->n && dbl_row_holds(&queue->rows[i]); i++) {
		if (decision->n &&
		    queue->rows[decision->grants[0]].upgrades != queue->rows[i].nonce &&
		    !is_replaced(queue, &queue->rows[i]))
			hold(&held, &queue->rows[i]);
	}
	return goes_together(&held);
}

/* ---- upgrades -------------------------------------------------------------------------------- */

bool dbl_queue_has(const struct dbl_queue *queue, int64_t nonce)
{
	unsigned n = dbl_queue_holders(queue);

	DBL_ASSERT(nonce != 0);
	for (unsigned i = 0; i < n; i++) {
		if (queue->rows[i].nonce == nonce)
			return true;
	}
	return false;
}

/* The row waits for others to let go of what its own grant holds in a weaker mode. */
static bool is_upgrade(const struct dbl_queue *queue, const struct dbl_row *row)
{
	return !dbl_row_holds(row) && row->upgrades && !row->session_dead &&
	       dbl_queue_has(queue, row->upgrades);
}

bool dbl_queue_other_upgrade(const struct dbl_queue *queue, int64_t ticket, int64_t upgrades)
{
	for (unsigned i = 0; i < queue->n; i++) {
		const struct dbl_row *row = &queue->rows[i];

		if (is_upgrade(queue, row) && row->ticket < ticket && row->upgrades != upgrades)
			return true;
	}
	return false;
}

/* Grants the first upgrade once its own grant is the only one. True: there is an upgrade. */
static bool decide_upgrade(const struct dbl_queue *queue, struct dbl_decision *decision)
{
	unsigned i = dbl_queue_holders(queue);

	while (i < queue->n && !is_upgrade(queue, &queue->rows[i]))
		i++;
	if (i == queue->n)
		return false;
	if (dbl_queue_holders(queue) > 1)
		return true;
	decision->what = DBL_DECIDE_GRANT;
	decision->grants[decision->n++] = i;
	decision->served = queue->served;
	decision->others = true;
	return true;
}

/* ---- the queue ------------------------------------------------------------------------------- */

/* As many permits as are asked for, or of that capacity, are not to be had any more: its client will tell
 * its caller so, and nobody waits behind it. A semaphore that is closed is waited for. */
static bool is_in_vain(const struct dbl_queue *queue, const struct dbl_row *row)
{
	if (row->mode != DBLOCK_PERMITS || !queue->stored || !queue->capacity)
		return false;
	return row->weight > queue->capacity || (row->capacity && row->capacity != queue->capacity);
}

bool dbl_queue_awaits(const struct dbl_queue *queue, const struct dbl_row *row)
{
	return !dbl_row_holds(row) && row->ticket > queue->served && !row->upgrades &&
	       !row->session_dead && row->session_found && !is_in_vain(queue, row);
}

static bool looks_alive(const struct dbl_row *row)
{
	return row->session_left == DBL_UNKNOWN || row->session_left > 0;
}

/* Waiters that look expired are passed over, unless all do. */
static bool any_looks_alive(const struct dbl_queue *queue)
{
	for (unsigned i = 0; i < queue->n; i++) {
		if (dbl_queue_awaits(queue, &queue->rows[i]) && looks_alive(&queue->rows[i]))
			return true;
	}
	return false;
}

/* The statement that hands the lock over knows no other order than that of the tickets. */
static bool is_to_be_handed(const struct dbl_queue *queue, const struct dbl_row *row)
{
	return row->mode == DBLOCK_EXCLUSIVE && row->names == 1 && !row->priority && !queue->ranked;
}

static void grant(struct dbl_decision *decision, const struct dbl_queue *queue, unsigned i)
{
	decision->what = DBL_DECIDE_GRANT;
	decision->grants[decision->n++] = i;
	decision->served = queue->ranked ? queue->served : queue->rows[i].ticket;
}

/* Those before row i are granted the lock, and nobody behind it is. */
static void reserve(struct dbl_decision *decision, unsigned i)
{
	decision->others = true;
	if (decision->n > 0)
		return;
	decision->what = DBL_DECIDE_NOTIFY;
	decision->grants[0] = i;
}

/* Nobody is passed over by that, also whose ticket was drawn before, and is seen only now. */
static void grant_any(struct dbl_decision *decision, const struct dbl_queue *queue, unsigned i)
{
	decision->what = DBL_DECIDE_ANY;
	decision->grants[0] = i;
	decision->served = queue->served;
}

static void decide_queue(const struct dbl_queue *queue, struct held *held,
			 struct dbl_decision *decision)
{
	bool choosy = any_looks_alive(queue);

	for (unsigned i = 0; i < queue->n; i++) {
		const struct dbl_row *row = &queue->rows[i];

		if (!dbl_queue_awaits(queue, row) || (choosy && !looks_alive(row)))
			continue;
		decision->others = !is_compatible(held, row) || decision->n == DBL_GRANTS_MAX;
		if (decision->others)
			return;
		if (is_to_be_handed(queue, row)) {
			decision->what = DBL_DECIDE_HAND_OVER;
			return;
		}
		if (row->names != 1) {
			reserve(decision, i);
			if (row->names < 0 && decision->n == 0)
				grant_any(decision, queue, i);
			return;
		}
		hold(held, row);
		grant(decision, queue, i);
	}
}

/* Does anybody still wait with a priority, once that has been done? */
static bool stays_ranked(const struct dbl_queue *queue, const struct dbl_decision *decision)
{
	for (unsigned i = 0; i < queue->n; i++) {
		const struct dbl_row *row = &queue->rows[i];

		if (row->priority && dbl_queue_awaits(queue, row) &&
		    !dbl_decision_grants(decision, queue, row->nonce))
			return true;
	}
	return false;
}

void dbl_policy_decide(const struct dbl_queue *queue, struct dbl_decision *decision)
{
	unsigned n = dbl_queue_holders(queue);
	struct held held = held_none(queue);

	*decision =
		(struct dbl_decision){.what = queue->found ? DBL_DECIDE_NOTHING : DBL_DECIDE_NAME};
	if (!queue->found || queue->held)
		return;
	for (unsigned i = 0; i < n; i++) {
		if (dbl_row_is_over(&queue->rows[i])) {
			decision->what = DBL_DECIDE_EXPEL;
			return;
		}
		hold(&held, &queue->rows[i]);
	}
	if (!decide_upgrade(queue, decision))
		decide_queue(queue, &held, decision);
	decision->ranked = stays_ranked(queue, decision);
	DBL_ASSERT(is_sound(queue, decision), "what %d, %u of %u", (int)decision->what, decision->n,
		   queue->n);
	DBL_ASSERT(decision->what != DBL_DECIDE_GRANT || decision->served >= queue->served,
		   "%lld, %lld", (long long)decision->served, (long long)queue->served);
}

void dbl_policy_first(const struct dbl_queue *queue, int64_t nonce, struct dbl_decision *decision)
{
	*decision = (struct dbl_decision){.others = false};
	for (unsigned i = 0; i < queue->n; i++) {
		if (queue->rows[i].nonce == nonce)
			grant(decision, queue, i);
		else if (dbl_queue_awaits(queue, &queue->rows[i]))
			decision->others = true;
	}
	decision->ranked = stays_ranked(queue, decision);
	DBL_ASSERT(decision->n <= 1, "%u", decision->n); /* a wait has one row in a queue */
}

bool dbl_decision_grants(const struct dbl_decision *decision, const struct dbl_queue *queue,
			 int64_t nonce)
{
	DBL_ASSERT(nonce != 0); /* the rest of a minimum hold has none */
	for (unsigned i = 0; i < decision->n; i++) {
		if (queue->rows[decision->grants[i]].nonce == nonce)
			return true;
	}
	return false;
}
