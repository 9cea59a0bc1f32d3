/* SPDX-License-Identifier: MIT */
#include <dblock/admin.h>

#include "api/client.h"
#include "lock/admin/admin.h"
#include "lock/core/name.h"

/* The caller's callback and its argument. */
struct audience {
	dblock_waiter_cb *found;
	void *arg;
};

static int tell(void *ctx, const struct dbl_queued *w)
{
	const struct audience *audience = ctx;
	struct dblock_waiter waiter = {
		.size = sizeof(waiter),
		.name = w->name,
		.place = w->place,
		.ticket = w->ticket,
		.host = w->host,
		.pid = w->pid,
		.thread = w->thread,
		.app = w->app,
		.session = w->session,
		.session_dead = w->session_dead,
		.session_missing = !w->session_found,
		.session_late = w->left != INT64_MIN && w->left <= 0,
		.since_us = w->since,
		/* The clock may have been set back since. */
		.waiting_ms = w->now > w->since ? (w->now - w->since) / 1000 : 0,
		.lease_ms = w->lease / 1000,
		.value = w->value,
		.mode = (enum dblock_mode)w->mode,
		.permits = w->mode == DBLOCK_PERMITS ? w->weight : 0,
		.capacity = w->mode == DBLOCK_PERMITS ? w->capacity : 0,
		.priority = (int)w->priority,
	};

	return audience->found(audience->arg, &waiter);
}

static int read_options(struct dbl_queue_list *list, const struct dblock_waiters_options *options,
			struct dblock_error *err)
{
	struct dblock_waiters_options o;
	int rc = dbl_options_read(&o, sizeof(o), options, "DBLOCK_WAITERS_OPTIONS", err);

	if (rc == 0 && o.limit < 0)
		rc = dbl_fail(err, DBLOCK_E_INVALID, "limit is %lld; it must not be negative",
			      (long long)o.limit);
	if (rc == 0 && o.after_ticket < 0)
		rc = dbl_fail(err, DBLOCK_E_INVALID,
			      "after_ticket is %lld; it must not be negative",
			      (long long)o.after_ticket);
	if (rc == 0 && o.name)
		rc = dbl_name_check(o.name, err);
	if (rc == 0 && o.after && *o.after)
		rc = dbl_name_check(o.after, err);
	*list = (struct dbl_queue_list){o.name, o.pattern, o.after, o.after_ticket, o.limit};
	return rc;
}

int dblock_waiters(struct dblock_client *client, const struct dblock_waiters_options *options,
		   dblock_waiter_cb *found, void *arg, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct audience audience = {found, arg};
	struct dbl_queue_list list;
	int rc = dbl_client_check_found(client, found, &heard);

	if (rc == 0)
		rc = read_options(&list, options, &heard);
	if (rc == 0)
		rc = dbl_waiters_list(client->locks, &list, tell, &audience, &heard);
	return dbl_tell(err, &heard, rc);
}
