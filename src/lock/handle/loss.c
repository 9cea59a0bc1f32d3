/* SPDX-License-Identifier: MIT */
#include "lock/handle/loss.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "lock/core/retry.h"

/* A handle of several names is lost as a whole. */
static struct dblock_lock *whole_of(struct dblock_lock *lock)
{
	return lock->whole ? lock->whole : lock;
}

bool dbl_grant_lose(struct dblock_lock *lock, enum dblock_loss_cause cause)
{
	int none = DBLOCK_LOSS_NONE;

	DBL_ASSERT(cause != DBLOCK_LOSS_NONE && cause != DBLOCK_LOSS_LEASE, "%d", (int)cause);
	lock = whole_of(lock);
	if (dbl_grant_left(lock) == 0)
		return false;
	if (atomic_compare_exchange_strong(&lock->cause, &none, (int)cause))
		atomic_store(&lock->lost_at, dbl_now(lock->locks->env));
	for (unsigned i = 0; i < lock->n_parts; i++)
		(void)dbl_grant_try(lock->parts[i], DBL_LOST); /* or its validity has just ended */
	return dbl_grant_try(lock, DBL_LOST);
}

/* A moment of this machine's clock, as wall-clock time. */
static int64_t wall_of(const struct dbl_locks *locks, int64_t at)
{
	return dbl_wall(locks->env) - (dbl_now(locks->env) - at);
}

static void date(int64_t us, char text[32])
{
	time_t seconds = (time_t)(us / 1000000);
	struct tm tm;

	if (!gmtime_r(&seconds, &tm) || !strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &tm))
		(void)snprintf(text, 32, "?");
}

/* The validity ended before any other cause was seen. */
static void from_validity(struct dblock_lock *lock, struct dblock_loss *loss)
{
	struct dbl_locks *locks = lock->locks;
	struct dbl_epoch *epoch = lock->grant.epoch;
	int64_t ended;

	if (lock->grant.has_lease) {
		loss->cause = DBLOCK_LOSS_LEASE;
		loss->at_us = wall_of(locks, dbl_validity_was(&lock->grant.lease));
		return;
	}
	loss->cause = (enum dblock_loss_cause)atomic_load(&epoch->cause);
	ended = atomic_load(&epoch->ended);
	if (loss->cause == DBLOCK_LOSS_NONE) {
		loss->cause = DBLOCK_LOSS_UNREACHABLE;
		ended = dbl_validity_was(&epoch->validity) - dbl_validity_deadline(0, locks->ttl);
	}
	loss->at_us = wall_of(locks, ended);
}

static void say_unreachable(const struct dblock_lock *lock, struct dblock_loss *loss,
			    const char *since)
{
	char trouble[DBL_TROUBLE_MAX];

	dbl_session_trouble(lock->locks->session, lock->grant.epoch, trouble);
	if (*trouble)
		(void)snprintf(loss->text, sizeof(loss->text),
			       "the database could not be reached since %s: %s", since, trouble);
	else
		(void)snprintf(loss->text, sizeof(loss->text),
			       "no heartbeat got through since %s: the database did not answer, "
			       "or this process, or its machine, was stopped",
			       since);
}

static void say_forgotten(const struct dblock_lock *lock, struct dblock_loss *loss,
			  const char *when)
{
	char trouble[DBL_TROUBLE_MAX];

	dbl_session_trouble(lock->locks->session, lock->grant.epoch, trouble);
	(void)snprintf(loss->text, sizeof(loss->text),
		       "the database has forgotten it, as was seen at %s%s%s", when,
		       *trouble ? ": " : "", trouble);
}

/* Who took the grant away; without memory to note that, nobody knows. */
static void from_breaker(struct dblock_lock *lock, struct dblock_loss *loss)
{
	const struct dbl_breaker *by = lock->breaker;

	dbl_lock(&lock->locks->mutex);
	if (by) {
		loss->at_us = by->since;
		loss->pid = by->pid;
		memcpy(loss->host, by->host, sizeof(loss->host));
		memcpy(loss->app, by->app, sizeof(loss->app));
	}
	dbl_unlock(&lock->locks->mutex);
}

static void say_broken(struct dblock_loss *loss, const char *when)
{
	const char *how = loss->cause == DBLOCK_LOSS_BROKEN ? "broken" : "released by its token,";

	if (*loss->host)
		(void)snprintf(loss->text, sizeof(loss->text),
			       "it was %s by host %s, pid %lld (%s), at %s", how, loss->host,
			       (long long)loss->pid, loss->app, when);
	else
		(void)snprintf(loss->text, sizeof(loss->text), "it was %s at %s", how, when);
}

static void say(const struct dblock_lock *lock, struct dblock_loss *loss)
{
	char when[32];

	date(loss->at_us, when);
	switch (loss->cause) {
	case DBLOCK_LOSS_NONE:
		break;
	case DBLOCK_LOSS_UNREACHABLE:
		say_unreachable(lock, loss, when);
		break;
	case DBLOCK_LOSS_LEASE:
		(void)snprintf(loss->text, sizeof(loss->text), "its lease was over at %s", when);
		break;
	case DBLOCK_LOSS_BROKEN:
	case DBLOCK_LOSS_RELEASED:
		say_broken(loss, when);
		break;
	case DBLOCK_LOSS_FORGOTTEN:
		say_forgotten(lock, loss, when);
		break;
	case DBLOCK_LOSS_DECLARED_DEAD:
		(void)snprintf(loss->text, sizeof(loss->text),
			       "its session was declared dead by somebody who saw no heartbeat of "
			       "it for its ttl, as was seen at %s",
			       when);
		break;
	case DBLOCK_LOSS_HANDED_OFF:
		(void)snprintf(loss->text, sizeof(loss->text),
			       "it was offered to another process, at %s", when);
		break;
	case DBLOCK_LOSS_UNKNOWN:
		(void)snprintf(loss->text, sizeof(loss->text),
			       "the database says that it is not held by this grant, as was seen "
			       "at %s",
			       when);
		break;
	}
}

void dbl_loss_of(struct dblock_lock *lock, struct dblock_loss *loss)
{
	DBL_ASSERT_NOT_HELD(&lock->locks->mutex);
	lock = whole_of(lock);
	*loss = (struct dblock_loss){.cause = DBLOCK_LOSS_NONE};
	if (dbl_grant_left(lock) > 0 || dbl_sm_now(&lock->state) != DBL_LOST)
		return;
	loss->cause = (enum dblock_loss_cause)atomic_load(&lock->cause);
	if (loss->cause == DBLOCK_LOSS_NONE)
		from_validity(lock, loss);
	else
		loss->at_us = wall_of(lock->locks, atomic_load(&lock->lost_at));
	if (loss->cause == DBLOCK_LOSS_BROKEN || loss->cause == DBLOCK_LOSS_RELEASED)
		from_breaker(lock, loss);
	DBL_ASSERT(loss->cause != DBLOCK_LOSS_NONE && loss->at_us > 0, "%lld",
		   (long long)loss->at_us);
	say(lock, loss);
}

static bool noted_before(struct dblock_lock *lock)
{
	bool noted;

	dbl_lock(&lock->locks->mutex);
	noted = lock->loss_noted;
	lock->loss_noted = true;
	dbl_unlock(&lock->locks->mutex);
	return noted;
}

static void note(struct dblock_lock *lock, const struct dblock_loss *loss)
{
	const struct dbl_epoch *epoch = lock->grant.has_lease ? NULL : lock->grant.epoch;

	if (!noted_before(lock))
		dbl_event_note(lock->locks, DBLOCK_EVENT_LOST, lock->name, lock->grant.token,
			       epoch ? epoch->id : "", loss->text);
}

void dbl_loss_note(struct dblock_lock *lock)
{
	struct dblock_loss loss;

	dbl_loss_of(lock, &loss);
	if (loss.cause == DBLOCK_LOSS_NONE || loss.cause == DBLOCK_LOSS_BROKEN ||
	    loss.cause == DBLOCK_LOSS_RELEASED || loss.cause == DBLOCK_LOSS_HANDED_OFF)
		return;
	for (unsigned i = 0; i < lock->n_parts; i++)
		note(lock->parts[i], &loss);
	if (lock->n_parts == 0)
		note(lock, &loss);
}

int dbl_lost_before(struct dblock_lock *lock, struct dblock_error *err)
{
	struct dblock_loss loss;

	if (dbl_grant_lose(lock, DBLOCK_LOSS_UNKNOWN))
		lock->locks->hooks->validity_changed(lock->locks);
	dbl_loss_note(lock);
	dbl_loss_of(lock, &loss);
	return dbl_fail(err, DBLOCK_LOST, "'%s' (token %lld) had been lost before: %s", lock->name,
			(long long)lock->grant.token, loss.text);
}

int dbl_stale_grant(struct dblock_lock *lock, struct dblock_error *err)
{
	int rc = dbl_stale(lock->name, lock->grant.token, err);
	struct dblock_loss loss;

	dbl_loss_of(lock, &loss);
	if (loss.cause != DBLOCK_LOSS_NONE)
		dbl_err_suffix(err, ": %s", loss.text);
	dbl_event_note(lock->locks, DBLOCK_EVENT_REFUSED, lock->name, lock->grant.token, "",
		       loss.text);
	return rc;
}
