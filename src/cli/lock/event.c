/* SPDX-License-Identifier: MIT */
#include "cli/lock/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/ui/print.h"

const char *const dbl_event_heads[] = {"TIME", "EVENT", "NAME", "TOKEN", "WHOSE", "WHAT", NULL};

/* "db1:42"; "-": unknown. */
static void who(const char *host, int64_t pid, char *text, size_t size)
{
	if (host[0] || pid)
		snprintf(text, size, "%s:%" PRId64, host[0] ? host : "?", pid);
	else
		snprintf(text, size, "-");
}

/* What happened, and how it goes on before who did it, and before the detail. */
struct words {
	const char *what, *by, *because;
};

/* Behind what was refused. */
#define REFUSED " was refused, as that token does not hold the lock"

static const struct words words[] = {
	[DBLOCK_EVENT_LOST] = {"its holder lost it", " by ", ": "},
	[DBLOCK_EVENT_DEAD] = {"its session was declared dead, as no heartbeat came for its ttl",
			       ", by ", ": "},
	[DBLOCK_EVENT_ENDED] = {"its session was declared dead, as its process had ended", ", by ",
				": "},
	[DBLOCK_EVENT_EXPIRED] = {"its lease was over, and it was freed", " by ", ": "},
	[DBLOCK_EVENT_BROKEN] = {"it was broken", " by ", ": "},
	[DBLOCK_EVENT_RELEASED] = {"it was released by its token from elsewhere", ", by ", ": "},
	[DBLOCK_EVENT_FREED] = {"it was freed", " by ", ": "},
	[DBLOCK_EVENT_REFUSED] = {"a call" REFUSED, ", by ", ": "},
	[DBLOCK_EVENT_FORCED] = {"it was broken by force, while its holder may have been at work",
				 ", by ", ": "},
	[DBLOCK_EVENT_SCHEMA] = {"the tables were changed", " by ", ": "},
};

/* The detail of a refusal says what was refused, and stands first then; else how the lock was lost. */
static bool begins_with_detail(const struct dblock_event *e)
{
	return e->kind == DBLOCK_EVENT_REFUSED && strncmp(e->detail, "its ", 4) == 0;
}

void dbl_event_text(const struct dblock_event *e, char text[DBL_EVENT_TEXT])
{
	static const struct words unknown = {"something that a newer dblock knows", " by ", ": "};
	size_t n = sizeof(words) / sizeof(words[0]);
	bool known = (unsigned)e->kind < n && words[e->kind].what;
	const struct words *w = known ? &words[e->kind] : &unknown;
	char by[300];
	bool has_by = e->by_host[0] || e->by_pid, has_app = has_by && e->by_app[0];
	bool first = begins_with_detail(e), last = e->detail[0] && !first;

	who(e->by_host, e->by_pid, by, sizeof(by));
	snprintf(text, DBL_EVENT_TEXT, "%s%s%s%s%s%s%s%s%s", first ? e->detail : "",
		 first ? REFUSED : w->what, has_by ? w->by : "", has_by ? by : "",
		 has_app ? " (" : "", has_app ? e->by_app : "", has_app ? ")" : "",
		 last ? w->because : "", last ? e->detail : "");
}

int dbl_event_row(void *table, const struct dblock_event *e)
{
	char at[DBL_TIME_TEXT], token[32] = "-", whose[300], text[DBL_EVENT_TEXT];

	dbl_time_local(e->at_us, at);
	if (e->token)
		snprintf(token, sizeof(token), "%" PRId64, e->token);
	who(e->host, e->pid, whose, sizeof(whose));
	dbl_event_text(e, text);
	return dbl_table_add(table, at, dblock_event_name(e->kind), e->name[0] ? e->name : "-",
			     token, whose, text);
}

json_t *dbl_event_json(const struct dblock_event *e)
{
	json_t *object = json_object();
	char text[DBL_EVENT_TEXT];

	dbl_event_text(e, text);
	dbl_json_number(object, "id", e->id);
	dbl_json_time(object, "at", e->at_us);
	dbl_json_text(object, "event", dblock_event_name(e->kind));
	dbl_json_text(object, "name", e->name);
	dbl_json_number(object, "token", e->token);
	dbl_json_text(object, "host", e->host);
	dbl_json_number(object, "pid", e->pid);
	dbl_json_text(object, "app", e->app);
	dbl_json_text(object, "session", e->session);
	dbl_json_text(object, "by_host", e->by_host);
	dbl_json_number(object, "by_pid", e->by_pid);
	dbl_json_text(object, "by_app", e->by_app);
	dbl_json_text(object, "detail", e->detail);
	dbl_json_text(object, "text", text);
	return object;
}
