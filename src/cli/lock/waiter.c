/* SPDX-License-Identifier: MIT */
#include "cli/lock/waiter.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/lock/mode.h"
#include "cli/ui/duration.h"
#include "cli/ui/times.h"

const char *const dbl_waiter_heads[] = {"NAME", "PLACE",   "BY",   "APP", "SINCE",
					"FOR",  "SESSION", "MODE", NULL};
const char *const dbl_waiter_heads_of_one[] = {"PLACE",   "BY",   "APP",   "SINCE", "FOR",
					       "SESSION", "MODE", "VALUE", NULL};

/* How it is with the session that it waits by. */
static const char *session(const struct dblock_waiter *w)
{
	if (w->session_missing)
		return "missing";
	if (w->session_dead)
		return "dead";
	return w->session_late ? "late" : "alive";
}

static void add_who(struct dbl_table *table, const struct dblock_waiter *w)
{
	char text[300];

	if (w->session_missing)
		strcpy(text, "-");
	else
		snprintf(text, sizeof(text), "%s:%" PRId64, w->host[0] ? w->host : "?", w->pid);
	dbl_table_add(table, text);
	dbl_table_add(table, w->app[0] ? w->app : "-");
}

static void add_place(struct dbl_table *table, const struct dblock_waiter *w)
{
	char text[32] = "-";

	if (w->place)
		snprintf(text, sizeof(text), "%" PRId64, w->place);
	dbl_table_add(table, text);
}

static void add_since(struct dbl_table *table, const struct dblock_waiter *w)
{
	char at[DBL_TIME_TEXT], age[DBL_DURATION_TEXT];

	dbl_time_local(w->since_us, at);
	dbl_table_add(table, at);
	dbl_duration_text(w->waiting_ms, age);
	dbl_table_add(table, age);
}

static void add_mode(struct dbl_table *table, const struct dblock_waiter *w)
{
	char text[DBL_MODE_TEXT];

	dbl_mode_text(w->mode, w->permits, w->capacity, text, sizeof(text));
	dbl_table_add(table, text);
}

void dbl_waiter_row(struct dbl_table *table, const struct dblock_waiter *w)
{
	if (table->heads == dbl_waiter_heads)
		dbl_table_add(table, w->name);
	add_place(table, w);
	add_who(table, w);
	add_since(table, w);
	dbl_table_add(table, session(w));
	add_mode(table, w);
	if (table->heads == dbl_waiter_heads_of_one)
		dbl_table_add(table, w->value);
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
	dbl_json_text(object, "session_state", session(w));
	dbl_json_time(object, "since", w->since_us);
	dbl_json_number(object, "waiting_ms", w->waiting_ms);
	json_object_set_new(object, "lease_ms",
			    w->lease_ms ? json_integer(w->lease_ms) : json_null());
	dbl_json_text(object, "value", w->value);
	dbl_mode_json(object, w->mode, w->permits, w->capacity);
	return object;
}
