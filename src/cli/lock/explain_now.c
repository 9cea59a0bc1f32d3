/* SPDX-License-Identifier: MIT */
/* Who has a lock, and why it has not moved. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/lock/explain.h"
#include "cli/ui/duration.h"
#include "cli/ui/print.h"

const char *dbl_explain_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

json_int_t dbl_explain_number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

void dbl_explain_say(struct dbl_explained *e, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (text)
		json_array_append_new(e->sentences, json_string(text));
	free(text);
}

void dbl_explain_who(const json_t *object, char text[DBL_EXPLAIN_WHO])
{
	const char *host = dbl_explain_text(object, "host"), *app = dbl_explain_text(object, "app");
	json_int_t pid = dbl_explain_number(object, "pid");

	if (!*host && !pid)
		snprintf(text, DBL_EXPLAIN_WHO, "somebody");
	else
		snprintf(text, DBL_EXPLAIN_WHO, "%s:%" JSON_INTEGER_FORMAT "%s%s%s",
			 *host ? host : "?", pid, *app ? " (" : "", app, *app ? ")" : "");
}

void dbl_explain_at(const json_t *object, const char *key, char text[DBL_EXPLAIN_TIME])
{
	json_int_t us = dbl_explain_number(object, key);
	char at[DBL_TIME_TEXT];

	dbl_time_local(us, at);
	if (us)
		snprintf(text, DBL_EXPLAIN_TIME, "at %s", at);
	else
		snprintf(text, DBL_EXPLAIN_TIME, "at a time that is not known");
}

/* ---- who has it ------------------------------------------------------------------------------ */

static bool is(const json_t *object, const char *key, const char *text)
{
	return strcmp(dbl_explain_text(object, key), text) == 0;
}

static void say_holder(struct dbl_explained *e, const json_t *holder)
{
	char who[DBL_EXPLAIN_WHO], at[DBL_EXPLAIN_TIME], mode[64] = "";

	dbl_explain_who(holder, who);
	dbl_explain_at(holder, "acquired_us", at);
	if (is(holder, "mode", "permits"))
		snprintf(mode, sizeof(mode), ", %lld of %lld permits",
			 dbl_explain_number(holder, "permits"),
			 dbl_explain_number(holder, "capacity"));
	else if (!is(holder, "mode", "exclusive"))
		snprintf(mode, sizeof(mode), ", %s", dbl_explain_text(holder, "mode"));
	if (is(holder, "held", "minimum"))
		dbl_explain_say(e, "%s has released it, and had it from %s on (token %lld).", who,
				at + strlen("at "), dbl_explain_number(holder, "token"));
	else
		dbl_explain_say(e, "%s has it since %s (token %lld%s).", who, at + strlen("at "),
				dbl_explain_number(holder, "token"), mode);
	if (*dbl_explain_text(holder, "value"))
		dbl_explain_say(e, "It says of it: %s.", dbl_explain_text(holder, "value"));
}

/* The row's token is not its last holder's if that one's grant was broken. */
static void say_last(struct dbl_explained *e)
{
	char who[DBL_EXPLAIN_WHO], at[DBL_EXPLAIN_TIME];

	dbl_explain_who(e->object, who);
	dbl_explain_at(e->object, "acquired_us", at);
	dbl_explain_say(e,
			"Nobody has it. %s had it last, from %s on; the next token is above "
			"%lld.",
			who, at + strlen("at "), dbl_explain_number(e->object, "token"));
	if (dbl_explain_number(e->object, "expires_us") == 0)
		return;
	dbl_explain_at(e->object, "expires_us", at);
	dbl_explain_say(e, "Its lease ended %s; it was not released.", at);
}

static void say_free(struct dbl_explained *e)
{
	if (dbl_explain_number(e->object, "token") == 0)
		dbl_explain_say(e, "Nobody has it: it has no row (purged, or never made).");
	else if (*dbl_explain_text(e->object, "host") || dbl_explain_number(e->object, "pid"))
		say_last(e);
	else
		dbl_explain_say(e, "Nobody has it; who had it last is not kept.");
}

/* ---- why it has not moved -------------------------------------------------------------------- */

static void say_process(struct dbl_explained *e, const json_t *holder)
{
	if (is(holder, "process", "lives"))
		dbl_explain_say(e, "Its process lives, on this machine.");
	else if (is(holder, "process", "left"))
		dbl_explain_say(e, "Its process has ended, on this machine, but what came from "
				   "that has not, or it settles.");
	else if (is(holder, "process", "ended"))
		dbl_explain_say(e, "Its process has ended, on this machine: who waits here gets "
				   "it at once, and so does `dblock reap --local`.");
}

/* Tells by its session's heartbeat. */
static void say_session(struct dbl_explained *e, const json_t *holder)
{
	const json_t *left = json_object_get(holder, "left_ms");
	int64_t ms = json_integer_value(left);
	char text[DBL_DURATION_TEXT];

	dbl_duration_text(ms < 0 ? -ms : ms, text);
	say_process(e, holder);
	if (is(holder, "process", "ended"))
		return;
	if (!json_is_integer(left))
		dbl_explain_say(e, "It has not moved, as its session lives as far as is known.");
	else if (ms > 0)
		dbl_explain_say(e,
				"It has not moved, as its holder sends its heartbeat in time (the "
				"last one counts for %s), and has not released it.",
				text);
	else
		dbl_explain_say(e,
				"Its holder's heartbeat is overdue for %s: who waits, or `dblock "
				"reap`, declares it dead after having watched it for its ttl.",
				text);
}

static void say_until(struct dbl_explained *e, const json_t *holder, const char *what)
{
	const json_t *left = json_object_get(holder, "left_ms");
	char at[DBL_EXPLAIN_TIME], in[DBL_TIME_TEXT];

	dbl_explain_at(holder, "expires_us", at);
	dbl_time_left(json_is_integer(left) ? json_integer_value(left) : INT64_MIN, in);
	if (json_is_integer(left) && json_integer_value(left) <= 0)
		dbl_explain_say(e, "%s was over %s (%s): it is there for the taking.", what, at,
				in);
	else
		dbl_explain_say(e, "It has not moved, as %s ends %s (%s).", what, at, in);
}

/* Somebody asks its holder to let go, or takes it away. */
static void say_asked(struct dbl_explained *e, const json_t *holder)
{
	const json_t *request = json_object_get(holder, "request");
	const json_t *taken = json_object_get(holder, "taken");
	char who[DBL_EXPLAIN_WHO], at[DBL_EXPLAIN_TIME];
	const char *reason = dbl_explain_text(request, "reason");

	if (json_is_object(request)) {
		dbl_explain_who(request, who);
		dbl_explain_at(request, "since_us", at);
		dbl_explain_say(e, "%s asked %s that it let go%s%s.", who, at, *reason ? ": " : "",
				reason);
	}
	if (!json_is_object(taken))
		return;
	dbl_explain_who(taken, who);
	dbl_explain_at(taken, "since_us", at);
	dbl_explain_say(e, "It is being taken away: %s by %s, %s; %s.",
			dbl_explain_text(taken, "cause"), who, at,
			json_is_true(json_object_get(taken, "told"))
				? "its holder knows, and has yet to let go"
				: "its holder does not know yet");
}

static void say_why(struct dbl_explained *e, const json_t *holder)
{
	if (is(holder, "held", "dead"))
		dbl_explain_say(e, "Its session was declared dead: it is there for the taking.");
	else if (is(holder, "held", "missing"))
		dbl_explain_say(e, "The row of its session is gone, so nobody can tell whether it "
				   "lives: only `dblock break` helps.");
	else if (is(holder, "held", "session"))
		say_session(e, holder);
	else
		say_until(e, holder,
			  is(holder, "held", "minimum") ? "its minimum hold" : "its lease");
	say_asked(e, holder);
}

/* ---- who waits ------------------------------------------------------------------------------- */

static void say_queue(struct dbl_explained *e)
{
	size_t n = json_array_size(e->queue), counts = 0, i;
	const json_t *waiter, *first = NULL;
	char who[DBL_EXPLAIN_WHO], age[DBL_DURATION_TEXT];

	json_array_foreach(e->queue, i, waiter)
	{
		counts += dbl_explain_number(waiter, "place") > 0;
		if (!first && dbl_explain_number(waiter, "place") > 0)
			first = waiter;
	}
	if (!first) {
		dbl_explain_say(e, n ? "Nobody waits for it: who did is dead."
				     : "Nobody waits for it.");
		return;
	}
	dbl_explain_who(first, who);
	dbl_duration_text(dbl_explain_number(first, "waiting_ms"), age);
	dbl_explain_say(e, "%zu %s for it; the first is %s, for %s%s.", counts,
			counts == 1 ? "waits" : "wait", who, age,
			is(first, "session_state", "late") ? ", whose heartbeat is overdue" : "");
	if (json_array_size(e->holders) == 0)
		dbl_explain_say(e, "It is free, and the first in line has yet to take it.");
}

void dbl_explain_now(struct dbl_explained *e)
{
	const json_t *holder;
	size_t i;

	if (json_array_size(e->holders) == 0)
		say_free(e);
	json_array_foreach(e->holders, i, holder)
	{
		say_holder(e, holder);
		say_why(e, holder);
	}
	say_queue(e);
}
