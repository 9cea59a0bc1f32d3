/* SPDX-License-Identifier: MIT */
#include "lock/recipes/countdown.h"

#include <inttypes.h>
#include <stdio.h>

#include "lock/core/cancel.h"
#include "lock/core/name.h"
#include "lock/core/retry.h"
#include "lock/core/value.h"
#include "lock/recipes/bell.h"

/* How often who waits looks by himself; and who could not hang up his bell, as others did so at that moment. */
#define LOOK_US      1000000
#define LOOK_DEAF_US 50000

/* A request as the row has it: its number, and a blank; and a pattern that finds it there. */
struct request {
	char entry[24], pattern[32];
};

static void write_request(int64_t number, struct request *request)
{
	(void)snprintf(request->entry, sizeof(request->entry), "%" PRId64 " ", number);
	(void)snprintf(request->pattern, sizeof(request->pattern), "%% %" PRId64 " %%", number);
}

/* ---- the row ---------------------------------------------------------------------------------- */

static int take(void *ctx, const struct dbl_value *row)
{
	enum { SIZE, GENERATION, COUNT, PASSED, HAS_COUNTED, WHY, SINCE };
	struct dbl_countdown *latch = ctx;

	*latch = (struct dbl_countdown){
		.found = true,
		.size = row[SIZE].i,
		.generation = row[GENERATION].i,
		.count = row[COUNT].i,
		.passed = row[PASSED].i,
		.has_counted = row[HAS_COUNTED].i != 0,
		.since = row[SINCE].i,
	};
	dbl_copy_text(latch->why, sizeof(latch->why), &row[WHY]);
	return 0;
}

int dbl_countdown_look(struct dbl_locks *locks, const struct dbl_acquire_spec *spec,
		       const char *name, int64_t number, struct dbl_countdown *latch,
		       struct dblock_error *err)
{
	struct request wanted;
	struct dbl_value args[] = {dbl_text(name), dbl_null()};
	struct dbl_request request = {.op = DBL_OP_latch_look,
				      .args = DBL_ARGS(args),
				      .row = take,
				      .ctx = latch,
				      .deadline = dbl_locks_deadline(locks)};

	write_request(number, &wanted);
	args[1] = dbl_text(wanted.pattern);
	*latch = (struct dbl_countdown){.found = false};
	return spec ? dbl_read_for(locks, spec, DBL_WHILE_IT_MAY_PASS, &request, err)
		    : dbl_retry_while_locked(locks, &request, err);
}

static int unknown(const char *name, struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_STALE, "'%s': there is none; create it first", name);
}

int dbl_countdown_make(struct dbl_locks *locks, const char *name, int64_t size,
		       struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(name), dbl_int(size)};
	struct dbl_request request = {.op = DBL_OP_latch_open,
				      .args = DBL_ARGS(args),
				      .deadline = dbl_locks_deadline(locks)};

	return dbl_run_durable(locks, &request, err);
}

int dbl_countdown_open(struct dbl_locks *locks, const char *name, int64_t size,
		       struct dbl_countdown *latch, struct dblock_error *err)
{
	DBL_INSIDE(locks);
	int rc = dbl_countdown_make(locks, name, size, err);

	if (rc == 0)
		rc = dbl_countdown_look(locks, NULL, name, 0, latch, err);
	if (rc == 0 && !latch->found)
		return unknown(name, err);
	if (rc == 0 && latch->size != size)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"'%s' has a count of %lld already, and not of %lld: reset it, or "
				"use another name",
				name, (long long)latch->size, (long long)size);
	return rc;
}

int dbl_countdown_move(struct dbl_locks *locks, const char *name,
		       const struct dbl_countdown_move *move, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(name),      dbl_int(move->from),   dbl_int(move->to),
				   dbl_int(move->size), dbl_int(move->passed), dbl_text(move->why)};
	struct dbl_request request = {.op = DBL_OP_latch_move,
				      .args = DBL_ARGS(args),
				      .deadline = dbl_locks_deadline(locks)};

	DBL_ASSERT(move->to > move->from, "%lld", (long long)move->from);
	return dbl_run_durable(locks, &request, err);
}

void dbl_countdown_say_why(const struct dbl_locks *locks, const char *what,
			   char why[DBL_COUNTDOWN_WHY_MAX + 1])
{
	const struct dbl_host *host = locks->host;

	(void)snprintf(why, DBL_COUNTDOWN_WHY_MAX, "host %s, pid %lld: %s", host ? host->name : "?",
		       host ? (long long)host->pid : 0, what);
}

/* ---- counting down ---------------------------------------------------------------------------- */

/* The generation has ended meanwhile, by a reset. */
static int after_reset(const char *name, const struct dbl_request *request,
		       const struct dbl_countdown *before, const struct dbl_countdown *now,
		       struct dblock_error *err)
{
	if (request->changed || now->passed == before->generation)
		return 0;
	if (request->resent)
		return dbl_fail(err, DBLOCK_E_UNSURE,
				"'%s' was reset while the reply was lost: it may have been counted "
				"before that",
				name);
	return dbl_fail(err, DBLOCK_STALE, "'%s' was reset meanwhile: this was not counted", name);
}

static int count(struct dbl_locks *locks, const char *name, int64_t n, int64_t number,
		 struct dbl_countdown *latch, struct dblock_error *err)
{
	const struct dbl_countdown before = *latch;
	struct request entry;
	struct dbl_value args[] = {dbl_text(name), dbl_int(before.generation), dbl_int(n),
				   dbl_null(), dbl_null()};
	struct dbl_request request = {.op = DBL_OP_latch_down,
				      .deadline = dbl_locks_deadline(locks)};
	int rc;

	write_request(number, &entry);
	args[3] = dbl_text(entry.entry);
	args[4] = dbl_text(entry.pattern);
	request.args = DBL_ARGS(args);
	rc = dbl_run_durable(locks, &request, err);
	if (rc == 0)
		rc = dbl_countdown_look(locks, NULL, name, number, latch, err);
	if (rc || latch->generation == before.generation)
		return rc;
	rc = after_reset(name, &request, &before, latch, err);
	latch->count = 0;
	return rc;
}

int dbl_countdown_down(struct dbl_locks *locks, const char *name, int64_t n, int64_t request,
		       int64_t *left, struct dblock_error *err)
{
	DBL_INSIDE(locks);
	struct dbl_countdown latch;
	int64_t number = request ? request : dbl_random_id(locks->env);
	bool was_up;
	int rc;

	*left = 0;
	if (number == 0)
		return dbl_fail(err, DBLOCK_E_NOMEM, "no random numbers");
	rc = dbl_countdown_look(locks, NULL, name, number, &latch, err);
	if (rc == 0 && !latch.found)
		return unknown(name, err);
	was_up = rc == 0 && latch.count > 0;
	if (was_up && !latch.has_counted)
		rc = count(locks, name, n, number, &latch, err);
	if (rc)
		return rc;
	*left = latch.count;
	if (was_up && latch.count == 0)
		(void)dbl_bell_ring(locks, name, NULL); /* or they see it soon */
	return 0;
}

/* ---- waiting ---------------------------------------------------------------------------------- */

struct wait {
	struct dbl_locks *locks;
	const struct dbl_acquire_spec *spec;
	int64_t generation; /* 0: not known yet */
	struct dbl_bell bell;
	bool hangs;
};

/* DBLOCK_WAITING: it is not at 0. */
static int look_once(struct wait *w, struct dblock_error *err)
{
	const char *name = w->spec->name;
	struct dbl_countdown latch;
	int rc = dbl_countdown_look(w->locks, w->spec, name, 0, &latch, err);

	if (rc)
		return rc;
	if (!latch.found)
		return unknown(name, err);
	if (!w->generation)
		w->generation = latch.generation;
	if (latch.passed == w->generation)
		return 0;
	if (latch.generation != w->generation)
		return dbl_fail(err, DBLOCK_BROKEN, "'%s' was reset: %s", name, latch.why);
	if (dbl_is_canceled(w->locks, w->spec))
		return dbl_tell_canceled(w->locks, name, "the wait", err);
	if (dbl_now(w->locks->env) >= w->spec->wait_until)
		return dbl_fail(err, DBLOCK_TIMEOUT, "'%s': %lld of %lld are yet to count down",
				name, (long long)latch.count, (long long)latch.size);
	return DBLOCK_WAITING;
}

static int sleep_on(struct wait *w, struct dblock_error *err)
{
	const struct dbl_env *env = w->locks->env;
	int rc = w->hangs ? 0 : dbl_bell_hang(&w->bell, w->locks, w->spec->name, err);
	bool rung;

	if (rc)
		return rc;
	w->hangs = true;
	rung = dbl_bell_attend(&w->bell);
	/* Who listens only now looks at once: it may have come to 0 before. */
	if (!rung || !w->bell.lock) {
		int64_t pause = dbl_jitter(env, w->bell.lock ? LOOK_US : LOOK_DEAF_US);

		(void)dbl_bell_sleep(&w->bell,
				     dbl_least(w->spec->wait_until, dbl_add(dbl_now(env), pause)),
				     w->spec);
	}
	return DBLOCK_WAITING;
}

int dbl_countdown_await(struct dbl_locks *locks, const struct dbl_acquire_spec *spec,
			int64_t generation, struct dblock_error *err)
{
	DBL_INSIDE(locks);
	struct wait w = {.locks = locks, .spec = spec, .generation = generation};
	int rc;

	while ((rc = look_once(&w, err)) == DBLOCK_WAITING &&
	       (rc = sleep_on(&w, err)) == DBLOCK_WAITING)
		;
	if (w.hangs)
		dbl_bell_take_down(&w.bell);
	return rc;
}

/* ---- the next generation ---------------------------------------------------------------------- */

int dbl_countdown_reset(struct dbl_locks *locks, const char *name, int64_t size,
			struct dbl_countdown *latch, struct dblock_error *err)
{
	DBL_INSIDE(locks);
	char why[DBL_COUNTDOWN_WHY_MAX + 1];
	struct dbl_countdown_move move = {.why = why};
	int rc = dbl_countdown_look(locks, NULL, name, 0, latch, err);

	if (rc == 0 && !latch->found)
		return unknown(name, err);
	dbl_countdown_say_why(locks, "has reset it", why);
	move.from = latch->generation;
	move.to = move.from + 2; /* a barrier's uneven ones are of those inside */
	move.size = size ? size : latch->size;
	if (rc == 0)
		rc = dbl_countdown_move(locks, name, &move, err);
	if (rc == 0)
		rc = dbl_countdown_look(locks, NULL, name, 0, latch, err);
	if (rc)
		return rc;
	(void)dbl_bell_ring(locks, name, NULL);
	if (latch->generation == move.to && latch->size == move.size)
		return 0;
	return dbl_fail(err, DBLOCK_STALE, "'%s' was reset by somebody else meanwhile: %s", name,
			latch->why);
}
