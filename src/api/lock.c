/* SPDX-License-Identifier: MIT */
#include <dblock/lock.h>
#include <dblock/pool.h>

#include "api/client.h"
#include "lock/core/name.h"
#include "lock/grant/extend.h"
#include "lock/lock.h"
#include "lock/tx/in_tx.h"

enum { WAITING_EVERY_DEFAULT_MS = 500, DEADLOCK_DEFAULT_MS = 1000 };

int dbl_wait_read(struct dbl_acquire_spec *spec, int64_t wait_ms, const struct dbl_env *env,
		  struct dblock_error *err)
{
	int64_t ms = wait_ms ? wait_ms : DBLOCK_FOREVER;
	int rc = dbl_wait_ms_read(&ms, err);

	spec->wait_until = ms < 0                 ? 0
			   : ms >= DBL_FOREVER_MS ? DBL_NEVER
						  : dbl_add(dbl_now(env), dbl_ms(ms));
	return rc;
}

int dbl_wait_told(const struct dbl_acquire_spec *spec, int rc, struct dblock_error *err)
{
	if (rc != DBLOCK_TIMEOUT || spec->wait_until)
		return rc;
	if (err)
		err->code = DBLOCK_BUSY;
	return DBLOCK_BUSY;
}

/* Read how many permits are wanted, of how many; the database may know that alone. */
static int read_permits(struct dbl_acquire_spec *spec, const struct dblock_acquire_options *o,
			struct dblock_error *err)
{
	int64_t most = o->capacity == DBLOCK_CAPACITY_STORED ? DBLOCK_CAPACITY_MAX : o->capacity;

	spec->weight = o->permits ? o->permits : 1;
	spec->capacity = o->capacity;
	if (most < 1 || most > DBLOCK_CAPACITY_MAX)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"capacity is %lld; it is from 1 to %lld, or "
				"DBLOCK_CAPACITY_STORED (%lld)",
				(long long)o->capacity, (long long)DBLOCK_CAPACITY_MAX,
				(long long)DBLOCK_CAPACITY_STORED);
	if (spec->weight < 1 || spec->weight > most)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"permits is %lld; it is from 1 to the capacity, %lld",
				(long long)spec->weight, (long long)most);
	spec->numbered = o->numbered;
	if (o->numbered && spec->weight > DBLOCK_NUMBERED_MAX)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"permits is %lld; at most %d can be numbered",
				(long long)spec->weight, DBLOCK_NUMBERED_MAX);
	return 0;
}

/* Read the mode, and check the options that it rules out or needs. */
static int read_mode(struct dbl_acquire_spec *spec, const struct dblock_acquire_options *o,
		     struct dblock_error *err)
{
	bool counts = o->mode == DBLOCK_PERMITS;

	spec->mode = o->mode;
	spec->weight = 1;
	spec->capacity = 0;
	if ((unsigned)o->mode > DBLOCK_PERMITS)
		return dbl_fail(err, DBLOCK_E_INVALID, "mode is %d; see enum dblock_mode",
				(int)o->mode);
	if (!counts && (o->permits || o->capacity || o->numbered))
		return dbl_fail(err, DBLOCK_E_INVALID,
				"permits, capacity and numbered are for mode DBLOCK_PERMITS");
	if (o->mode != DBLOCK_EXCLUSIVE && o->unfair)
		return dbl_fail(err, DBLOCK_E_INVALID, "unfair is for exclusive locks");
	if (o->idle_ms &&
	    (o->mode != DBLOCK_EXCLUSIVE || o->lease_ms || o->at_least_ms || o->value))
		return dbl_fail(err, DBLOCK_E_INVALID,
				"idle_ms is for exclusive locks without lease_ms, at_least_ms and "
				"value");
	return counts ? read_permits(spec, o, err) : 0;
}

static int check_priority(int priority, struct dblock_error *err)
{
	if (priority >= DBLOCK_PRIORITY_MIN && priority <= DBLOCK_PRIORITY_MAX)
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID, "priority is %d; it is from %d to %d", priority,
			DBLOCK_PRIORITY_MIN, DBLOCK_PRIORITY_MAX);
}

/* Likewise, for a client that was checked. */
static int read_spec(struct dbl_acquire_spec *spec, const struct dblock_client *client,
		     const char *name, const struct dblock_acquire_options *given,
		     struct dblock_error *err)
{
	struct dblock_acquire_options o;
	int rc = dbl_name_check(name, err);

	if (rc == 0)
		rc = dbl_options_read(&o, sizeof(o), given, "DBLOCK_ACQUIRE_OPTIONS", err);
	if (rc)
		return rc;
	*spec = (struct dbl_acquire_spec){.name = name,
					  .value = o.value,
					  .owner = dbl_owner_named(o.owner),
					  .unfair = o.unfair,
					  .priority = o.priority,
					  .canceled = o.canceled,
					  .canceled_arg = o.canceled_arg,
					  .lost = o.lost,
					  .lost_arg = o.lost_arg,
					  .waiting = o.waiting,
					  .waiting_arg = o.waiting_arg,
					  .requested = o.release_requested,
					  .requested_arg = o.release_requested_arg};
	rc = dbl_value_check(o.value, err);
	if (rc == 0)
		rc = dbl_time_read(&spec->idle, "idle_ms", o.idle_ms, 1, DBLOCK_LEASE_MAX_MS, 0,
				   err);
	if (rc == 0)
		rc = dbl_time_read(&spec->lease, "lease_ms", o.lease_ms, DBLOCK_LEASE_MIN_MS,
				   DBLOCK_LEASE_MAX_MS, 0, err);
	if (rc == 0)
		rc = dbl_time_read(&spec->at_least, "at_least_ms", o.at_least_ms, 1,
				   DBLOCK_LEASE_MAX_MS, 0, err);
	if (rc == 0)
		rc = dbl_time_read(&spec->settle, "settle_ms", o.settle_ms, 1, DBLOCK_TTL_MAX_MS, 0,
				   err);
	if (rc == 0)
		rc = dbl_time_read(&spec->waiting_every, "waiting_every_ms", o.waiting_every_ms,
				   DBLOCK_WAITING_EVERY_MIN_MS, DBLOCK_LEASE_MAX_MS,
				   WAITING_EVERY_DEFAULT_MS, err);
	if (rc == 0)
		rc = dbl_deadlock_read(spec, o.deadlock_ms, err);
	if (rc == 0)
		rc = check_priority(o.priority, err);
	if (rc == 0)
		rc = read_mode(spec, &o, err);
	if (rc == 0)
		rc = dbl_wait_read(spec, o.wait_ms, client->locks->env, err);
	return rc;
}

int dbl_spec_read(struct dbl_acquire_spec *spec, const struct dblock_client *client,
		  const char *name, const struct dblock_acquire_options *given,
		  struct dblock_error *err)
{
	int rc = dbl_client_check(client, err);

	return rc ? rc : read_spec(spec, client, name, given, err);
}

int dbl_deadlock_read(struct dbl_acquire_spec *spec, int64_t deadlock_ms, struct dblock_error *err)
{
	spec->deadlock_after = 0;
	if (deadlock_ms < 0)
		return 0;
	return dbl_time_read(&spec->deadlock_after, "deadlock_ms", deadlock_ms, 1,
			     DBLOCK_LEASE_MAX_MS, DEADLOCK_DEFAULT_MS, err);
}

static int acquire(enum dbl_how how, struct dblock_client *client, const char *name,
		   const struct dblock_acquire_options *options, struct dblock_lock **lock,
		   struct dblock_error *err)
{
	DBL_UNCANCELED;
	struct dbl_acquire_spec spec;
	int rc;

	if (!lock)
		return dbl_fail(err, DBLOCK_E_INVALID, "lock is NULL");
	*lock = NULL;
	rc = dbl_client_check_locks(client, err);
	if (rc == 0)
		rc = read_spec(&spec, client, name, options, err);
	if (rc)
		return rc;
	return client->locks->calls->acquire[spec.wait_until ? how : DBL_TRY](client->locks, &spec,
									      lock, err);
}

int dblock_try(struct dblock_client *client, const char *name,
	       const struct dblock_acquire_options *options, struct dblock_lock **lock,
	       struct dblock_error *err)
{
	struct dblock_error heard = {0};

	return dbl_tell(err, &heard, acquire(DBL_TRY, client, name, options, lock, &heard));
}

int dblock_acquire(struct dblock_client *client, const char *name,
		   const struct dblock_acquire_options *options, struct dblock_lock **lock,
		   struct dblock_error *err)
{
	struct dblock_error heard = {0};

	return dbl_tell(err, &heard, acquire(DBL_WAIT_FOR_IT, client, name, options, lock, &heard));
}

/* Is the handle a parent process's? Its client's connections must not be touched then. */
static bool is_parents(const struct dblock_lock *lock)
{
	return dbl_host_pid() != lock->locks->host->pid;
}

int dbl_lock_check(const struct dblock_lock *lock, struct dblock_error *err)
{
	if (!lock)
		return dbl_fail(err, DBLOCK_E_INVALID, "lock is NULL");
	if (is_parents(lock))
		return dbl_fail(
			err, DBLOCK_E_FORKED,
			"'%s' is held by the parent process; only that one can use the handle",
			lock->name);
	return 0;
}

int dbl_lock_check_single(const struct dblock_lock *lock, struct dblock_error *err)
{
	int rc = dbl_lock_check(lock, err);

	if (rc || lock->locks->calls == &dbl_lock_calls)
		return rc;
	return dbl_fail(
		err, DBLOCK_E_INVALID,
		"'%s' is held on a majority of several databases, which this call is not for",
		lock->name);
}

int dblock_release(struct dblock_lock *lock, struct dblock_error *err)
{
	DBL_UNCANCELED;
	struct dblock_error heard = {0};
	int rc = dbl_lock_check(lock, &heard);

	if (rc == 0)
		rc = lock->locks->calls->release(lock, &heard);
	return dbl_tell(err, &heard, rc);
}

int dblock_lost_fd(struct dblock_lock *lock, int *fd, struct dblock_error *err)
{
	int rc = dbl_lock_check(lock, err);

	if (rc == 0 && !fd)
		rc = dbl_fail(err, DBLOCK_E_INVALID, "fd is NULL");
	if (rc)
		return rc;
	*fd = dbl_lock_lost_fd(lock);
	return *fd >= 0 ? 0 : dbl_fail(err, DBLOCK_E_NOMEM, "no file descriptor is left");
}

int dbl_lease_read(int64_t *lease, int64_t lease_ms, struct dblock_error *err)
{
	if (lease_ms == 0)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"lease_ms is 0 ms; say how long it is to last from now");
	return dbl_time_read(lease, "lease_ms", lease_ms, DBLOCK_LEASE_MIN_MS, DBLOCK_LEASE_MAX_MS,
			     0, err);
}

int dblock_extend(struct dblock_lock *lock, int64_t lease_ms, struct dblock_error *err)
{
	DBL_UNCANCELED;
	struct dblock_error heard = {0};
	int64_t lease;
	int rc = dbl_lock_check(lock, &heard);

	if (rc == 0)
		rc = dbl_lease_read(&lease, lease_ms, &heard);
	if (rc == 0)
		rc = lock->locks->calls->extend(lock, lease, &heard);
	return dbl_tell(err, &heard, rc);
}

static int check_grant(const struct dblock_client *client, const char *name, int64_t token,
		       struct dblock_error *err)
{
	int rc = dbl_client_check_locks(client, err);

	if (rc == 0)
		rc = dbl_name_check(name, err);
	if (rc == 0 && token <= 0)
		rc = dbl_fail(err, DBLOCK_E_INVALID, "token is %lld; tokens are positive",
			      (long long)token);
	return rc;
}

int dblock_release_token(struct dblock_client *client, const char *name, int64_t token,
			 struct dblock_error *err)
{
	DBL_UNCANCELED;
	struct dblock_error heard = {0};
	int rc = check_grant(client, name, token, &heard);

	if (rc == 0)
		rc = client->locks->calls->release_token(client->locks, name, token, &heard);
	return dbl_tell(err, &heard, rc);
}

int dblock_extend_token(struct dblock_client *client, const char *name, int64_t token,
			int64_t lease_ms, struct dblock_error *err)
{
	DBL_UNCANCELED;
	struct dblock_error heard = {0};
	int64_t lease;
	int rc = check_grant(client, name, token, &heard);

	if (rc == 0)
		rc = dbl_lease_read(&lease, lease_ms, &heard);
	if (rc == 0)
		rc = client->locks->calls->extend_token(client->locks, name, token, lease, &heard);
	return dbl_tell(err, &heard, rc);
}

/* Reading a validity may end it, which looks the same as if it had ended before; so the handle
 * stays const. In a child process nothing is left: neither the lock nor a heartbeat. */
static int64_t left_us(const struct dblock_lock *lock)
{
	union {
		const struct dblock_lock *given;
		struct dblock_lock *lock;
	} same = {.given = lock};

	if (!lock || is_parents(lock) || dbl_in_tx_of(lock) != DBL_IN_TX_NOT)
		return 0;
	return lock->locks->calls->left(same.lock);
}

bool dblock_valid(const struct dblock_lock *lock, int64_t need_ms)
{
	return left_us(lock) > (need_ms > 0 ? dbl_ms(need_ms) : 0);
}

int64_t dblock_remaining_ms(const struct dblock_lock *lock)
{
	return left_us(lock) / 1000;
}

int64_t dblock_token(const struct dblock_lock *lock)
{
	return lock ? lock->grant.token : 0;
}

const char *dblock_name(const struct dblock_lock *lock)
{
	return lock ? lock->name : "";
}
