/* SPDX-License-Identifier: MIT */
/*
 * "It ran twice, because ...": a holder may have been at work when somebody else was granted the lock.
 * By its events: one grant (a token) was lost, or taken from a holder that was not told, and a
 * larger token was given since. Only of locks that one holder has alone.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/lock/explain.h"

#define YEAR_US (366LL * 24 * 3600 * 1000000)

/* What is known of one grant that was lost. */
struct grant {
	json_int_t token;
	const json_t *lost;    /* its holder says that it lost it */
	const json_t *dead;    /* its session was declared dead, as no heartbeat came */
	const json_t *over;    /* its lease was over, and somebody freed it */
	const json_t *forced;  /* it was broken by force */
	const json_t *refused; /* it came back with its token, and was refused; the last time */
};

static void take(struct grant *grant, const json_t *event)
{
	const char *kind = dbl_explain_text(event, "event");

	if (strcmp(kind, "lost") == 0)
		grant->lost = event;
	else if (strcmp(kind, "dead") == 0)
		grant->dead = event;
	else if (strcmp(kind, "expired") == 0)
		grant->over = event;
	else if (strcmp(kind, "forced") == 0)
		grant->forced = event;
	else if (strcmp(kind, "refused") == 0)
		grant->refused = event;
}

static struct grant collect(const struct dbl_explained *e, json_int_t token)
{
	struct grant grant = {.token = token};
	const json_t *event;
	size_t i;

	json_array_foreach(e->events, i, event)
	{
		if (dbl_explain_number(event, "token") == token)
			take(&grant, event);
	}
	return grant;
}

/* The event that says best why; NULL: it was not lost. */
static const json_t *reason(const struct grant *g)
{
	return g->lost ? g->lost : g->forced ? g->forced : g->over ? g->over : g->dead;
}

/* Who has had it since, as far as is known: who has it, or had it last. */
static void next(const struct dbl_explained *e, char text[DBL_EXPLAIN_WHO + 256])
{
	char who[DBL_EXPLAIN_WHO], at[DBL_EXPLAIN_TIME];

	dbl_explain_who(e->object, who);
	dbl_explain_at(e->object, "acquired_us", at);
	snprintf(text, DBL_EXPLAIN_WHO + 256,
		 "it was granted again, the last time to %s, %s (token %lld)", who, at,
		 dbl_explain_number(e->object, "token"));
}

/* It was lost, and somebody else got it. */
static void say_lost(struct dbl_explained *e, const struct grant *g)
{
	const json_t *why = reason(g);
	char who[DBL_EXPLAIN_WHO], at[DBL_EXPLAIN_TIME], then[DBL_EXPLAIN_WHO + 256];
	const char *alive = g->lost      ? "it lived when it was told that"
			    : g->refused ? "it lived, and came back with its token later"
					 : "whether it had stopped by then is not known";

	dbl_explain_who(why, who);
	dbl_explain_at(why, "at_us", at);
	next(e, then);
	dbl_explain_say(
		e,
		"It may have run twice, because %s (token %lld) lost it before its release, %s: "
		"%s; %s; and %s.",
		who, g->token, at, dbl_explain_text(why, "text"), alive, then);
}

/* It came back with an old token, and nothing is known of how it lost it: as a script does that took
 * longer than its lease. */
static void say_refused(struct dbl_explained *e, const struct grant *g)
{
	char at[DBL_EXPLAIN_TIME], then[DBL_EXPLAIN_WHO + 256];

	dbl_explain_at(g->refused, "at_us", at);
	next(e, then);
	dbl_explain_say(e,
			"It may have run twice, because token %lld came back %s, and was refused: "
			"if that was not its second release, its holder was still at work after "
			"its lease or session was over; and %s.",
			g->token, at, then);
}

/* Was there an event of this token before this one? */
static bool seen(const struct dbl_explained *e, size_t before, json_int_t token)
{
	for (size_t i = 0; i < before; i++)
		if (dbl_explain_number(json_array_get(e->events, i), "token") == token)
			return true;
	return false;
}

/* Was it granted to somebody after that token? A break raises the token as well, but is no grant; and a
 * token is the time of its grant, unless the clock was set back: then nothing is said. */
static bool granted_since(const struct dbl_explained *e, json_int_t token)
{
	if (json_array_size(e->holders) > 0)
		return dbl_explain_number(e->object, "token") > token;
	return dbl_explain_number(e->object, "acquired_us") > token + 1000;
}

/* Can such a token have been granted? It is about the time of its grant: who comes with another number has
 * made it up. */
static bool was_granted(const json_t *refused, json_int_t token)
{
	return token > dbl_explain_number(refused, "at_us") - YEAR_US;
}

static void judge(struct dbl_explained *e, json_int_t token)
{
	struct grant grant = collect(e, token);
	json_int_t since = dbl_explain_number(e->object, "acquired_us");

	if (reason(&grant))
		say_lost(e, &grant);
	else if (grant.refused && was_granted(grant.refused, token) &&
		 since <= dbl_explain_number(grant.refused, "at_us"))
		say_refused(e, &grant);
}

void dbl_explain_twice(struct dbl_explained *e)
{
	const char *mode = dbl_explain_text(e->object, "mode");
	const json_t *event;
	size_t i;

	if (*mode && strcmp(mode, "exclusive") != 0)
		return;
	json_array_foreach(e->events, i, event)
	{
		json_int_t token = dbl_explain_number(event, "token");

		if (token > 0 && granted_since(e, token) && !seen(e, i, token))
			judge(e, token);
	}
}
