/* SPDX-License-Identifier: MIT */
/*
 * One statement takes, or books; if it has changed nothing a second one says for how long the rate is used up. What is
 * booked is waited for by this process's own clock, from the answer on: so never less than the database's says.
 */
#include "lock/rate/rate.h"

#include "driver/value.h"
#include "lock/core/cancel.h"
#include "lock/core/retry.h"

#define US_PER_S 1000000

struct taking {
	struct dbl_locks *locks;
	const struct dbl_acquire_spec *spec;
	const struct dbl_rate *rate;
	int64_t nonce;
	int64_t until; /* of a call that does not wait */
	int64_t level; /* the counter with it; -1: it was refused */
};

/* How far its turn may be away, ns. */
static int64_t may_wait(const struct taking *t)
{
	int64_t left = t->spec->tries ? 0 : t->spec->wait_until - dbl_now(t->locks->env);

	if (left <= 0)
		return 0;
	return dbl_least(left, dbl_ms(DBLOCK_RATE_SPAN_MAX_MS)) * 1000;
}

/* Until when it asks. A request gets its time in any case: one that is cut off may have been counted. */
static int64_t asks_until(const struct taking *t)
{
	return t->spec->tries ? t->until : t->spec->wait_until;
}

static int take_level(void *ctx, const struct dbl_value *row)
{
	((struct taking *)ctx)->level = row[0].i;
	return 0;
}

static int run(struct taking *t, enum dbl_op op, struct dbl_args args,
	       int (*row)(void *, const struct dbl_value *), void *ctx, struct dblock_error *err)
{
	struct dbl_request request = {.op = op,
				      .args = args,
				      .row = row,
				      .ctx = ctx,
				      .deadline = dbl_locks_deadline_by(t->locks, asks_until(t))};

	return dbl_link_run(t->locks->link, &request, err);
}

static int take(struct taking *t, struct dblock_error *err)
{
	const struct dbl_rate *r = t->rate;
	const struct dbl_value args[] = {
		dbl_text(t->spec->name), dbl_int(r->cost),      dbl_int(r->full + may_wait(t)),
		dbl_int(t->nonce),       dbl_int(r->gcra.rate), dbl_int(r->gcra.period_ms),
		dbl_int(r->burst)};

	t->level = -1;
	return run(t, DBL_OP_rate_take, DBL_ARGS(args), take_level, t, err);
}

struct seen {
	bool found;
	int64_t level, taken_at, now, nonce;
};

static int take_seen(void *ctx, const struct dbl_value *row)
{
	*(struct seen *)ctx = (struct seen){true, row[0].i, row[1].i, row[2].i, row[3].i};
	return 0;
}

static int refuse(const struct taking *t, int64_t retry_us, struct dblock_error *err)
{
	const struct dbl_rate *r = t->rate;

	int64_t ms = r->gcra.period_ms;
	bool whole = ms % 1000 == 0;

	return dbl_fail(err, t->spec->tries ? DBLOCK_BUSY : DBLOCK_TIMEOUT,
			"'%s': the rate of %lld in %lld %s is used up; the turn of this call is in "
			"%lld.%06lld s",
			t->spec->name, (long long)r->gcra.rate, (long long)(whole ? ms / 1000 : ms),
			whole ? "s" : "ms", (long long)(retry_us / US_PER_S),
			(long long)(retry_us % US_PER_S));
}

/* It was refused: tells for how long. 0: it is to be asked for again, as it could be had by now, or the clock was set
 * back, and the counter runs down again from now on. */
static int tell_refused(struct taking *t, struct dblock_rate_state *state, struct dblock_error *err)
{
	const struct dbl_rate *r = t->rate;
	const struct dbl_value name = dbl_text(t->spec->name);
	struct seen seen = {.found = false};
	int rc = run(t, DBL_OP_rate_look, DBL_ARG(name), take_seen, &seen, err);
	int64_t level = dbl_gcra_drained(seen.level, seen.now - seen.taken_at);

	if (rc == 0 && seen.found && seen.nonce == t->nonce) {
		/* It was counted, and that was not told: by MySQL, if the table has a trigger. */
		t->level = level;
		return 0;
	}
	if (rc == 0 && seen.found && seen.now < seen.taken_at)
		return run(t, DBL_OP_rate_anchor, DBL_ARG(name), NULL, NULL, err);
	if (rc || !seen.found || level + r->cost <= r->full + may_wait(t))
		return rc;
	state->retry_us = dbl_gcra_us(level + r->cost - r->full);
	state->left = dbl_gcra_fit(&r->gcra, r->full - level);
	state->full_us = dbl_gcra_us(level);
	return refuse(t, state->retry_us, err);
}

/* Whether to ask again, after a failure; or at once, where others were quicker than both statements. */
static bool may_go_on(const struct taking *t, int rc)
{
	if (rc == 0)
		return dbl_now(t->locks->env) < asks_until(t);
	return (rc == DBLOCK_E_BLOCKED ||
		(!t->spec->tries && dbl_link_may_pass(t->locks->link, rc))) &&
	       dbl_pause_before_retry(t->locks, asks_until(t));
}

/* No time is left, and nobody was asked successfully. */
static int tell_late(const struct taking *t, int rc, struct dblock_error *err)
{
	if (rc && (rc != DBLOCK_E_BLOCKED || t->spec->tries))
		return rc;
	return dbl_fail(err, t->spec->tries ? DBLOCK_E_BLOCKED : DBLOCK_TIMEOUT,
			"'%s': others had its row until the time was over", t->spec->name);
}

static int take_or_refuse(struct taking *t, struct dblock_rate_state *state,
			  struct dblock_error *err)
{
	int rc;

	do {
		if (!t->spec->tries && dbl_is_canceled(t->locks, t->spec))
			return dbl_tell_canceled(t->locks, t->spec->name, "the wait", err);
		rc = take(t, err);
		if (rc == 0 && t->level < 0)
			rc = tell_refused(t, state, err);
		if (rc == 0 && t->level >= 0)
			return 0;
	} while (rc <= 0 && may_go_on(t, rc));
	return rc > 0 ? rc : tell_late(t, rc, err);
}

/* What cannot be given back is lost, and counts: that is on the safe side. */
static void give_back(struct taking *t)
{
	const struct dbl_value args[] = {dbl_text(t->spec->name), dbl_int(t->rate->cost),
					 dbl_int(t->nonce)};
	struct dbl_request request = {.op = DBL_OP_rate_return,
				      .args = DBL_ARGS(args),
				      .deadline = dbl_locks_deadline(t->locks)};

	(void)dbl_link_run(t->locks->link, &request, NULL);
}

int dbl_rate_take(struct dbl_locks *locks, const struct dbl_acquire_spec *spec,
		  const struct dbl_rate *r, struct dblock_rate_state *state,
		  struct dblock_error *err)
{
	DBL_INSIDE(locks);
	struct taking t = {.locks = locks,
			   .spec = spec,
			   .rate = r,
			   .nonce = dbl_random_id(locks->env),
			   .until = dbl_locks_deadline(locks)};
	int rc;

	if (t.nonce == 0)
		return dbl_fail(err, DBLOCK_E_NOMEM, "no random numbers");
	rc = take_or_refuse(&t, state, err);
	if (rc)
		return rc;
	if (t.level > r->full)
		state->wait_us = dbl_gcra_us(t.level - r->full);
	state->left = dbl_gcra_fit(&r->gcra, r->full - t.level);
	state->full_us = dbl_gcra_us(t.level);
	if (!state->wait_us ||
	    dbl_sleep_asking(locks, spec, dbl_add(dbl_now(locks->env), state->wait_us)))
		return 0;
	give_back(&t);
	return dbl_tell_canceled(locks, spec->name, "the wait", err);
}
