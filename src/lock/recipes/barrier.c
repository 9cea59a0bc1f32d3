/* SPDX-License-Identifier: MIT */
#include "lock/recipes/barrier.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "lock/core/cancel.h"
#include "lock/core/retry.h"
#include "lock/core/value.h"
#include "lock/handle/loss.h"
#include "lock/lock.h"
#include "lock/queue/advance.h"
#include "lock/recipes/elect.h"

/* How often a party looks by itself: each, and the first two that are there, who see to it that all are told if one
 * dies. (Two, as the first may be the one.) */
#define LOOK_US       1000000
#define LOOK_OFTEN_US 100000
#define WATCHERS      2

#define NOWHERE       (-1) /* it has not arrived in any generation */

/* A wait of a party for the end of its generation. */
struct wait {
	struct dblock_barrier *b;
	struct dbl_locks *locks;
	const struct dbl_acquire_spec *spec;
	bool declared; /* somebody was declared dead just now: look again at once */
	bool watches;  /* one of the first two */
};

struct sight {
	bool found;
	int64_t generation, passed, present, arrived;
	char why[DBL_COUNTDOWN_WHY_MAX + 1];
};

static bool is_inside(int64_t generation)
{
	return generation % 2 != 0;
}

/* ---- what is there ---------------------------------------------------------------------------- */

static int take_sight(void *ctx, const struct dbl_value *row)
{
	enum { GENERATION, PASSED, WHY, PRESENT, ARRIVED };
	struct sight *s = ctx;

	*s = (struct sight){.found = true,
			    .generation = row[GENERATION].i,
			    .passed = row[PASSED].i,
			    .present = row[PRESENT].i,
			    .arrived = row[ARRIVED].i};
	dbl_copy_text(s->why, sizeof(s->why), &row[WHY]);
	return 0;
}

/* At the row, and how many have arrived in the party's generation. */
static int look(const struct wait *w, struct sight *s, struct dblock_error *err)
{
	char pattern[32];
	struct dbl_value args[] = {dbl_text(w->b->name), dbl_text(pattern)};
	struct dbl_request request = {
		.op = DBL_OP_barrier_look, .args = DBL_ARGS(args), .row = take_sight, .ctx = s};

	(void)snprintf(pattern, sizeof(pattern), "%" PRId64 "#%%", w->b->generation);
	args[1] = dbl_text(pattern);
	*s = (struct sight){.found = false};
	return dbl_read_for(w->locks, w->spec, DBL_WHILE_IT_MAY_PASS, &request, err);
}

/* Those whose process is on this machine may be asked for their marks until the next look. */
static void plan_vigil(struct wait *w)
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
static void watch(struct wait *w)
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

/* Moves the row on, if it still is at that generation, and rings. */
static int move_on(const struct wait *w, int64_t generation, bool passes, const char *what,
		   struct dblock_error *err)
{
	char why[DBL_COUNTDOWN_WHY_MAX + 1];
	struct dbl_countdown_move move = {.from = generation, .size = w->b->size, .why = why};
	int rc;

	dbl_countdown_say_why(w->locks, what, why);
	/* What is broken, gathering or inside, begins with gathering. */
	move.to = passes || is_inside(generation) ? generation + 1 : generation + 2;
	move.passed = passes ? generation : 0;
	rc = dbl_countdown_move(w->locks, w->b->name, &move, err);
	(void)dbl_bell_ring(w->locks, w->b->name, NULL); /* or they see it soon */
	return rc;
}

/* What to do after that: look again; or the database has failed, and does not pass in time. */
static int go_on_after(const struct wait *w, int rc)
{
	bool may_pass = dbl_link_may_pass(w->locks->link, rc) || rc == DBLOCK_E_BLOCKED;

	if (rc == 0 || (may_pass && !dbl_is_canceled(w->locks, w->spec) &&
			dbl_pause_before_retry(w->locks, w->spec->wait_until)))
		return DBLOCK_WAITING;
	return rc;
}

/* Ends a wait that nobody else ends: breaks it, unless it has passed meanwhile. */
static int give_up(const struct wait *w, int rc, const char *what, struct dblock_error *err)
{
	struct dblock_error ignored;
	struct dbl_countdown row;

	if (move_on(w, w->b->generation, false, what, &ignored) ||
	    dbl_countdown_look(w->locks, NULL, w->b->name, 0, &row, &ignored))
		return rc; /* nobody can say; those who are left see that this one has gone */
	if (!row.found || row.passed != w->b->generation)
		return rc;
	if (err)
		*err = (struct dblock_error){0};
	return 0;
}

static int lost(const struct wait *w, struct dblock_error *err)
{
	(void)move_on(w, w->b->generation, false, "was taken for dead", NULL);
	return dbl_lost_before(w->b->bell.lock, err);
}

static int too_late(const struct wait *w, const struct sight *s, struct dblock_error *err)
{
	dbl_fail(err, DBLOCK_TIMEOUT, "'%s': %lld of %lld have %s", w->b->name,
		 (long long)s->arrived, (long long)w->b->size,
		 is_inside(w->b->generation) ? "come to leave" : "come");
	return give_up(w, DBLOCK_TIMEOUT, "gave up, as its time was over", err);
}

static int canceled(const struct wait *w, struct dblock_error *err)
{
	dbl_tell_canceled(w->locks, w->b->name, "the wait", err);
	return give_up(w, DBLOCK_CANCELED, "gave up, as it was canceled", err);
}

/* Has somebody gone? */
static bool is_torn(const struct dblock_barrier *b, const struct sight *s)
{
	return s->arrived < b->arrived || (is_inside(b->generation) && s->present < b->size);
}

/* DBLOCK_WAITING: look again, after a sleep if *sleep. */
static int judge(struct wait *w, const struct sight *s, bool *sleep, struct dblock_error *err)
{
	struct dblock_barrier *b = w->b;

	*sleep = false;
	if (s->found && s->passed == b->generation)
		return 0;
	if (!s->found || s->generation != b->generation)
		return dbl_fail(err, DBLOCK_BROKEN, "'%s' is broken: %s", b->name,
				s->found ? s->why : "it was deleted");
	if (is_torn(b, s))
		return go_on_after(
			w, move_on(w, b->generation, false, "saw that a party has gone", err));
	b->arrived = s->arrived;
	if (s->arrived >= b->size)
		return go_on_after(w, move_on(w, b->generation, true, "was the last", err));
	if (dbl_is_canceled(w->locks, w->spec))
		return canceled(w, err);
	if (dbl_now(w->locks->env) >= w->spec->wait_until)
		return too_late(w, s, err);
	*sleep = true;
	return DBLOCK_WAITING;
}

/* ---- waiting for it --------------------------------------------------------------------------- */

/* Until the next look, or until it is rung, or a mark says that a party is dead. */
static void sleep_on(struct wait *w)
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

/* Wait until the party's generation has come to its end. */
static int await(struct wait *w, struct dblock_error *err)
{
	struct dblock_barrier *b = w->b;
	bool sleep = false;
	int rc;

	b->arrived = 0;
	do {
		struct sight s;

		(void)dbl_bell_heard(&b->bell);
		if (dbl_grant_left(b->bell.lock) > 0)
			watch(w);
		rc = look(w, &s, err);
		if (dbl_grant_left(b->bell.lock) == 0)
			return lost(w, err);
		if (rc == 0)
			rc = judge(w, &s, &sleep, err);
		if (rc == DBLOCK_WAITING && sleep)
			sleep_on(w);
	} while (rc == DBLOCK_WAITING);
	return rc;
}

/* ---- arriving --------------------------------------------------------------------------------- */

static void value_of(struct dblock_barrier *b, char value[DBL_BELL_VALUE_MAX + 24])
{
	char bell[DBL_BELL_VALUE_MAX];

	dbl_bell_value(&b->bell, bell);
	(void)snprintf(value, DBL_BELL_VALUE_MAX + 24, "%" PRId64 "#%s", b->generation, bell);
}

/* The permit's value says so from now on. */
static int arrive(struct wait *w, struct dblock_error *err)
{
	char value[DBL_BELL_VALUE_MAX + 24];
	int rc;

	value_of(w->b, value);
	do
		rc = dbl_lock_set_value(w->b->bell.lock, value, err);
	while (rc < 0 && go_on_after(w, rc) == DBLOCK_WAITING);
	return rc;
}

/* A permit, which it waits for in line if others are inside. It has arrived nowhere yet. */
static int take_place(struct wait *w, struct dblock_error *err)
{
	struct dblock_barrier *b = w->b;
	char value[DBL_BELL_VALUE_MAX + 24];
	struct dbl_acquire_spec spec = *w->spec;
	struct dblock_error why = {0};
	int rc;

	value_of(b, value);
	spec.name = b->name;
	spec.value = value;
	spec.mode = DBLOCK_PERMITS;
	spec.weight = 1;
	spec.capacity = b->size;
	spec.owner = dbl_owner_named((uint64_t)b->bell.waiter.nonce); /* another one each time */
	rc = (spec.wait_until ? dbl_lock_wait : dbl_lock_try)(w->locks, &spec, &b->bell.lock, &why);
	if (rc == DBLOCK_E_INVALID)
		return dbl_fail(err, rc, "not with %lld parties: %s", (long long)b->size,
				why.message);
	if (rc && err)
		*err = why;
	return rc;
}

/* The row, which is made if it is missing. */
static int find_row(const struct wait *w, struct dbl_countdown *row, struct dblock_error *err)
{
	const char *name = w->b->name;
	int rc = dbl_countdown_look(w->locks, w->spec, name, 0, row, err);

	while (rc == 0 && !row->found) {
		do
			rc = dbl_countdown_make(w->locks, name, w->b->size, err);
		while (rc < 0 && go_on_after(w, rc) == DBLOCK_WAITING);
		if (rc == 0)
			rc = dbl_countdown_look(w->locks, w->spec, name, 0, row, err);
	}
	return rc;
}

/* Has a place: arrives in the generation that gathers now. 0: it has. DBLOCK_WAITING: look whether it did so in time. */
static int gather(struct wait *w, struct dblock_error *err)
{
	struct dblock_barrier *b = w->b;
	struct dbl_countdown row;
	int rc = find_row(w, &row, err);

	if (rc || row.generation == b->generation || row.passed == b->generation)
		return rc;
	/* While others are inside a place comes free only if one of them has gone. */
	if (is_inside(row.generation))
		return go_on_after(
			w, move_on(w, row.generation, false, "found that a party has gone", err));
	b->generation = row.generation;
	rc = arrive(w, err);
	return rc ? rc : DBLOCK_WAITING;
}

static int go_in(struct wait *w, struct dblock_error *err)
{
	int rc = take_place(w, err);

	if (rc)
		return rc;
	while ((rc = gather(w, err)) == DBLOCK_WAITING)
		;
	return rc ? rc : await(w, err);
}

/* ---- the handle ------------------------------------------------------------------------------- */

static void drop(struct dblock_barrier *b)
{
	dbl_bell_take_down(&b->bell);
	dbl_queue_free(&b->queue);
	dbl_detector_end(&b->detector);
	dbl_free(b);
}

int dbl_barrier_enter(struct dbl_locks *locks, const struct dbl_acquire_spec *spec, int64_t size,
		      struct dblock_barrier **out, struct dblock_error *err)
{
	DBL_INSIDE(locks);
	struct dblock_barrier *b = dbl_alloc(sizeof(*b));
	struct wait w = {.b = b, .locks = locks, .spec = spec};
	int rc;

	*out = NULL;
	if (!b)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	*b = (struct dblock_barrier){.size = size, .generation = NOWHERE};
	(void)snprintf(b->name, sizeof(b->name), "%s", spec->name);
	rc = dbl_bell_hang(&b->bell, locks, b->name, err);
	if (rc) {
		dbl_free(b);
		return rc;
	}
	rc = go_in(&w, err);
	if (rc) {
		drop(b);
		return rc;
	}
	/* The bell does not hang until it leaves: nothing of the client's refers to the handle. */
	dbl_notifier_remove(locks, &b->bell.waiter);
	*out = b;
	return 0;
}

int dbl_barrier_leave(struct dblock_barrier *b, const struct dbl_acquire_spec *spec,
		      struct dblock_error *err)
{
	DBL_INSIDE(b->bell.locks);
	struct wait w = {.b = b, .locks = b->bell.locks, .spec = spec};
	int64_t nonce = dbl_random_id(w.locks->env);
	int rc = nonce ? 0 : dbl_fail(err, DBLOCK_E_NOMEM, "no random numbers");

	if (nonce)
		dbl_notifier_add(w.locks, &b->bell.waiter, nonce);
	b->generation++;
	if (rc == 0)
		rc = arrive(&w, err);
	if (rc == 0)
		rc = await(&w, err);
	drop(b);
	return rc;
}
