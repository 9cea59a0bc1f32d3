/* SPDX-License-Identifier: MIT */
#include <dblock/admin.h>

#include "api/client.h"
#include "lock/admin/admin.h"
#include "lock/admin/revoke.h"
#include "lock/core/name.h"
#include "lock/watch/requested.h"

#define BREAK_ROW_WAIT_MS      5000
#define BREAK_TELL_DEFAULT_MS  1000
#define PURGE_AFTER_DEFAULT_MS (7LL * 24 * 3600 * 1000)
#define KEEP_MARKS_DEFAULT_MS  (400LL * 24 * 3600 * 1000)
#define MAX_TIME_DEFAULT_MS    60000LL

/* The caller's callback and its argument. */
struct audience {
	dblock_holder_cb *found;
	void *arg;
};

static enum dblock_hold hold_of(const struct dbl_holder *h)
{
	if (h->by_session)
		return DBLOCK_HOLD_SESSION;
	if (!h->by_time)
		return DBLOCK_HOLD_FREE;
	return h->nonce ? DBLOCK_HOLD_LEASE : DBLOCK_HOLD_MINIMUM;
}

/* Rounded towards minus infinity, so that a time that is over is never shown as 0. */
static int64_t to_ms(int64_t us)
{
	return us / 1000 - (us % 1000 < 0);
}

static struct dblock_taken taken_of(const struct dbl_holder *h)
{
	const struct dblock_release_request *by = h->taken ? &h->taken->request : NULL;

	return (struct dblock_taken){
		.size = sizeof(struct dblock_taken),
		.cause = (enum dblock_loss_cause)h->taken_cause,
		.host = by ? by->host : "",
		.pid = by ? by->pid : 0,
		.app = by ? by->app : "",
		.since_us = by ? by->since_us : 0,
		.told = h->taken_told,
	};
}

static enum dblock_process process_of(const struct dbl_holder *h)
{
	if (!h->by_session || h->word == DBL_MARK_NOTHING)
		return DBLOCK_PROCESS_UNKNOWN;
	return h->word == DBL_MARK_DEAD ? DBLOCK_PROCESS_ENDED : DBLOCK_PROCESS_LIVES;
}

/* The row of a lease that was not released keeps its end until the next grant, or the reaper. */
static bool has_end(const struct dbl_holder *h)
{
	return h->left != INT64_MIN && (h->by_session || h->by_time || (h->nonce && h->left <= 0));
}

static int tell(void *ctx, const struct dbl_holder *h)
{
	const struct audience *audience = ctx;
	bool known = has_end(h);
	struct dblock_taken taken = taken_of(h);
	struct dblock_holder holder = {
		.size = sizeof(holder),
		.name = h->name,
		.hold = hold_of(h),
		.token = h->token,
		.host = h->host,
		.pid = h->pid,
		.thread = h->thread,
		.reentry = h->reentry,
		.app = h->app,
		.session = h->session,
		.session_dead = h->session_dead,
		.session_missing = h->by_session && !h->session_found,
		.acquired_us = h->acquired,
		.expires_us = known ? h->now + h->left : 0,
		.left_ms = known ? to_ms(h->left) : INT64_MIN,
		.value = h->value,
		.waiting = h->waiting,
		.mode = (enum dblock_mode)h->mode,
		.permits = h->mode == DBLOCK_PERMITS ? h->weight : 0,
		.capacity = h->mode == DBLOCK_PERMITS ? h->capacity : 0,
		.request = h->requester ? &h->requester->request : NULL,
		.taken = h->taken ? &taken : NULL,
		.process = process_of(h),
		.held_ms = h->acquired ? to_ms(h->now - h->acquired) : INT64_MIN,
	};

	return audience->found(audience->arg, &holder);
}

int dbl_client_check_found(const struct dblock_client *client, bool found, struct dblock_error *err)
{
	int rc = dbl_client_check_look(client, err);

	if (rc == 0 && !found)
		rc = dbl_fail(err, DBLOCK_E_INVALID, "the callback is NULL");
	return rc;
}

static int read_list(struct dbl_list *list, const struct dblock_list_options *options,
		     struct dblock_error *err)
{
	struct dblock_list_options o;
	int rc = dbl_options_read(&o, sizeof(o), options, "DBLOCK_LIST_OPTIONS", err);

	if (rc == 0 && o.limit < 0)
		rc = dbl_fail(err, DBLOCK_E_INVALID, "limit is %lld; it must not be negative",
			      (long long)o.limit);
	if (rc == 0 && o.after && *o.after)
		rc = dbl_name_check(o.after, err);
	if (rc == 0)
		*list = (struct dbl_list){o.pattern, o.after, o.limit, o.free_too != 0};
	return rc;
}

int dblock_list(struct dblock_client *client, const struct dblock_list_options *options,
		dblock_holder_cb *found, void *arg, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct audience audience = {found, arg};
	struct dbl_list list;
	int rc = dbl_client_check_found(client, found, &heard);

	if (rc == 0)
		rc = read_list(&list, options, &heard);
	if (rc == 0)
		rc = dbl_holders_list(client->locks, &list, tell, &audience, &heard);
	return dbl_tell(err, &heard, rc);
}

int dbl_client_show(struct dblock_client *client, const char *name, dblock_holder_cb *found,
		    void *arg, struct dblock_error *err)
{
	struct audience audience = {found, arg};

	return dbl_holders_show(client->locks, name, tell, &audience, err);
}

int dblock_show(struct dblock_client *client, const char *name, dblock_holder_cb *found, void *arg,
		struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int rc = dbl_client_check_found(client, found, &heard);

	if (rc == 0)
		rc = dbl_name_check(name, &heard);
	if (rc == 0)
		rc = dbl_client_show(client, name, found, arg, &heard);
	return dbl_tell(err, &heard, rc);
}

static int read_break(struct dbl_break *what, const struct dblock_client *client, const char *name,
		      const struct dblock_break_options *options, struct dblock_error *err)
{
	struct dblock_break_options o;
	struct dbl_acquire_spec spec;
	int rc = dbl_options_read(&o, sizeof(o), options, "DBLOCK_BREAK_OPTIONS", err);

	if (rc == 0 && o.token < 0)
		rc = dbl_fail(err, DBLOCK_E_INVALID, "token is %lld; tokens are positive",
			      (long long)o.token);
	if (rc == 0)
		rc = dbl_wait_read(&spec, o.wait_ms, client->target.env, err);
	if (rc)
		return rc;
	*what = (struct dbl_break){
		.name = name,
		.token = o.token,
		.cause = DBLOCK_LOSS_BROKEN,
		.force = o.force != 0,
		.until = spec.wait_until,
		.row_wait = o.wait_ms && spec.wait_until ? DBL_NEVER : dbl_ms(BREAK_ROW_WAIT_MS),
		.canceled = o.canceled,
		.canceled_arg = o.canceled_arg,
		.waiting = o.waiting,
		.waiting_arg = o.waiting_arg};
	return dbl_time_read(&what->waiting_every, "waiting_every_ms", o.waiting_every_ms, 1,
			     DBLOCK_LEASE_MAX_MS, BREAK_TELL_DEFAULT_MS, err);
}

int dblock_break(struct dblock_client *client, const char *name,
		 const struct dblock_break_options *options, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dbl_break what;
	int rc = dbl_client_check(client, &heard);

	if (rc == 0)
		rc = dbl_name_check(name, &heard);
	if (rc == 0)
		rc = read_break(&what, client, name, options, &heard);
	if (rc == 0)
		rc = dbl_revoke(client->locks, &what, &heard);
	return dbl_tell(err, &heard, rc);
}

/* Read an age; a negative one means at once. */
static int read_age(int64_t *us, const char *what, int64_t ms, int64_t zero_ms,
		    struct dblock_error *err)
{
	if (ms >= 0)
		return dbl_time_read(us, what, ms, 1, DBLOCK_LEASE_MAX_MS, zero_ms, err);
	*us = 0;
	return 0;
}

static int read_reap(struct dbl_reap *reap, const struct dblock_reap_options *options,
		     struct dblock_error *err)
{
	struct dblock_reap_options o;
	int rc = dbl_options_read(&o, sizeof(o), options, "DBLOCK_REAP_OPTIONS", err);

	if (rc)
		return rc;
	*reap = (struct dbl_reap){
		.canceled = o.canceled, .canceled_arg = o.canceled_arg, .local = o.local != 0};
	rc = read_age(&reap->max_time, "max_time_ms", o.max_time_ms, MAX_TIME_DEFAULT_MS, err);
	if (rc)
		return rc;
	rc = read_age(&reap->purge_after, "purge_after_ms", o.purge_after_ms,
		      PURGE_AFTER_DEFAULT_MS, err);
	return rc ? rc
		  : read_age(&reap->keep_marks, "keep_marks_ms", o.keep_marks_ms,
			     KEEP_MARKS_DEFAULT_MS, err);
}

int dblock_reap(struct dblock_client *client, const struct dblock_reap_options *options,
		struct dblock_reaped *reaped, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dbl_reap reap = {0};
	int rc = dbl_client_check(client, &heard);

	if (rc == 0 && reaped)
		rc = dbl_out_check(reaped, "DBLOCK_REAPED", &heard);
	if (rc == 0)
		rc = read_reap(&reap, options, &heard);
	if (rc)
		return dbl_tell(err, &heard, rc);
	rc = dbl_reap(client->locks, &reap, &heard);
	if (reaped) {
		const struct dblock_reaped told = {
			.sessions_buried = reap.expired,
			.locks_freed = reap.freed,
			.sessions_deleted = reap.deleted,
			.names_purged = reap.purged,
			.marks_deleted = reap.forgotten,
			.sessions_watched = reap.watched,
		};

		dbl_out_write(reaped, &told, sizeof(told));
	}
	return dbl_tell(err, &heard, rc);
}
