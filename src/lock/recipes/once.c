/* SPDX-License-Identifier: MIT */
#include "lock/recipes/once.h"

#include "lock/cache/local.h"
#include "lock/core/retry.h"
#include "lock/core/value.h"
#include "lock/handle/handle.h"
#include "lock/lock.h"
#include "lock/tx/attachment.h"
#include <string.h>
#include <time.h>

/* Who has done the job, as the database says. */
struct mark {
	bool found;
	int64_t token, pid, marked;
	char host[256];
};

/* The call that wants to do the job. */
struct asker {
	const struct dbl_acquire_spec *spec;
	bool waits;
};

static int take_mark(void *ctx, const struct dbl_value *row)
{
	struct mark *mark = ctx;

	mark->found = true;
	mark->token = row[0].i;
	dbl_copy_text(mark->host, sizeof(mark->host), &row[1]);
	mark->pid = row[2].i;
	mark->marked = row[3].i;
	return 0;
}

/* Read the mark, for a call that wants to do the job; `by` is NULL for one that has done it. */
static int find(struct dbl_locks *locks, const char *name, const char *slot, const struct asker *by,
		struct mark *mark, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(name), dbl_text(slot)};
	struct dbl_request request = {.op = DBL_OP_once_find,
				      .args = DBL_ARGS(args),
				      .row = take_mark,
				      .ctx = mark,
				      .deadline = dbl_locks_deadline(locks)};

	*mark = (struct mark){.found = false};
	return by ? dbl_read_for(locks, by->spec, by->waits ? DBL_WHILE_IT_MAY_PASS : DBL_AT_ONCE,
				 &request, err)
		  : dbl_retry_while_locked(locks, &request, err);
}

static int tell(const struct mark *mark, const char *name, const char *slot,
		struct dblock_error *err, int code)
{
	time_t seconds = (time_t)(mark->marked / 1000000);
	char when[32] = "?";
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		(void)strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S+00:00", &tm);
	return dbl_fail(err, code,
			"'%s': slot '%s' was done at %s by host %s, pid %lld (token %lld)", name,
			slot, when, mark->host, (long long)mark->pid, (long long)mark->token);
}

/* 0: the slot is not marked. */
static int check_open(struct dbl_locks *locks, const struct asker *by, const char *slot,
		      struct dblock_error *err)
{
	const char *name = by->spec->name;
	struct mark mark;
	int rc = find(locks, name, slot, by, &mark, err);

	return rc || !mark.found ? rc : tell(&mark, name, slot, err, DBLOCK_DONE);
}

/* The lock is held: is the job ours to do? */
static int begin(struct dblock_lock *lock, const struct asker *by, const char *slot,
		 struct dblock_error *err)
{
	int rc;

	if (dbl_handle_count(lock) > 1)
		return dbl_fail(
			err, DBLOCK_E_INVALID,
			"'%s' is held by this thread, or owner, already: a job is not begun "
			"within another one of its name",
			lock->name);
	DBL_ASSERT(!lock->slot[0], "%s", lock->slot);
	memcpy(lock->slot, slot, strlen(slot) + 1);
	rc = check_open(lock->locks, by, slot, err);
	if (rc || dbl_grant_left(lock) > 0)
		return rc;
	return dbl_fail(err, DBLOCK_LOST,
			"'%s' was granted, but the answers took so long that it is lost again",
			lock->name);
}

int dbl_once(struct dbl_locks *locks, dbl_acquire_fn *how, const struct dbl_acquire_spec *spec,
	     const char *slot, struct dblock_lock **out, struct dblock_error *err)
{
	const struct asker by = {spec, how != dbl_lock_try};
	/* Most calls come late: these need no lock, and do not wait for another slot's job. */
	int rc = check_open(locks, &by, slot, err);

	if (rc == 0)
		rc = how(locks, spec, out, err);
	if (rc)
		return rc;
	rc = begin(*out, &by, slot, err);
	if (rc == 0)
		return 0;
	(void)dbl_lock_release(*out, NULL);
	*out = NULL;
	return rc;
}

static int write_mark(struct dblock_lock *lock, bool *marked, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(lock->name), dbl_text(lock->slot),
				   dbl_int(lock->grant.token), dbl_int(lock->grant.nonce)};
	struct dbl_request request = {.op = DBL_OP_once_mark,
				      .args = DBL_ARGS(args),
				      .deadline = dbl_locks_deadline(lock->locks)};
	int rc = dbl_run_durable(lock->locks, &request, err);

	*marked = rc == 0 && request.changed > 0;
	return rc;
}

/* No mark was written: an earlier copy of the request, whose reply was lost, has done so, or the
 * grant is over. The mark's token tells. */
static int settle(const struct dblock_lock *lock, struct dblock_error *err)
{
	struct mark mark;
	int rc = find(lock->locks, lock->name, lock->slot, NULL, &mark, err);

	if (rc || (mark.found && mark.token == lock->grant.token))
		return rc;
	if (mark.found)
		return tell(&mark, lock->name, lock->slot, err, DBLOCK_LOST);
	return dbl_fail(err, DBLOCK_LOST,
			"'%s': slot '%s' was not marked as done: the lock (token %lld) had been "
			"lost before, so it is somebody else's to do",
			lock->name, lock->slot, (long long)lock->grant.token);
}

int dbl_once_done(struct dblock_lock *lock, struct dblock_error *err)
{
	bool marked;
	int rc;

	DBL_ASSERT(lock->slot[0]); /* the lock is that of a job */
	rc = dbl_attachment_check(lock, err);
	if (rc == DBLOCK_FENCED)
		return rc;
	dbl_local_use_row_token(lock);
	rc = write_mark(lock, &marked, err);
	if (rc == 0 && !marked)
		rc = settle(lock, err);
	/* The mark is there, or never will be; a release that fails is sent again later. */
	if (rc >= 0)
		(void)dbl_lock_release(lock, NULL);
	return rc;
}
