/* SPDX-License-Identifier: MIT */
#include <dblock/events.h>

#include "api/client.h"
#include "lock/admin/events.h"
#include "lock/core/name.h"

/* The caller's callback and its argument. */
struct audience {
	dblock_event_cb *found;
	void *arg;
};

static const char *const kinds[] = {
	[DBLOCK_EVENT_LOST] = "lost",     [DBLOCK_EVENT_DEAD] = "dead",
	[DBLOCK_EVENT_ENDED] = "ended",   [DBLOCK_EVENT_EXPIRED] = "expired",
	[DBLOCK_EVENT_BROKEN] = "broken", [DBLOCK_EVENT_RELEASED] = "released",
	[DBLOCK_EVENT_FREED] = "freed",   [DBLOCK_EVENT_REFUSED] = "refused",
	[DBLOCK_EVENT_FORCED] = "forced", [DBLOCK_EVENT_SCHEMA] = "schema",
};

const char *dblock_event_name(enum dblock_event_kind kind)
{
	bool known = (unsigned)kind < sizeof(kinds) / sizeof(kinds[0]) && kinds[kind];

	return known ? kinds[kind] : "?";
}

static int tell(void *ctx, const struct dbl_event *e)
{
	const struct audience *audience = ctx;
	struct dblock_event event = {
		.size = sizeof(event),
		.id = e->id,
		.at_us = e->at,
		/* The clock may have been set back since. */
		.ago_ms = e->now > e->at ? (e->now - e->at) / 1000 : 0,
		.kind = (enum dblock_event_kind)e->kind,
		.name = e->name,
		.token = e->token,
		.host = e->host,
		.pid = e->pid,
		.app = e->app,
		.session = e->session,
		.by_host = e->by_host,
		.by_pid = e->by_pid,
		.by_app = e->by_app,
		.detail = e->detail,
	};

	return audience->found(audience->arg, &event);
}

static int not_negative(const char *what, int64_t n, struct dblock_error *err)
{
	if (n >= 0)
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID, "%s is %lld; it must not be negative", what,
			(long long)n);
}

static int read_options(struct dbl_event_list *list, const struct dblock_events_options *options,
			struct dblock_error *err)
{
	struct dblock_events_options o;
	int rc = dbl_options_read(&o, sizeof(o), options, "DBLOCK_EVENTS_OPTIONS", err);

	if (rc == 0)
		rc = not_negative("after", o.after, err);
	if (rc == 0)
		rc = not_negative("limit", o.limit, err);
	if (rc == 0 && o.name)
		rc = dbl_name_check(o.name, err);
	*list = (struct dbl_event_list){.name = o.name, .after = o.after, .limit = o.limit};
	return rc ? rc
		  : dbl_time_read(&list->since, "since_ms", o.since_ms, 1, DBLOCK_LEASE_MAX_MS, 0,
				  err);
}

int dblock_events(struct dblock_client *client, const struct dblock_events_options *options,
		  dblock_event_cb *found, void *arg, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct audience audience = {found, arg};
	struct dbl_event_list list;
	int rc = dbl_client_check_found(client, found, &heard);

	if (rc == 0)
		rc = read_options(&list, options, &heard);
	if (rc == 0)
		rc = dbl_events_list(client->locks, &list, tell, &audience, &heard);
	return dbl_tell(err, &heard, rc);
}
