/* SPDX-License-Identifier: MIT */
/* Tests of the queue's listing share a client, and what it was shown last. */
#ifndef TESTS_DB_WAITERS_KIT_H
#define TESTS_DB_WAITERS_KIT_H

#include "support/raw.h"

enum { SEEN_MAX = 600 };

/* What a listing has shown. */
struct seen {
	struct {
		char name[256], host[256], app[64], session[64], value[64];
		struct dblock_waiter w;
	} row[SEEN_MAX];
	int n;
	int stop_at; /* the callback returns 7 at this row, which ends the listing; 0: never */
};

static struct seen seen;
static struct dblock_client *client;
static struct raw *raw;

#define COPY(member)                                                                               \
	snprintf(seen.row[seen.n].member, sizeof(seen.row[0].member), "%s", waiter->member)

static inline int note(void *arg, const struct dblock_waiter *waiter)
{
	(void)arg;
	assert_true(waiter->size == sizeof(*waiter));
	assert_true(seen.n < SEEN_MAX);
	COPY(name);
	COPY(host);
	COPY(app);
	COPY(session);
	COPY(value);
	seen.row[seen.n].w = *waiter;
	/* The client may be used in the callback. */
	if (seen.n == 0)
		(void)show(client, waiter->name);
	return ++seen.n == seen.stop_at ? 7 : 0;
}

static inline void list_with(const struct dblock_waiters_options *options)
{
	struct dblock_error err = {0};

	seen.n = seen.stop_at = 0;
	expect(OK, dblock_waiters(client, options, note, NULL, &err));
}

static inline void list(const char *name)
{
	struct dblock_waiters_options options = DBLOCK_WAITERS_OPTIONS_INIT;

	options.name = name;
	list_with(&options);
}

static inline void list_after(const char *name, const char *after, int64_t ticket, int64_t limit)
{
	struct dblock_waiters_options options = DBLOCK_WAITERS_OPTIONS_INIT;

	options.name = name;
	options.after = after;
	options.after_ticket = ticket;
	options.limit = limit;
	list_with(&options);
}

static inline int set_up(void **state)
{
	(void)state;
	client = client_new(0);
	raw = raw_open(NULL);
	raw_exec(raw, "DELETE FROM dblock_queue");
	raw_exec(raw, "UPDATE dblock_lock SET served = 0");
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	dblock_close(client, NULL);
	raw_close(raw);
	return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
