/* SPDX-License-Identifier: MIT */
/*
 * Histories by hand: times are in milliseconds, there is one lock "x", and the clients' sessions
 * live for a second. Events may be put in any order; a client that is not killed is closed at the
 * end.
 */
#ifndef TESTS_UNIT_HISTORY_TAPE_H
#define TESTS_UNIT_HISTORY_TAPE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dblock/error.h>

#include "history/check.h"

enum { TTL_MS = 1000, VALID_MS = 900, FOR_EVER = 0 };

struct tape {
	struct history history;
	int clients; /* 1 .. clients */
	bool killed[10];
	int64_t last;
};

static inline void put(struct tape *t, int64_t ms, struct event e)
{
	e.at = (ms + 1) * 1000;
	e.thread = e.client ? 1 : 0;
	if (e.wait)
		strcpy(e.name, "x");
	if (e.at > t->last)
		t->last = e.at;
	history_add(&t->history, &e);
}

/* All clients are opened at 0. */
static inline struct tape tape_new(int clients)
{
	struct tape t = {.clients = clients};

	for (int i = 1; i <= clients; i++)
		put(&t, 0,
		    (struct event){
			    .kind = EVENT_OPENED, .client = i, .until = (TTL_MS + 1) * 1000});
	return t;
}

/* ---- a call: by which client, and which of its waits ----------------------------------------- */

static inline void calls(struct tape *t, int64_t ms, int client, int wait, int64_t wait_ms)
{
	put(t, ms,
	    (struct event){.kind = EVENT_CALLED,
			   .client = client,
			   .wait = wait,
			   .until = wait_ms ? (ms + wait_ms + 1) * 1000 : 0});
}

static inline void queues(struct tape *t, int64_t ms, int client, int wait, int64_t ticket)
{
	put(t, ms,
	    (struct event){.kind = EVENT_QUEUED, .client = client, .wait = wait, .ticket = ticket});
}

static inline void gets_for(struct tape *t, int64_t ms, int client, int wait, int64_t token,
			    int64_t valid_ms)
{
	put(t, ms,
	    (struct event){.kind = EVENT_GRANTED,
			   .client = client,
			   .wait = wait,
			   .token = token,
			   .until = valid_ms ? (ms + valid_ms + 1) * 1000 : 0});
}

static inline void gets(struct tape *t, int64_t ms, int client, int wait, int64_t token)
{
	gets_for(t, ms, client, wait, token, VALID_MS);
}

static inline void gets_not(struct tape *t, int64_t ms, int client, int wait, int outcome)
{
	put(t, ms,
	    (struct event){
		    .kind = EVENT_DECLINED, .client = client, .wait = wait, .outcome = outcome});
}

static inline void is_told(struct tape *t, int64_t ms, int client, int wait, int64_t token)
{
	put(t, ms,
	    (struct event){.kind = EVENT_TOLD, .client = client, .wait = wait, .token = token});
}

static inline void presents(struct tape *t, int64_t ms, int client, int wait, int64_t token,
			    int64_t before, bool accepted, int64_t valid_ms)
{
	put(t, ms,
	    (struct event){.kind = EVENT_PRESENTED,
			   .client = client,
			   .wait = wait,
			   .token = token,
			   .before = before,
			   .outcome = accepted ? 0 : DBLOCK_STALE,
			   .until = valid_ms ? (ms + valid_ms + 1) * 1000 : 0});
}

static inline void begins_release(struct tape *t, int64_t ms, int client, int wait, int64_t token,
				  int64_t valid_ms)
{
	put(t, ms,
	    (struct event){.kind = EVENT_RELEASING,
			   .client = client,
			   .wait = wait,
			   .token = token,
			   .until = valid_ms ? (ms + valid_ms + 1) * 1000 : 0});
}

static inline void ends_release(struct tape *t, int64_t ms, int client, int wait, int64_t token,
				int outcome)
{
	put(t, ms,
	    (struct event){.kind = EVENT_RELEASED,
			   .client = client,
			   .wait = wait,
			   .token = token,
			   .outcome = outcome});
}

/* A correct release: the lock is still valid, and the release takes a millisecond. */
static inline void gives(struct tape *t, int64_t ms, int client, int wait, int64_t token)
{
	begins_release(t, ms, client, wait, token, VALID_MS);
	ends_release(t, ms + 1, client, wait, token, DBLOCK_OK);
}

/* A release after the lock was lost. */
static inline void gives_lost(struct tape *t, int64_t ms, int client, int wait, int64_t token)
{
	begins_release(t, ms, client, wait, token, 0);
	ends_release(t, ms + 1, client, wait, token, DBLOCK_LOST);
}

/* ---- breaks, of another wait ----------------------------------------------------------------- */

static inline void begins_break(struct tape *t, int64_t ms, int client, int wait, bool forced)
{
	put(t, ms,
	    (struct event){.kind = forced ? EVENT_FORCING : EVENT_BREAKING,
			   .client = client,
			   .wait = wait});
}

static inline void ends_break(struct tape *t, int64_t ms, int client, int wait, int outcome)
{
	put(t, ms,
	    (struct event){
		    .kind = EVENT_BROKEN, .client = client, .wait = wait, .outcome = outcome});
}

/* ---- what befalls a client, or (0) everybody ------------------------------------------------- */

static inline void befalls(struct tape *t, int64_t ms, int client, enum event_kind kind)
{
	if (kind == EVENT_KILLED)
		t->killed[client] = true;
	put(t, ms, (struct event){.kind = kind, .client = client});
}

/* ---- what the checker finds ------------------------------------------------------------------ */

/* Lists the rules that are broken, each once, in their order. */
static inline void list_rules(const struct findings *f, char list[200])
{
	list[0] = '\0';
	for (size_t i = 0; i < f->n_kept; i++) {
		if (i > 0 && f->kept[i].rule == f->kept[i - 1].rule)
			continue;
		if (i > 0)
			strcat(list, " ");
		strcat(list, f->kept[i].rule);
	}
}

/* The history must break these rules, "" for none, and no others. The printed text must name the
 * first. */
static inline void finds(struct tape *t, const char *rules)
{
	char list[200], *text = NULL;
	struct findings f;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (int i = 1; i <= t->clients; i++) {
		if (!t->killed[i])
			put(t, t->last / 1000, (struct event){.kind = EVENT_CLOSED, .client = i});
	}
	history_sort(&t->history);
	check_history(&t->history, &f);
	list_rules(&f, list);
	findings_print(&f, &t->history, out);
	fclose(out);
	if (strcmp(list, rules) != 0)
		fputs(text, stderr);
	assert_string_equal(list, rules);
	assert_true(f.n == 0 || (strstr(text, f.kept[0].text) && strstr(text, "-->")));
	free(text);
	history_free(&t->history);
}

#endif
