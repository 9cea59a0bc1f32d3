/* SPDX-License-Identifier: MIT */
/*
 * Acquiring: all members are asked at once. If no majority votes for us, what was granted is given
 * back, and only then does the call wait: two who kept their minorities would wait for each other.
 * It waits in line at the first member that answers, which orders all who wait; whoever is first
 * there asks the other members again, and for as long as one request may take, since those who are
 * before him may still be giving back.
 */
#include "lock/quorum/own.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "lock/core/cancel.h"
#include "lock/core/timed.h"
#include "lock/handle/handle.h"
#include "lock/lock.h"

/* Pauses between two rounds of who is first in line, and after one that was split. Once they are so
 * long they grow slowly: those who were before him have given back by then, so it is a holder who
 * does without that line. */
#define ROUND_FIRST_US  500
#define ROUND_SLOWER_US 20000
#define ROUND_LAST_US   200000
#define SPLIT_US        50000

/* That is doubled so often, round by round, where too few members vote for anybody. */
#define DOWN_TIMES 4

/* ---- the handle ------------------------------------------------------------------------------ */

static size_t size_of(const char *text)
{
	return text ? strlen(text) + 1 : 0;
}

static void fill(struct dbl_quorum_lock *l, struct dbl_quorum *q,
		 const struct dbl_acquire_spec *spec)
{
	char *text = (char *)&l->voters[q->n];
	size_t name = size_of(spec->name);

	memcpy(text, DBL_QUORUM_PREFIX, DBL_QUORUM_PREFIX_LEN);
	memcpy(text + DBL_QUORUM_PREFIX_LEN, spec->name, name);
	l->spec = *spec;
	l->spec.name = text;
	l->spec.hash = 0;
	if (spec->value)
		l->spec.value = memcpy(text + DBL_QUORUM_PREFIX_LEN + name, spec->value,
				       size_of(spec->value));
	l->spec.canceled = NULL;
	l->spec.waiting = NULL;
	l->spec.lost = dbl_voter_lost;
	l->base.name = text + DBL_QUORUM_PREFIX_LEN;
	l->base.locks = &q->home;
	l->base.owner = dbl_owner_of(spec);
	l->base.grant.has_lease = spec->lease > 0;
	l->base.lost = spec->lost;
	l->base.lost_arg = spec->lost_arg;
	l->base.lost_fd = l->base.requested_fd = -1;
	l->base.count = 1;
	l->quorum = q;
	l->refs = l->round = 1;
}

/* Members know each handle as an owner of its own: none of them enters a lock again. */
static struct dbl_quorum_lock *lock_new(struct dbl_quorum *q, const struct dbl_acquire_spec *spec)
{
	struct dbl_quorum_lock *l =
		dbl_alloc(sizeof(*l) + q->n * sizeof(l->voters[0]) + DBL_QUORUM_PREFIX_LEN +
			  size_of(spec->name) + size_of(spec->value));

	if (!l || dbl_cond_init(&l->news)) {
		dbl_free(l);
		return NULL;
	}
	fill(l, q, spec);
	dbl_lock(&q->home.mutex);
	l->spec.owner = (struct dbl_owner){.kind = DBL_OWNER_WAIT, .id = ++q->owners};
	dbl_voters_init(l);
	dbl_unlock(&q->home.mutex);
	return l;
}

/* It is held from now on, and the keeper looks after it. */
static void publish(struct dbl_quorum_lock *l)
{
	struct dbl_quorum *q = l->quorum;

	l->held = true;
	dbl_hold_begin(&l->base, dbl_now(q->home.env));
	l->ask_at = dbl_now(q->home.env) + q->home.ttl / DBL_ASK_AGAIN_PART;
	l->next = q->out;
	l->before = &q->out;
	if (l->next)
		l->next->before = &l->next;
	q->out = l;
	dbl_keeper_wake_by(q, dbl_least(l->ask_at, dbl_now(q->home.env) + dbl_hold_left(l)));
}

static struct dblock_lock *enter_again(struct dbl_quorum *q, const struct dbl_acquire_spec *spec)
{
	struct dbl_owner owner = dbl_owner_of(spec);
	struct dbl_quorum_lock *l;

	dbl_lock(&q->home.mutex);
	l = q->out;
	while (l && (!dbl_is_same_owner(l->base.owner, owner) ||
		     strcmp(l->base.name, spec->name) != 0 || dbl_hold_left(l) == 0))
		l = l->next;
	if (l)
		l->base.count++;
	dbl_unlock(&q->home.mutex);
	return l ? &l->base : NULL;
}

/* ---- rounds: under the mutex ----------------------------------------------------------------- */

/* How long members are waited for, that are asked now: as long as for one database. */
static int64_t round_until(const struct dbl_quorum_lock *l, const struct dbl_acquire_spec *spec)
{
	const struct dbl_locks *home = &l->quorum->home;
	int64_t now = dbl_now(home->env), until = dbl_add(now, home->timeout);
	int64_t by = dbl_add(now, DBL_LEAST_SERVER_US);

	if (spec->tries)
		return until;
	return dbl_least(until, spec->wait_until > by ? spec->wait_until : by);
}

static bool is_over(const struct dbl_quorum_lock *l, const struct dbl_acquire_spec *spec)
{
	return dbl_now(l->quorum->home.env) >= spec->wait_until;
}

/* Lets some time pass. DBLOCK_CANCELED: the caller does not want to wait any more. */
static int pause_between(struct dbl_quorum_lock *l, const struct dbl_acquire_spec *spec, int64_t us,
			 struct dblock_error *err)
{
	struct dbl_locks *home = &l->quorum->home;
	int rc = 0;

	dbl_unlock(&home->mutex);
	if (dbl_is_canceled(home, spec))
		rc = dbl_tell_canceled(home, spec->name, "the wait", err);
	else
		dbl_sleep_until(home->env,
				dbl_least(spec->wait_until,
					  dbl_now(home->env) + dbl_jitter(home->env, us)));
	dbl_lock(&home->mutex);
	return rc;
}

/* It is ours in that line: the other members are asked until a majority is had, or time is up.
 * Whoever is first in any line needs no more than that: two who left it to each other's line would
 * wait for each other. But of two who are first in two lines one gives way, once who was before
 * them has had the time to give back. */
static int ask_the_others(struct dbl_quorum_lock *l, const struct dbl_voter *line,
			  const struct dbl_acquire_spec *spec, struct dblock_error *err)
{
	struct dbl_locks *home = &l->quorum->home;
	int64_t until = round_until(l, spec), pause = ROUND_FIRST_US;
	int rc;

	l->without_line = true;
	for (;;) {
		dbl_ballot_propose(l);
		rc = dbl_ballot_count(l, spec, until, err);
		if (rc != DBLOCK_BUSY || dbl_now(home->env) + pause >= until || is_over(l, spec) ||
		    (pause >= ROUND_SLOWER_US && dbl_ballot_is_behind(l, line)))
			return rc;
		rc = pause_between(l, spec, pause, err);
		if (rc)
			return rc;
		pause += pause < ROUND_SLOWER_US ? pause : pause / 16;
		pause = dbl_least(pause, ROUND_LAST_US);
	}
}

/* One more try of a call that waits; the last one was refused, with `rc`. DBLOCK_WAITING: another
 * one. */
static int wait_once(struct dbl_quorum_lock *l, const struct dbl_acquire_spec *spec, int refused,
		     struct dblock_error *err)
{
	struct dbl_locks *home = &l->quorum->home;
	struct dbl_voter *line = dbl_ballot_line(l);
	int rc = refused == DBLOCK_BUSY && line
			 ? dbl_line_stand(l, line, dbl_ballot_is_held(l), spec, err)
			 : DBLOCK_BUSY;

	if (rc == 0)
		rc = ask_the_others(l, line, spec, err);
	if (rc == 0 || rc == DBLOCK_TIMEOUT || rc == DBLOCK_CANCELED || rc == DBLOCK_E_NOMEM)
		return rc;
	dbl_quorum_give_back(l, dbl_add(dbl_now(home->env), home->timeout));
	l->n_down = refused == DBLOCK_BUSY ? 0 : l->n_down + (l->n_down < DOWN_TIMES);
	rc = pause_between(l, spec, (int64_t)SPLIT_US << l->n_down, err);
	return rc ? rc : DBLOCK_WAITING;
}

static int ask(struct dbl_quorum_lock *l, const struct dbl_acquire_spec *spec,
	       struct dblock_error *err)
{
	int64_t until = round_until(l, spec);
	int rc;

	l->without_line = l->without_line || spec->tries;
	dbl_ballot_propose(l);
	rc = dbl_ballot_count(l, spec, until, err);
	if (rc)
		dbl_quorum_give_back(l, until);
	l->without_line = false;
	return rc;
}

bool dbl_may_pass(int rc)
{
	return rc == DBLOCK_BUSY || rc == DBLOCK_LOST || rc == DBLOCK_E_UNAVAILABLE ||
	       rc == DBLOCK_E_NO_ANSWER || rc == DBLOCK_E_UNSURE || rc == DBLOCK_E_BLOCKED;
}

/* This client has just handed it over in that line: others have it, and the members need not be
 * asked for that. */
static bool is_held(struct dbl_quorum_lock *l)
{
	const struct dbl_voter *line = dbl_ballot_line(l);

	return line && line->member->locks &&
	       dbl_expects_held(&line->member->locks->expected, dbl_spec_hash(&l->spec),
				dbl_now(l->quorum->home.env));
}

static int get(struct dbl_quorum_lock *l, const struct dbl_acquire_spec *spec,
	       struct dblock_error *err)
{
	int rc = !spec->tries && is_held(l) ? DBLOCK_BUSY : ask(l, spec, err), again;

	while (!spec->tries && dbl_may_pass(rc) && !is_over(l, spec)) {
		again = wait_once(l, spec, rc, err);
		if (again != DBLOCK_WAITING)
			return again;
		rc = ask(l, spec, err);
	}
	if (rc != DBLOCK_BUSY || spec->tries)
		return rc;
	if (err)
		err->code = DBLOCK_TIMEOUT;
	return DBLOCK_TIMEOUT;
}

/* ---- calls ----------------------------------------------------------------------------------- */

int dbl_quorum_name(char there[DBL_NAME_MAX + 1], const char *name, struct dblock_error *err)
{
	if (strlen(name) + DBL_QUORUM_PREFIX_LEN > DBL_NAME_MAX)
		return dbl_fail(
			err, DBLOCK_E_INVALID,
			"the lock's name is too long: %zu bytes; on several databases at most "
			"%zu are allowed",
			strlen(name), DBL_NAME_MAX - DBL_QUORUM_PREFIX_LEN);
	(void)snprintf(there, DBL_NAME_MAX + 1, DBL_QUORUM_PREFIX "%s", name);
	return 0;
}

static int check(const struct dbl_quorum *q, const struct dbl_acquire_spec *spec,
		 struct dblock_error *err)
{
	const char *what = spec->mode != DBLOCK_EXCLUSIVE ? "mode"
			   : spec->idle                   ? "idle_ms"
			   : spec->at_least               ? "at_least_ms"
			   : spec->requested              ? "release_requested"
			   : spec->priority               ? "priority"
							  : NULL;
	char there[DBL_NAME_MAX + 1];
	int rc;

	if (what)
		return dbl_fail(
			err, DBLOCK_E_INVALID,
			"%s: a lock on several databases is exclusive, for who came first, and "
			"free once its holder has released it; nobody is asked to let go",
			what);
	rc = dbl_quorum_name(there, spec->name, err);
	return rc ? rc : dbl_quorum_check_lease(q, spec->lease, err);
}

static int acquire(struct dbl_quorum *q, const struct dbl_acquire_spec *spec,
		   struct dblock_lock **out, bool *reentered, struct dblock_error *err)
{
	struct dbl_quorum_lock *l;
	int rc;

	if (dbl_is_shut_to(&q->home, spec))
		return dbl_tell_canceled(&q->home, spec->name, "the wait", err);
	*reentered = (*out = enter_again(q, spec));
	if (*reentered)
		return 0;
	l = lock_new(q, spec);
	if (!l)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	dbl_lock(&q->home.mutex);
	rc = get(l, spec, err);
	if (rc) {
		dbl_quorum_give_back(l, dbl_add(dbl_now(q->home.env), q->home.timeout));
		dbl_quorum_unref_unlock(l);
		return rc;
	}
	publish(l);
	dbl_unlock(&q->home.mutex);
	*out = &l->base;
	return 0;
}

static int timed(struct dbl_locks *home, enum dblock_phase phase,
		 const struct dbl_acquire_spec *spec, struct dblock_lock **out,
		 struct dblock_error *err)
{
	struct dbl_span span = {.phase = phase, .name = spec->name, .began = dbl_now(home->env)};
	bool reentered = false;
	int rc = check(dbl_quorum_of(home), spec, err);

	if (rc)
		return rc;
	span.outcome = acquire(dbl_quorum_of(home), spec, out, &reentered, err);
	if (*out)
		span.token = (*out)->grant.token;
	dbl_timed_acquire(home, &span, reentered);
	return span.outcome;
}

int dbl_quorum_try(struct dbl_locks *home, const struct dbl_acquire_spec *given,
		   struct dblock_lock **out, struct dblock_error *err)
{
	DBL_INSIDE(home);
	struct dbl_acquire_spec spec = *given;

	spec.tries = true;
	return timed(home, DBLOCK_PHASE_TRY, &spec, out, err);
}

int dbl_quorum_wait(struct dbl_locks *home, const struct dbl_acquire_spec *spec,
		    struct dblock_lock **out, struct dblock_error *err)
{
	DBL_INSIDE(home);

	return timed(home, DBLOCK_PHASE_ACQUIRE, spec, out, err);
}
