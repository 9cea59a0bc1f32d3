/* SPDX-License-Identifier: MIT */
#include "lock/recipes/barrier_own.h"

#include <inttypes.h>
#include <stdio.h>

#include "lock/core/cancel.h"
#include "lock/core/retry.h"
#include "lock/core/value.h"
#include "lock/handle/loss.h"
#include "lock/queue/advance.h"

/* How often a party looks by itself: each, and the first two that are there, who see to it that all are told if one
 * dies. (Two, as the first may be the one.) */
#define LOOK_US       1000000
#define LOOK_OFTEN_US 100000
#define WATCHERS      2

#define NOWHERE       (-1) /* it has not arrived in any generation */

struct sight {
	bool found;
	int64_t generation, passed, present, arrived, dead;
	char why[DBL_COUNTDOWN_WHY_MAX + 1];
};

/* ---- what is there ---------------------------------------------------------------------------- */

static int take_sight(void *ctx, const struct dbl_value *row)
{
	enum { GENERATION, PASSED, WHY, PRESENT, ARRIVED, DEAD };
	struct sight *s = ctx;

	*s = (struct sight){.found = true,
			    .generation = row[GENERATION].i,
			    .passed = row[PASSED].i,
			    .present = row[PRESENT].i,
			    .arrived = row[ARRIVED].i,
			    .dead = row[DEAD].i};
	dbl_copy_text(s->why, sizeof(s->why), &row[WHY]);
	return 0;
}

/* At the row, and how many have arrived in the party's generation. */
static int look(const struct dbl_barrier_wait *w, struct sight *s, struct dblock_error *err)
{
	char pattern[32];
	struct dbl_value args[] = {dbl_text(w->b->name), dbl_null()};
	struct dbl_request request = {
		.op = DBL_OP_barrier_look, .args = DBL_ARGS(args), .row = take_sight, .ctx = s};

	(void)snprintf(pattern, sizeof(pattern), "%" PRId64 "#%%", w->b->generation);
	args[1] = dbl_text(pattern);
	*s = (struct sight){.found = false};
	return dbl_read_for(w->locks, w->spec, DBL_WHILE_IT_MAY_PASS, &request, err);
}

/* Those whose process is on this machine may be asked for their marks until the next look. */
static void plan_vigil(struct dbl_barrier_wait *w)
{
	struct dblock_barrier *b = w->b;
	unsigned holders = dbl_queue_holders(&b->queue), n = 0;

	w->watches = false;
	for (unsigned i = 0; i < holders; i++) {
		struct dbl_snapshot snapshot;

		w->watches |= i < WATCHERS && b->queue.rows[i].nonce == b->bell.lock->grant.nonce;
		dbl_row_snapshot(&b->queue, &b->queue.rows[i], &snapshot);
		n += dbl_vigil_helps(&snapshot, w->locks->host);
	}
	dbl_vigil_plan(&b->vigil, n, w->watches, dbl_now(w->locks->env));
}

/* Is a party dead? Then it is declared so. What fails here is tried again at the next look. */
static void watch(struct dbl_barrier_wait *w)
{
	struct dblock_barrier *b = w->b;
	struct dbl_snapshot doomed;
	enum dbl_action action;

	w->declared = false;
	if (dbl_queue_read(w->locks, b->name, dbl_locks_deadline(w->locks), &b->queue, NULL))
		return;
	plan_vigil(w);
	dbl_detector_note(&b->detector, &b->queue);
	action = dbl_detector_judge(&b->detector, &b->queue, dbl_now(w->locks->env), &doomed);
	if (action == DBL_WAIT || doomed.nonce == b->bell.lock->grant.nonce)
		return;
	w->declared = dbl_advance_declare(w->locks, b->name, &doomed, action,
					  dbl_locks_deadline(w->locks), NULL) == 0;
}

/* ---- the end of a generation ------------------------------------------------------------------ */

int dbl_barrier_move(const struct dbl_barrier_wait *w, int64_t generation, bool passes,
		     const char *what, struct dblock_error *err)
{
	char why[DBL_COUNTDOWN_WHY_MAX + 1];
	struct dbl_countdown_move move = {.from = generation, .size = w->b->size, .why = why};
	int rc;

	dbl_countdown_say_why(w->locks, what, why);
	/* What is broken, gathering or inside, begins with gathering. */
	move.to = passes || dbl_barrier_is_inside(generation) ? generation + 1 : generation + 2;
	move.passed = passes ? generation : 0;
	rc = dbl_countdown_move(w->locks, w->b->name, &move, err);
	(void)dbl_bell_ring(w->locks, w->b->name, NULL); /* or they see it soon */
	return rc;
}

int dbl_barrier_after(const struct dbl_barrier_wait *w, int rc)
{
	bool may_pass = dbl_link_may_pass(w->locks->link, rc) || rc == DBLOCK_E_BLOCKED;

	if (rc == 0 || (may_pass && !dbl_is_canceled(w->locks, w->spec) &&
			dbl_pause_before_retry(w->locks, w->spec->wait_until)))
		return DBLOCK_WAITING;
	return rc;
}

/* Ends a wait that nobody else ends: breaks it, unless it has passed meanwhile. */
static int give_up(const struct dbl_barrier_wait *w, int rc, const char *what,
		   struct dblock_error *err)
{
	struct dblock_error ignored;
	struct dbl_countdown row;

	if (dbl_barrier_move(w, w->b->generation, false, what, &ignored) ||
	    dbl_countdown_look(w->locks, NULL, w->b->name, 0, &row, &ignored))
		return rc; /* nobody can say; those who are left see that this one has gone */
	if (!row.found || row.passed != w->b->generation)
		return rc;
	if (err)
		*err = (struct dblock_error){0};
	return 0;
}

static int lost(const struct dbl_barrier_wait *w, struct dblock_error *err)
{
	(void)dbl_barrier_move(w, w->b->generation, false, "was taken for dead", NULL);
	return dbl_lost_before(w->b->bell.lock, err);
}

static int too_late(const struct dbl_barrier_wait *w, const struct sight *s,
		    struct dblock_error *err)
{
	dbl_fail(err, DBLOCK_TIMEOUT, "'%s': %lld of %lld have %s", w->b->name,
		 (long long)s->arrived, (long long)w->b->size,
		 dbl_barrier_is_inside(w->b->generation) ? "come to leave" : "come");
	return give_up(w, DBLOCK_TIMEOUT, "gave up, as its time was over", err);
}

static int canceled(const struct dbl_barrier_wait *w, struct dblock_error *err)
{
	dbl_tell_canceled(w->locks, w->b->name, "the wait", err);
	return give_up(w, DBLOCK_CANCELED, "gave up, as it was canceled", err);
}

/* Has somebody gone? (Who died before the first look of all others has never been counted.) */
static bool is_torn(const struct dblock_barrier *b, const struct sight *s)
{
	return s->dead > 0 || s->arrived < b->arrived ||
	       (dbl_barrier_is_inside(b->generation) && s->present < b->size);
}

/* Is the party's generation over? */
static int is_over(const struct dblock_barrier *b, const struct sight *s, struct dblock_error *err)
{
	if (s->found && s->passed == b->generation)
		return 0;
	if (s->found && s->generation == b->generation)
		return DBLOCK_WAITING;
	return dbl_fail(err, DBLOCK_BROKEN, "'%s' is broken: %s", b->name,
			s->found ? s->why : "it was deleted");
}

/* The row alone: who is woken needs no more, as a rule. */
static int glance(const struct dbl_barrier_wait *w, struct dblock_error *err)
{
	struct dbl_countdown row;
	struct sight s;
	int rc = dbl_countdown_look(w->locks, w->spec, w->b->name, 0, &row, err);

	if (rc)
		return rc;
	s = (struct sight){.found = row.found, .generation = row.generation, .passed = row.passed};
	(void)snprintf(s.why, sizeof(s.why), "%s", row.why);
	return is_over(w->b, &s, err);
}

/* DBLOCK_WAITING: look again, after a sleep if *sleep. */
static int judge(struct dbl_barrier_wait *w, const struct sight *s, bool *sleep,
		 struct dblock_error *err)
{
	struct dblock_barrier *b = w->b;
	int rc = is_over(b, s, err);

	*sleep = false;
	if (rc != DBLOCK_WAITING)
		return rc;
	if (is_torn(b, s))
		return dbl_barrier_after(w, dbl_barrier_move(w, b->generation, false,
							     "saw that a party has gone", err));
	b->arrived = s->arrived;
	if (s->arrived >= b->size)
		return dbl_barrier_after(
			w, dbl_barrier_move(w, b->generation, true, "was the last", err));
	if (dbl_is_canceled(w->locks, w->spec))
		return canceled(w, err);
	if (dbl_now(w->locks->env) >= w->spec->wait_until)
		return too_late(w, s, err);
	*sleep = true;
	return DBLOCK_WAITING;
}

/* ---- waiting for it --------------------------------------------------------------------------- */

/* Until the next look, or until it is rung, or a mark says that a party is dead. */
static void sleep_on(struct dbl_barrier_wait *w)
{
	struct dblock_barrier *b = w->b;
	const struct dbl_env *env = w->locks->env;
	int64_t until =
		dbl_add(dbl_now(env), dbl_jitter(env, w->watches ? LOOK_OFTEN_US : LOOK_US));
	int64_t now;

	until = dbl_least(until, w->spec->wait_until);
	while (!w->declared && (now = dbl_now(env)) < until && dbl_grant_left(b->bell.lock) > 0) {
		int64_t ask_at = b->vigil.pause ? b->vigil.at : DBL_NEVER;

		if (now >= ask_at) {
			dbl_vigil_next(&b->vigil, now);
			if (dbl_queue_ask(&b->queue, env))
				return;
			continue;
		}
		if (dbl_bell_sleep(&b->bell, dbl_least(until, ask_at), w->spec) ||
		    dbl_is_canceled(w->locks, w->spec))
			return;
	}
}

/* All that is there, and what follows from it. */
static int look_round(struct dbl_barrier_wait *w, bool *sleep, struct dblock_error *err)
{
	struct sight s;
	int rc;

	if (dbl_grant_left(w->b->bell.lock) > 0)
		watch(w);
	rc = look(w, &s, err);
	return rc || dbl_grant_left(w->b->bell.lock) == 0 ? rc : judge(w, &s, sleep, err);
}

int dbl_barrier_await(struct dbl_barrier_wait *w, struct dblock_error *err)
{
	struct dblock_barrier *b = w->b;
	bool sleep;
	int rc;

	b->arrived = 0;
	do {
		sleep = false;
		rc = dbl_bell_heard(&b->bell) ? glance(w, err) : DBLOCK_WAITING;
		if (rc == DBLOCK_WAITING)
			rc = look_round(w, &sleep, err);
		if (dbl_grant_left(b->bell.lock) == 0)
			return lost(w, err);
		if (sleep)
			sleep_on(w);
	} while (rc == DBLOCK_WAITING);
	return rc;
}
