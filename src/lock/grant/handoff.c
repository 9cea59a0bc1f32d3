/* SPDX-License-Identifier: MIT */
#include "lock/grant/handoff.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lock/core/cancel.h"
#include "lock/core/retry.h"
#include "lock/core/value.h"
#include "lock/grant/attempt.h"
#include "lock/handle/handle.h"
#include "lock/handle/loss.h"
#include <dblock/handoff.h>

/* Between two looks at a grant that was offered. */
#define LOOK_FIRST_US 1000
#define LOOK_LAST_US  100000

/* ---- the holder ------------------------------------------------------------------------------ */

/* NULL: nothing is. */
static const char *what_forbids(struct dblock_lock *lock)
{
	if (lock->n_parts)
		return "is held together with others";
	if (lock->grant.has_lease)
		return "has a lease of its own: whoever knows its token can extend it";
	if (lock->grant.mode != DBLOCK_EXCLUSIVE)
		return "is not held exclusively";
	if (dbl_has_queue_row(lock))
		return "was upgraded, or granted where somebody waited with a priority";
	if (lock->grant.rests)
		return "has a minimum hold";
	if (lock->slot[0])
		return "is held to do a slot once";
	if (atomic_load(&lock->in_tx) != DBL_IN_TX_NOT)
		return "is held by a transaction";
	return dbl_handle_count(lock) > 1 ? "was acquired more than once" : NULL;
}

int dbl_lock_offer(struct dblock_lock *lock, char *ticket, struct dblock_error *err)
{
	const char *why = what_forbids(lock);

	if (why)
		return dbl_fail(err, DBLOCK_E_INVALID, "'%s' %s: it cannot be handed off",
				lock->name, why);
	DBL_ASSERT(lock->grant.nonce > 0 && !lock->changing, "%s", lock->name);
	/* The caller knows it, and need not be told. */
	dbl_lock(&lock->locks->mutex);
	lock->told = true;
	dbl_unlock(&lock->locks->mutex);
	if (!dbl_grant_lose(lock, DBLOCK_LOSS_HANDED_OFF)) {
		dbl_lock(&lock->locks->mutex);
		lock->told = false;
		dbl_unlock(&lock->locks->mutex);
		lock->locks->hooks->validity_changed(lock->locks);
		return dbl_lost_before(lock, err);
	}
	(void)snprintf(ticket, DBLOCK_TICKET_SIZE, "%" PRId64 ":%s", lock->grant.nonce, lock->name);
	return 0;
}

struct revocation {
	int64_t nonce; /* of a grant: was it taken away? */
	bool is;
};

static int take_revoked(void *ctx, const struct dbl_value *row)
{
	struct revocation *of = ctx;

	of->is |= row[2].i == of->nonce;
	return 0;
}

/* Was the grant taken away? Until our client has heard of it, the database knows. */
static int find_revocation(struct dblock_lock *lock, bool *is, struct dblock_error *err)
{
	struct dbl_locks *locks = lock->locks;
	struct revocation of = {.nonce = lock->grant.nonce};
	struct dbl_value id = dbl_text(lock->grant.epoch->id);
	struct dbl_request request = {.op = DBL_OP_revocations,
				      .args = DBL_ARG(id),
				      .row = take_revoked,
				      .ctx = &of,
				      .deadline = dbl_locks_deadline(locks)};
	int rc = dbl_link_run(locks->link, &request, err);

	dbl_lock(&locks->mutex);
	*is = of.is || lock->breaker;
	dbl_unlock(&locks->mutex);
	return rc;
}

static bool is_over(struct dblock_lock *lock)
{
	return dbl_validity_left(dbl_lock_validity(lock), dbl_now(lock->locks->env)) == 0;
}

/* The grant is not there any more, or over: was it accepted? While the session lives nobody else can have
 * taken it, but by taking it away; and whoever accepted it has, or had, a larger token. */
static int explain(struct dblock_lock *lock, int64_t token_there, struct dblock_error *err)
{
	const char *why = NULL;
	bool revoked;
	int rc = find_revocation(lock, &revoked, err);

	if (rc)
		return rc;
	if (revoked)
		why = "somebody took it away";
	else if (is_over(lock))
		why = "the session that held it has ended";
	else if (token_there <= lock->grant.token)
		why = "the database does not have it any more, as after a failover that lost it";
	if (!why)
		return 0;
	return dbl_fail(
		err, DBLOCK_LOST,
		"'%s' was offered to another process, and %s: it may have been accepted before",
		lock->name, why);
}

/* *over: nobody has to look again. */
static int look(struct dblock_lock *lock, bool *over, struct dblock_error *err)
{
	struct dbl_locks *locks = lock->locks;
	struct dbl_snapshot there;
	int rc = dbl_look(locks->link, lock->name, NULL, 0, dbl_locks_deadline(locks), &there, err);

	*over = rc || there.nonce != lock->grant.nonce || is_over(lock);
	if (rc || *over)
		return rc ? rc : explain(lock, there.token, err);
	return dbl_fail(err, DBLOCK_TIMEOUT, "'%s' has not been accepted yet", lock->name);
}

int dbl_lock_await_acceptance(struct dblock_lock *lock, int64_t until, struct dblock_error *err)
{
	DBL_INSIDE(lock->locks);
	const struct dbl_env *env = lock->locks->env;
	int64_t pause = LOOK_FIRST_US;
	bool over;
	int rc;

	if (!dbl_lock_is_offered(lock))
		return dbl_fail(err, DBLOCK_E_INVALID, "'%s' was not offered to anybody",
				lock->name);
	for (;;) {
		int64_t now = dbl_now(env);

		rc = look(lock, &over, err);
		if (over || now >= until)
			return rc;
		if (atomic_load(&lock->locks->shut))
			return dbl_tell_canceled(lock->locks, lock->name, "the hand-off", err);
		dbl_sleep_until(env, dbl_least(until, dbl_add(now, dbl_jitter(env, pause))));
		pause = dbl_least(2 * pause, LOOK_LAST_US);
	}
}

/* ---- who accepts it --------------------------------------------------------------------------- */

const char *dbl_ticket_read(const char *ticket, int64_t *nonce)
{
	char *end;

	errno = 0;
	*nonce = strtoll(ticket, &end, 10);
	return errno == 0 && end != ticket && *nonce > 0 && *end == ':' ? end + 1 : NULL;
}

/* Sends the statement, perhaps several times, which does the same once. No token: not accepted. */
static int send(struct dbl_attempt *a, int64_t nonce, int64_t *sent, struct dblock_error *err)
{
	struct dbl_locks *locks = a->locks;
	struct dblock_lock *lock = a->lock;
	struct dbl_value args[] = {dbl_text(lock->name),          dbl_int(nonce),
				   dbl_int(lock->grant.nonce),    dbl_text(a->epoch->id),
				   dbl_int(a->epoch->beat_there), dbl_text(locks->host->name),
				   dbl_int(locks->host->pid),     dbl_int(dbl_thread_of(a->spec)),
				   dbl_text(a->spec->value)};
	int64_t token = 0;
	struct dbl_request request = {.op = DBL_OP_accept,
				      .args = DBL_ARGS(args),
				      .row = dbl_take_int,
				      .ctx = &token,
				      .deadline = dbl_attempt_deadline(a)};
	int rc;

	*sent = dbl_now(locks->env);
	rc = dbl_run_durable(locks, &request, err);
	lock->grant.token = token;
	/* Our release takes the way by the queue: others may have been waiting all the time. */
	lock->grant.handed = true;
	if (rc)
		dbl_handle_give_back(lock, 0);
	return rc;
}

/* Was it refused because the database does not know our session? */
static int refused(struct dbl_attempt *a, bool *again, struct dblock_error *err)
{
	struct dbl_snapshot snapshot;
	int rc = dbl_look(a->locks->link, a->lock->name, a->epoch, 0, dbl_attempt_deadline(a),
			  &snapshot, err);

	*again = rc == 0 && !snapshot.own_alive && dbl_now(a->locks->env) < dbl_attempt_deadline(a);
	if (*again)
		dbl_attempt_doubt(a);
	if (rc || *again)
		return rc;
	return dbl_fail(err, DBLOCK_STALE,
			"'%s' is not offered by this ticket any more: it was accepted or released, "
			"its holder's session is over, or somebody is taking it away",
			a->lock->name);
}

static int accept_grant(struct dbl_attempt *a, int64_t nonce, struct dblock_error *err)
{
	struct dblock_lock *lock = a->lock;
	bool again = true;
	int64_t sent = 0;
	int rc = 0;

	dbl_grant_begin(lock);
	while (rc == 0 && lock->grant.token == 0 && again) {
		rc = dbl_attempt_make_ready(a, dbl_attempt_deadline(a), err);
		lock->grant.nonce = dbl_random_id(a->locks->env);
		if (rc == 0 && lock->grant.nonce == 0)
			rc = dbl_fail(err, DBLOCK_E_NOMEM, "no random numbers");
		if (rc == 0)
			rc = send(a, nonce, &sent, err);
		if (rc == 0 && lock->grant.token == 0)
			rc = refused(a, &again, err);
	}
	return rc ? rc : dbl_attempt_accept(a, sent, 0, err);
}

int dbl_lock_accept(struct dbl_locks *locks, const struct dbl_acquire_spec *spec, int64_t nonce,
		    struct dblock_lock **out, struct dblock_error *err)
{
	DBL_INSIDE(locks);
	struct dbl_attempt a;
	int rc = dbl_attempt_begin(&a, locks, spec, err);

	if (rc)
		return rc;
	a.until = dbl_locks_deadline(locks);
	rc = accept_grant(&a, nonce, err);
	if (rc == 0)
		*out = dbl_attempt_publish(&a);
	dbl_attempt_drop(&a);
	return rc;
}
