/* SPDX-License-Identifier: MIT */
#include "history/event.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <dblock/error.h>
#include <dblock/lock.h>

static const char *const kind_names[] = {
#define X(name, meaning) [EVENT_##name] = #name,
	EVENT_KIND_MAP(X)
#undef X
};

int64_t event_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

const char *event_kind_name(enum event_kind kind)
{
	return kind_names[kind];
}

/* ---- for machines ---------------------------------------------------------------------------- */

size_t event_write(const struct event *e, char text[EVENT_TEXT_MAX])
{
	int n = snprintf(
		text, EVENT_TEXT_MAX,
		"%lld %s %d %d %lld %s %lld %lld %lld %lld %lld %d %d %lld %lld %lld %lld %lld "
		"%d\n",
		(long long)e->at, kind_names[e->kind], e->client, e->thread, (long long)e->wait,
		e->name[0] ? e->name : "-", (long long)e->token, (long long)e->ticket,
		(long long)e->until, (long long)e->before, (long long)e->db_at, e->outcome, e->mode,
		(long long)e->weight, (long long)e->capacity, (long long)e->group,
		(long long)e->wrote, (long long)e->lease, e->priority);

	return (size_t)n;
}

static bool find_kind(const char *name, enum event_kind *kind)
{
	for (int i = 0; i < EVENT_KINDS; i++) {
		if (strcmp(kind_names[i], name) == 0) {
			*kind = (enum event_kind)i;
			return true;
		}
	}
	return false;
}

bool event_read(struct event *e, const char *line)
{
	long long at, wait, token, ticket, until, before, db_at, weight, capacity, group, wrote,
		lease;
	char kind[16];
	int n = 0;

	*e = (struct event){.at = 0};
	if (sscanf(line,
		   "%lld %15s %d %d %lld %15s %lld %lld %lld %lld %lld %d %d %lld %lld %lld "
		   "%lld %lld %d%n",
		   &at, kind, &e->client, &e->thread, &wait, e->name, &token, &ticket, &until,
		   &before, &db_at, &e->outcome, &e->mode, &weight, &capacity, &group, &wrote,
		   &lease, &e->priority, &n) != 19)
		return false;
	if (strcmp(e->name, "-") == 0)
		e->name[0] = '\0';
	e->at = at;
	e->wait = wait;
	e->token = token;
	e->ticket = ticket;
	e->until = until;
	e->before = before;
	e->db_at = db_at;
	e->weight = weight;
	e->capacity = capacity;
	e->group = group;
	e->wrote = wrote;
	e->lease = lease;
	return strcmp(line + n, "\n") == 0 && find_kind(kind, &e->kind);
}

/* ---- for people ------------------------------------------------------------------------------ */

struct sentence {
	char *text;
	size_t len;
};

static void __attribute__((format(printf, 2, 3))) say(struct sentence *s, const char *fmt, ...)
{
	size_t room = EVENT_TEXT_MAX - s->len;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(s->text + s->len, room, fmt, args);
	va_end(args);
	s->len += (size_t)n < room ? (size_t)n : room - 1;
}

static const char *outcome_of(const struct event *e)
{
	if (e->kind == EVENT_PRESENTED)
		return e->outcome ? "refused" : "accepted";
	return dblock_outcome_name(e->outcome);
}

static bool has_outcome(enum event_kind kind)
{
	return kind == EVENT_DECLINED || kind == EVENT_RELEASED || kind == EVENT_PRESENTED ||
	       kind == EVENT_UPGRADED || kind == EVENT_DOWNGRADED || kind == EVENT_FENCED ||
	       kind == EVENT_COMMITTED || kind == EVENT_BROKEN || kind == EVENT_AGED;
}

static bool has_mode(enum event_kind kind)
{
	return kind == EVENT_CALLED || kind == EVENT_GRANTED || kind == EVENT_PRESENTED ||
	       kind == EVENT_UPGRADING || kind == EVENT_DOWNGRADING;
}

const char *event_mode_name(int mode)
{
	static const char *const names[] = {[DBLOCK_EXCLUSIVE] = "exclusive",
					    [DBLOCK_SHARED] = "shared",
					    [DBLOCK_UPDATE] = "update",
					    [DBLOCK_PERMITS] = "permits"};

	return mode >= 0 && mode <= DBLOCK_PERMITS ? names[mode] : "?";
}

void event_describe(const struct event *e, int64_t zero, char text[EVENT_TEXT_MAX])
{
	struct sentence s = {.text = text};

	say(&s, "%10.3f ms  ", (double)(e->at - zero) / 1000);
	if (e->client)
		say(&s, "client %d.%d  ", e->client, e->thread);
	say(&s, "%s %s", kind_names[e->kind], e->name);
	if (e->wait)
		say(&s, "  wait %lld", (long long)e->wait);
	if (has_mode(e->kind) && e->mode == DBLOCK_PERMITS)
		say(&s, "  %lld of %lld permits", (long long)e->weight, (long long)e->capacity);
	else if (has_mode(e->kind))
		say(&s, "  %s", event_mode_name(e->mode));
	if (e->priority)
		say(&s, "  priority %d", e->priority);
	if (e->group)
		say(&s, "  group %lld", (long long)e->group);
	if (e->token)
		say(&s, "  token %lld", (long long)e->token);
	if (e->ticket)
		say(&s, "  ticket %lld", (long long)e->ticket);
	if (e->kind == EVENT_PRESENTED)
		say(&s, "  after %lld, and %lld that wrote", (long long)e->before,
		    (long long)e->wrote);
	if (e->kind == EVENT_TAKEN)
		say(&s, "  %lld, after %lld us", (long long)e->weight,
		    (long long)(e->at - e->before));
	if (e->kind == EVENT_SILENT)
		say(&s, "  %lld of %lld members", (long long)e->weight, (long long)e->capacity);
	if (e->kind == EVENT_WRITTEN)
		say(&s, "  over %lld", (long long)e->before);
	if (e->kind == EVENT_STALLED || e->kind == EVENT_PULSE || e->kind == EVENT_RENEWED)
		say(&s, "  for %lld us", (long long)(e->at - e->before));
	if (e->until)
		say(&s, "  until +%lld us", (long long)(e->until - e->at));
	if (has_outcome(e->kind))
		say(&s, "  %s", outcome_of(e));
}
