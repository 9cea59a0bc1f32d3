/* SPDX-License-Identifier: MIT */
#include "cli/lock/words.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/ui/print.h"

const char *const dbl_holder_heads[] = {"NAME",  DBL_HELD_HEAD, "BY",   "TOKEN", "SINCE",
					"UNTIL", "LEFT",        "MODE", NULL};

/* Is there such a process here that runs a program? A zombie does not; what cannot be told is taken for
 * true: on a host by another name, as in a container, the number is another process's. */
static bool runs(const char *host, int64_t pid)
{
	char link[40], name[256] = "", program[1];

	snprintf(link, sizeof(link), "/proc/%" PRId64 "/exe", pid);
	gethostname(name, sizeof(name) - 1);
	return strcmp(host, name) != 0 || readlink(link, program, sizeof(program)) >= 0 ||
	       errno != ENOENT || access("/proc/self/exe", F_OK) != 0;
}

/* Has its process ended, and something keeps the lock: what came from it, or --settle? */
static bool is_left(const struct dblock_holder *h)
{
	return h->process == DBLOCK_PROCESS_LIVES && h->pid > 0 && !runs(h->host, h->pid);
}

static const char *explained(const struct dblock_holder *h)
{
	switch (h->hold) {
	case DBLOCK_HOLD_FREE:
		return h->expires_us ? "no: its lease is over" : "no";
	case DBLOCK_HOLD_SESSION:
		if (h->process == DBLOCK_PROCESS_ENDED)
			return "by a process that has ended: who waits on this machine gets it now";
		if (is_left(h))
			return "as long as its session lives: its process has ended, but what came "
			       "from that has not, or it settles";
		if (h->session_dead)
			return "by a session that is dead: it is there for the taking";
		if (h->session_missing)
			return "by a session whose row is gone: only `dblock break` helps";
		return "as long as its session lives";
	case DBLOCK_HOLD_LEASE:
		return "until its own end";
	case DBLOCK_HOLD_MINIMUM:
		return "released, but kept taken until its least time is over";
	}
	return "?";
}

void dbl_holder_who(const struct dblock_holder *h, char text[DBL_WHO_TEXT])
{
	if (h->pid)
		snprintf(text, DBL_WHO_TEXT, "%s:%" PRId64, h->host[0] ? h->host : "?", h->pid);
	else
		snprintf(text, DBL_WHO_TEXT, "%s", h->host[0] ? h->host : "-");
}

int dbl_holder_row(void *table, const struct dblock_holder *h)
{
	char by[DBL_WHO_TEXT], token[32], mode[DBL_MODE_TEXT];
	char since[DBL_TIME_TEXT], until[DBL_TIME_TEXT], left[DBL_TIME_TEXT];

	dbl_holder_who(h, by);
	snprintf(token, sizeof(token), "%" PRId64, h->token);
	dbl_time_local(h->acquired_us, since);
	dbl_time_local(h->expires_us, until);
	dbl_time_left(h->expires_us ? h->left_ms : INT64_MIN, left);
	dbl_mode_text(h->mode, h->permits, h->capacity, mode, sizeof(mode));
	return dbl_table_add(table, h->name, dbl_holder_state(h), by, token, since, until, left,
			     mode);
}

/* The object for a process that asks for the grant, or takes it away. */
static json_t *person_json(const char *key, const char *why, const char *host, int64_t pid,
			   const char *app, int64_t since_us)
{
	json_t *object = json_object();

	dbl_json_text(object, key, why);
	dbl_json_text(object, "host", host);
	dbl_json_number(object, "pid", pid);
	dbl_json_text(object, "app", app);
	dbl_json_time(object, "since", since_us);
	return object;
}

static json_t *request_json(const struct dblock_release_request *r)
{
	return r ? person_json("reason", r->reason, r->host, r->pid, r->app, r->since_us)
		 : json_null();
}

static const char *cause(const struct dblock_taken *t)
{
	return t->cause == DBLOCK_LOSS_RELEASED ? "released" : "broken";
}

static json_t *taken_json(const struct dblock_taken *t)
{
	json_t *object;

	if (!t)
		return json_null();
	object = person_json("cause", cause(t), t->host, t->pid, t->app, t->since_us);
	json_object_set_new(object, "told", json_boolean(t->told));
	return object;
}

static const char *process_name(const struct dblock_holder *h)
{
	if (h->process == DBLOCK_PROCESS_UNKNOWN)
		return "";
	return h->process == DBLOCK_PROCESS_ENDED ? "ended" : is_left(h) ? "left" : "lives";
}

json_t *dbl_holder_json(const struct dblock_holder *h)
{
	json_t *object = json_object();

	dbl_json_text(object, "name", h->name);
	dbl_json_text(object, "held", dbl_holder_held(h));
	dbl_json_number(object, "token", h->token);
	dbl_json_text(object, "host", h->host);
	dbl_json_number(object, "pid", h->pid);
	dbl_json_number(object, "thread", h->thread);
	dbl_json_number(object, "reentry", h->reentry);
	dbl_json_text(object, "app", h->app);
	dbl_json_text(object, "session", h->session);
	dbl_json_text(object, "process", process_name(h));
	dbl_json_time(object, "acquired", h->acquired_us);
	dbl_json_ms(object, "held_ms", h->held_ms);
	dbl_json_time(object, "expires", h->expires_us);
	dbl_json_ms(object, "left_ms", h->left_ms);
	dbl_json_number(object, "waiting", h->waiting);
	dbl_json_text(object, "value", h->value);
	dbl_mode_json(object, h->hold != DBLOCK_HOLD_FREE, h->mode, h->permits, h->capacity);
	json_object_set_new(object, "request", request_json(h->request));
	json_object_set_new(object, "taken", taken_json(h->taken));
	return object;
}

static int number_line(const char *key, int64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64, number);
	return number ? dbl_field(key, text) : 0;
}

/* Print the mode, unless it is the usual one, exclusive. */
static int mode_line(const struct dblock_holder *h)
{
	char text[DBL_MODE_TEXT];

	if (h->mode == DBLOCK_EXCLUSIVE)
		return 0;
	dbl_mode_text(h->mode, h->permits, h->capacity, text, sizeof(text));
	return dbl_field(h->mode == DBLOCK_PERMITS ? "permits:" : "mode:", text);
}

/* Print who asks for the lock, and why. */
static int request_lines(const struct dblock_release_request *r)
{
	char by[400];

	if (!r)
		return 0;
	snprintf(by, sizeof(by), "%s:%" PRId64 " (%s)", r->host, r->pid, r->app);
	return dbl_field("asked by:", by) || dbl_field_time("asked at:", r->since_us, INT64_MIN) ||
	       dbl_field("reason:", r->reason);
}

/* Print who takes the grant away, and whether its holder has been told. */
static int taken_lines(const struct dblock_taken *t)
{
	char by[400];

	if (!t)
		return 0;
	snprintf(by, sizeof(by), "%s:%" PRId64 " (%s)", t->host, t->pid, t->app);
	return dbl_field(t->cause == DBLOCK_LOSS_RELEASED ? "released by:" : "broken by:", by) ||
	       dbl_field_time("taken at:", t->since_us, INT64_MIN) ||
	       dbl_field("told:", t->told ? "yes, it has yet to let go" : "no, not yet");
}

/* That of a free lock is not its last holder's, if that one's grant was broken. */
static int token_line(const struct dblock_holder *h)
{
	char text[64];

	snprintf(text, sizeof(text), "%" PRId64 "%s", h->token,
		 h->hold == DBLOCK_HOLD_FREE ? " (the next one is larger)" : "");
	return dbl_field("token:", text);
}

int dbl_holder_lines(const struct dblock_holder *h)
{
	bool is_free = h->hold == DBLOCK_HOLD_FREE;
	char by[DBL_WHO_TEXT];

	dbl_holder_who(h, by);
	return dbl_field("name:", h->name) || dbl_field("held:", explained(h)) || mode_line(h) ||
	       token_line(h) || dbl_field(is_free ? "last by:" : "by:", by) ||
	       number_line("thread:", h->thread) || number_line("reentry:", h->reentry) ||
	       dbl_field("app:", h->app) || dbl_field("session:", h->session) ||
	       dbl_field_time(is_free ? "last at:" : "since:", h->acquired_us, INT64_MIN) ||
	       dbl_field_time("until:", h->expires_us, h->left_ms) ||
	       dbl_field("value:", h->value) || request_lines(h->request) || taken_lines(h->taken);
}
