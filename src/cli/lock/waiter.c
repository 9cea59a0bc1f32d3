/* SPDX-License-Identifier: MIT */
#include "cli/lock/words.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/ui/duration.h"
#include "cli/ui/print.h"

const char *const dbl_waiter_heads[] = {"NAME", "PLACE",          "BY",   "APP", "SINCE",
					"FOR",  DBL_SESSION_HEAD, "MODE", NULL};
const char *const dbl_waiter_heads_of_one[] = {"PLACE",          "BY",   "APP",   "SINCE", "FOR",
					       DBL_SESSION_HEAD, "MODE", "VALUE", NULL};

enum { WANTED_TEXT = DBL_MODE_TEXT + sizeof(", priority -10") };

/* "shared, priority 5" */
static void wanted_text(const struct dblock_waiter *w, char text[WANTED_TEXT])
{
	char mode[DBL_MODE_TEXT];

	dbl_mode_text(w->mode, w->permits, w->capacity, mode, sizeof(mode));
	if (w->priority)
		snprintf(text, WANTED_TEXT, "%s, priority %d", mode, w->priority);
	else
		snprintf(text, WANTED_TEXT, "%s", mode);
}

int dbl_waiter_row(void *table, const struct dblock_waiter *w)
{
	const char *app = w->app[0] ? w->app : "-";
	char place[32] = "-", by[300] = "-", mode[WANTED_TEXT];
	char since[DBL_TIME_TEXT], age[DBL_DURATION_TEXT];

	if (w->place)
		snprintf(place, sizeof(place), "%" PRId64, w->place);
	if (!w->session_missing)
		snprintf(by, sizeof(by), "%s:%" PRId64, w->host[0] ? w->host : "?", w->pid);
	dbl_time_local(w->since_us, since);
	dbl_duration_text(w->waiting_ms, age);
	wanted_text(w, mode);
	if (((struct dbl_table *)table)->heads == dbl_waiter_heads_of_one)
		return dbl_table_add(table, place, by, app, since, age, dbl_waiter_state(w), mode,
				     w->value);
	return dbl_table_add(table, w->name, place, by, app, since, age, dbl_waiter_state(w), mode);
}

json_t *dbl_waiter_json(const struct dblock_waiter *w)
{
	json_t *object = json_object();

	dbl_json_text(object, "name", w->name);
	dbl_json_number(object, "place", w->place);
	dbl_json_number(object, "ticket", w->ticket);
	dbl_json_text(object, "host", w->host);
	dbl_json_number(object, "pid", w->pid);
	dbl_json_number(object, "thread", w->thread);
	dbl_json_text(object, "app", w->app);
	dbl_json_text(object, "session", w->session);
	dbl_json_text(object, "session_state", dbl_waiter_state(w));
	dbl_json_time(object, "since", w->since_us);
	dbl_json_number(object, "waiting_ms", w->waiting_ms);
	json_object_set_new(object, "lease_ms",
			    w->lease_ms ? json_integer(w->lease_ms) : json_null());
	dbl_json_text(object, "value", w->value);
	dbl_mode_json(object, true, w->mode, w->permits, w->capacity);
	dbl_json_number(object, "priority", w->priority);
	return object;
}
