/* SPDX-License-Identifier: MIT */
#include <dblock/wait.h>

#include "api/client.h"
#include "lock/begun_calls.h"

typedef int begin_fn(struct dbl_locks *, const struct dbl_acquire_spec *, struct dblock_wait **,
		     struct dblock_error *);

static int begin(begin_fn *how, struct dblock_client *client, const char *name,
		 const struct dblock_acquire_options *options, struct dblock_wait **wait,
		 struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dbl_acquire_spec spec;
	int rc;

	if (!wait)
		return dbl_fail(err, DBLOCK_E_INVALID, "wait is NULL");
	*wait = NULL;
	rc = dbl_spec_read(&spec, client, name, options, &heard);
	if (rc == 0)
		rc = how(client->locks, &spec, wait, &heard);
	return dbl_tell(err, &heard, rc);
}

static int acquire_or_try(struct dbl_locks *locks, const struct dbl_acquire_spec *spec,
			  struct dblock_wait **wait, struct dblock_error *err)
{
	return (spec->wait_until ? dbl_acquire_begin : dbl_try_begin)(locks, spec, wait, err);
}

int dblock_acquire_begin(struct dblock_client *client, const char *name,
			 const struct dblock_acquire_options *options, struct dblock_wait **wait,
			 struct dblock_error *err)
{
	return begin(acquire_or_try, client, name, options, wait, err);
}

int dblock_try_begin(struct dblock_client *client, const char *name,
		     const struct dblock_acquire_options *options, struct dblock_wait **wait,
		     struct dblock_error *err)
{
	return begin(dbl_try_begin, client, name, options, wait, err);
}

int dblock_release_begin(struct dblock_lock *lock, struct dblock_wait **wait,
			 struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int rc;

	if (!wait)
		return dbl_fail(err, DBLOCK_E_INVALID, "wait is NULL");
	*wait = NULL;
	rc = dbl_lock_check_single(lock, &heard);
	if (rc == 0)
		rc = dbl_release_begin(lock, wait, &heard);
	return dbl_tell(err, &heard, rc);
}

int dblock_extend_begin(struct dblock_lock *lock, int64_t lease_ms, struct dblock_wait **wait,
			struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int64_t lease;
	int rc;

	if (!wait)
		return dbl_fail(err, DBLOCK_E_INVALID, "wait is NULL");
	*wait = NULL;
	rc = dbl_lock_check_single(lock, &heard);
	if (rc == 0)
		rc = dbl_lease_read(&lease, lease_ms, &heard);
	if (rc == 0)
		rc = dbl_extend_begin(lock, lease, wait, &heard);
	return dbl_tell(err, &heard, rc);
}

/* Does it belong to the parent process? */
static bool is_parents(const struct dblock_wait *wait)
{
	return dbl_host_pid() != wait->locks->host->pid;
}

static int check(const struct dblock_wait *wait, struct dblock_error *err)
{
	if (!wait)
		return dbl_fail(err, DBLOCK_E_INVALID, "wait is NULL");
	if (is_parents(wait))
		return dbl_fail(err, DBLOCK_E_FORKED,
				"'%s': the parent process waits; only that one can go on with it",
				wait->name);
	return 0;
}

int dblock_wait_fd(struct dblock_wait *wait, int *fd, struct dblock_error *err)
{
	int rc = check(wait, err);

	if (rc == 0 && !fd)
		rc = dbl_fail(err, DBLOCK_E_INVALID, "fd is NULL");
	if (rc == 0)
		*fd = wait->alarm;
	return rc;
}

typedef int drive_fn(struct dblock_wait *, struct dblock_lock **, struct dblock_error *);

static int drive(drive_fn *how, struct dblock_wait *wait, struct dblock_lock **lock,
		 struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int rc;

	if (!lock)
		return dbl_fail(err, DBLOCK_E_INVALID, "lock is NULL");
	*lock = NULL;
	rc = check(wait, &heard);
	if (rc == 0)
		rc = how(wait, lock, &heard);
	return dbl_tell(err, &heard, rc);
}

int dblock_wait_step(struct dblock_wait *wait, struct dblock_lock **lock, struct dblock_error *err)
{
	return drive(dbl_begun_step, wait, lock, err);
}

int dblock_wait_finish(struct dblock_wait *wait, struct dblock_lock **lock,
		       struct dblock_error *err)
{
	return drive(dbl_begun_finish, wait, lock, err);
}

void dblock_wait_cancel(struct dblock_wait *wait)
{
	if (wait && !is_parents(wait))
		dbl_begun_cancel(wait);
}

void dblock_wait_end(struct dblock_wait *wait)
{
	DBL_UNCANCELED;

	/* In a child process the wait's row is the parent's, and the memory goes with the
	 * process. */
	if (wait && !is_parents(wait))
		dbl_begun_end(wait);
}
