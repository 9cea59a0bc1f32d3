/* SPDX-License-Identifier: MIT */
#include "lock/grant/attempt.h"

#include <string.h>

#include "lock/core/make_durable.h"
#include "lock/core/name.h"
#include "lock/core/value.h"
#include "lock/grant/release.h"
#include "lock/handle/handle.h"
#include "lock/notify/notifier.h"

/* The pause between a lost answer that was resolved and the next try: small at first, since most
 * losses are a single cut connection. */
#define RESEND_FIRST_US 2000
#define RESEND_LAST_US  250000

/* The time for a heartbeat to tell what became of the session. */
#define DOUBT_US 10000

/* A grant that has less of the ttl than this part waits for the next heartbeat. */
#define LEAST_PART 8

int64_t dbl_attempt_deadline(const struct dbl_attempt *a)
{
	if (a->spec->try_until)
		return dbl_locks_deadline_by(a->locks, a->spec->try_until);
	return a->waits ? dbl_locks_deadline_by(a->locks, a->until)
			: dbl_least(dbl_locks_deadline(a->locks), a->until);
}

int dbl_attempt_begin(struct dbl_attempt *a, struct dbl_locks *locks,
		      const struct dbl_acquire_spec *spec, struct dblock_error *err)
{
	*a = (struct dbl_attempt){.locks = locks,
				  .spec = spec,
				  .op = DBL_OP_acquire,
				  .until = DBL_NEVER,
				  .by = {.link = locks->link, .locks = locks}};
	a->lock = dbl_handle_new(locks, spec->name, dbl_spec_hash(spec), dbl_owner_of(spec));
	if (!a->lock)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	a->lock->lost = spec->lost;
	a->lock->lost_arg = spec->lost_arg;
	a->lock->requested = spec->requested;
	a->lock->requested_arg = spec->requested_arg;
	/* The socket is open before the lock is granted, so that no notification is missed. */
	if (spec->requested)
		dbl_notifier_listen(locks);
	if (spec->settle)
		dbl_session_settle(locks->session, spec->settle);
	return 0;
}

void dbl_attempt_drop(struct dbl_attempt *a)
{
	dbl_epoch_drop(a->epoch);
	if (a->lock)
		dbl_handle_free(a->lock);
}

struct dblock_lock *dbl_attempt_publish(struct dbl_attempt *a)
{
	struct dblock_lock *lock = a->lock, *upgraded = a->spec->upgrading;

	if (upgraded) {
		dbl_handle_swap(upgraded, lock);
		return upgraded;
	}
	a->lock = NULL;
	dbl_handle_publish(lock);
	return lock;
}

void dbl_attempt_args(const struct dbl_attempt *a, struct dbl_value args[DBL_ATTEMPT_ARGS])
{
	const struct dbl_acquire_spec *w = a->spec;
	const struct dbl_host *host = a->locks->host;

	DBL_ASSERT(a->epoch, "%s", w->name);
	args[0] = dbl_text(w->name);
	args[1] = dbl_int(a->lock->grant.nonce);
	args[2] = dbl_text(a->epoch->id);
	args[3] = dbl_text(host->name);
	args[4] = dbl_int(host->pid);
	args[5] = dbl_int(dbl_thread_of(w));
	args[6] = dbl_int_if(w->lease > 0, w->lease);
	args[7] = dbl_int_if(w->at_least > 0, w->at_least);
	args[8] = dbl_text(w->value);
}

static struct dbl_link *link_of(const struct dbl_attempt *a)
{
	return dbl_durable_link(a->locks, a->spec->lease > 0 || a->spec->at_least > 0);
}

bool dbl_attempt_ask(struct dbl_attempt *a, struct dbl_acquiring *q, int64_t by)
{
	struct dblock_lock *lock = a->lock;

	*q = (struct dbl_acquiring){.token = -1};
	q->request = (struct dbl_request){.op = a->op,
					  .args = DBL_ARGS(q->args),
					  .row = dbl_take_int,
					  .ctx = &q->token,
					  .deadline = by};
	lock->grant.nonce = dbl_random_id(a->locks->env);
	dbl_attempt_args(a, q->args);
	q->args[DBL_ATTEMPT_ARGS] = dbl_int(a->spec->unfair);
	q->args[DBL_ATTEMPT_ARGS + 1] = dbl_int(a->replaces);
	q->args[DBL_ATTEMPT_ARGS + 2] = dbl_int(a->epoch->beat_there);
	memcpy(q->args + DBL_ATTEMPT_ARGS + 3, a->more, sizeof(a->more));
	lock->grant.handed = false;
	lock->grant.ticket = 0;
	lock->grant.carrier = &dbl_own_row;
	dbl_grant_begin(lock);
	q->sent = dbl_now(a->locks->env);
	return lock->grant.nonce != 0;
}

int dbl_attempt_heard(struct dbl_attempt *a, const struct dbl_acquiring *q, int rc,
		      struct dblock_error *err)
{
	struct dblock_lock *lock = a->lock;

	/* No grant has this nonce. */
	if (rc == DBLOCK_E_BLOCKED || (rc == 0 && q->token == -1))
		lock->grant.nonce = 0;
	a->locked = rc == DBLOCK_E_BLOCKED;
	if (a->locked)
		rc = dbl_fail(err, DBLOCK_BUSY, "'%s': its row is locked by an open transaction",
			      a->spec->name);
	DBL_ASSERT(q->token == -1 || q->token > 0, "%lld", (long long)q->token);
	lock->grant.token = q->token;
	if (rc == 0 && q->token == -1)
		rc = DBLOCK_BUSY;
	return rc;
}

/* Sends the statement once. */
static int send(struct dbl_attempt *a, int64_t by, int64_t *sent, struct dblock_error *err)
{
	struct dbl_acquiring q;
	int rc = dbl_attempt_ask(a, &q, by) ? dbl_link_run(link_of(a), &q.request, err)
					    : dbl_fail(err, DBLOCK_E_NOMEM, "no random numbers");

	*sent = q.sent;
	return dbl_attempt_heard(a, &q, rc, err);
}

int dbl_attempt_resolve(struct dbl_attempt *a, int64_t by, struct dblock_error *err)
{
	const char *name = a->spec->name;
	struct dbl_value args[] = {dbl_text(name), dbl_int(a->lock->grant.nonce)};
	struct dbl_request request = {
		.op = DBL_OP_give_back, .args = DBL_ARGS(args), .deadline = by};
	int rc;

	DBL_ASSERT(a->lock->grant.nonce > 0 && a->lock->grant.cleanup, "%s", name);
	rc = dbl_link_run(link_of(a), &request, NULL);

	/* The first copy may still arrive, unless its server process is known to be gone. */
	if (rc || !request.certain)
		dbl_handle_give_back(a->lock, 0);
	if (rc == 0)
		return 0;
	return dbl_fail(err, DBLOCK_E_UNSURE,
			"'%s': the answer to the acquire was lost; if it was granted, it is given "
			"back with a later heartbeat",
			name);
}

void dbl_attempt_granted(struct dbl_attempt *a, int64_t sent, int64_t lease)
{
	struct dblock_lock *lock = a->lock;

	DBL_ASSERT(!lock->before && sent <= dbl_now(a->locks->env), "%lld", (long long)sent);
	lock->grant.has_lease = a->spec->lease > 0;
	lock->grant.rests = a->spec->at_least > 0;
	lock->grant.mode = a->spec->mode;
	lock->grant.weight = a->spec->weight;
	lock->grant.capacity = a->spec->capacity;
	if (lock->grant.has_lease)
		dbl_validity_begin(&lock->grant.lease, dbl_validity_deadline(sent, lease));
	dbl_epoch_share(a->epoch);
	dbl_epoch_drop(lock->grant.epoch);
	lock->grant.epoch = a->epoch;
}

/* Whoever advanced the queue may be relaxed: makes the grant durable if it outlives its client, or
 * is on a file. (On a server the statements hand_over and grant do that.) */
static int resolve_granted(struct dblock_lock *lock, int64_t deadline, struct dblock_error *err)
{
	struct dbl_locks *locks = lock->locks;

	if (!lock->grant.handed)
		return 0;
	if (locks->target->durability == DBLOCK_RELAXED)
		return lock->grant.has_lease || lock->grant.rests
			       ? dbl_make_durable(locks, deadline, err)
			       : 0;
	return locks->target->dialect->is_file ? dbl_make_all_durable(locks, deadline, err) : 0;
}

/* Heartbeats do not get through: the caller would be told of a loss as soon as it has the lock. */
static bool ends_soon(const struct dbl_attempt *a)
{
	return !a->lock->grant.has_lease &&
	       dbl_validity_left(&a->epoch->validity, dbl_now(a->locks->env)) <
		       a->locks->ttl / LEAST_PART;
}

int dbl_attempt_accept(struct dbl_attempt *a, int64_t sent, int64_t lease, struct dblock_error *err)
{
	struct dblock_lock *lock = a->lock;
	int rc;

	dbl_attempt_granted(a, sent, lease);
	rc = dbl_grant_hold(lock, err);
	if (rc == 0)
		rc = resolve_granted(lock, dbl_attempt_deadline(a), err);
	if (rc == 0 && ends_soon(a))
		dbl_session_await_beat(a->locks->session, a->epoch, a->locks->ttl / LEAST_PART,
				       dbl_attempt_deadline(a));
	if (rc == 0 && dbl_grant_left(lock) > 0)
		return 0;
	if (rc)
		dbl_grant_take_back(lock);
	/* The grant is as useless as one that comes too late: a wait goes on, a try may be
	 * repeated. */
	if (rc == DBLOCK_E_BLOCKED)
		return dbl_fail(err, DBLOCK_LOST,
				"'%s' was granted, but somebody else's lock kept it from being "
				"confirmed; it has been given back",
				lock->name);
	if (rc)
		return rc;
	dbl_handle_give_back(lock, lock->grant.token);
	return dbl_fail(err, DBLOCK_LOST,
			"'%s' was granted, but the answer took so long that the %s was over",
			lock->name, lock->grant.has_lease ? "lease" : "session");
}

/* While the caller's own transaction has the file, no new session can be opened. */
static int live_in_tx(struct dbl_attempt *a, struct dblock_error *err)
{
	if (dbl_session_epoch(a->locks->session, dbl_now(a->locks->env), &a->epoch, NULL) == 0)
		return 0;
	return dbl_fail(err, DBLOCK_E_UNAVAILABLE,
			"'%s': the client's session is over, and no new one can be opened while "
			"this transaction has the file: roll it back, and begin it anew",
			a->spec->name);
}

int dbl_attempt_live(struct dbl_attempt *a, int64_t by, struct dblock_error *err)
{
	if (a->epoch && dbl_validity_left(&a->epoch->validity, dbl_now(a->locks->env)) > 0)
		return 0;
	dbl_epoch_drop(a->epoch);
	a->epoch = NULL;
	a->doubted_beat = 0;
	return a->by.db ? live_in_tx(a, err)
			: dbl_session_epoch(a->locks->session, by, &a->epoch, err);
}

void dbl_attempt_doubt(struct dbl_attempt *a)
{
	struct dbl_locks *locks = a->locks;
	struct dbl_link *link = link_of(a);
	int64_t beat = a->epoch->beat_there, losses = dbl_link_losses(link);

	if (a->doubted_beat && a->doubted_beat != beat && a->doubted_losses == losses)
		dbl_link_shun(link);
	a->doubted_beat = beat;
	a->doubted_losses = losses;
	dbl_session_beat_soon(locks->session);
	dbl_sleep_until(locks->env, dbl_add(dbl_now(locks->env), DOUBT_US));
}

int dbl_attempt_make_ready(struct dbl_attempt *a, int64_t by, struct dblock_error *err)
{
	if (!dbl_handle_make_ready(a->lock))
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	return dbl_attempt_live(a, by, err);
}

/* False: no time is left to send it again. */
static bool pause_before_resend(struct dbl_attempt *a, int64_t by, int64_t *pause)
{
	const struct dbl_env *env = a->locks->env;
	int64_t until = dbl_now(env) + dbl_jitter(env, *pause);

	if (until >= by)
		return false;
	dbl_sleep_until(env, until);
	*pause = dbl_least(*pause * 2, RESEND_LAST_US);
	return true;
}

int dbl_attempt_go(struct dbl_attempt *a, struct dblock_error *err)
{
	int64_t by = dbl_attempt_deadline(a), pause = RESEND_FIRST_US, sent;
	int rc;

	while ((rc = dbl_attempt_make_ready(a, by, err)) == 0) {
		rc = send(a, by, &sent, err);
		if (rc == 0)
			return dbl_attempt_accept(a, sent, a->spec->lease, err);
		if (rc != DBLOCK_E_UNSURE)
			return rc;
		a->unsure = true;
		rc = dbl_attempt_resolve(a, by, err);
		if (rc)
			return rc;
		if (!pause_before_resend(a, by, &pause))
			return dbl_fail(err, DBLOCK_E_NO_ANSWER,
					"'%s': each answer was lost until no time was left; "
					"nothing was granted",
					a->spec->name);
	}
	return rc;
}
