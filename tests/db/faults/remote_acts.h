/* SPDX-License-Identifier: MIT */
/* Every call of the library that talks to a database, each by an actor with a client of its own. */
#ifndef TESTS_DB_REMOTE_ACTS_H
#define TESTS_DB_REMOTE_ACTS_H

#include "support/call.h"

enum { TIMEOUT_MS = 1000, WAIT_MS = 6000, LONG_MS = 600000 };

/* The state of an actor's lock before its call. */
enum before { FREE, HELD, LEASED, ANOTHERS };

struct actor {
	const struct act *act;
	const char *url;
	struct dblock_client *client;
	struct dblock_lock *lock; /* after `before`: NULL, or if ANOTHERS the holder's */
	char name[32];
	struct call call, closing;
};

struct act {
	const char *name;
	int (*run)(void *actor, struct dblock_error *err);
	enum before before;
	int outcome; /* the outcome if no answer comes */
};

static struct dblock_client_options hasty(int64_t ttl_ms)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.ttl_ms = ttl_ms;
	options.timeout_ms = TIMEOUT_MS;
	return options;
}

static int do_open(void *arg, struct dblock_error *err)
{
	struct dblock_client_options options = hasty(0);
	struct dblock_client *client;
	struct actor *a = arg;
	int rc = dblock_open(a->url, &options, &client, err);

	dblock_close(client, NULL);
	return rc;
}

static int do_migrate(void *arg, struct dblock_error *err)
{
	struct dblock_client_options options = hasty(0);
	struct actor *a = arg;

	return dblock_migrate_up(a->url, &options, NULL, NULL, NULL, err);
}

static int no_migration(void *arg, const struct dblock_migration *migration)
{
	(void)arg;
	(void)migration;
	return 0;
}

static int do_status(void *arg, struct dblock_error *err)
{
	struct dblock_client_options options = hasty(0);
	struct actor *a = arg;

	return dblock_migrate_status(a->url, &options, NULL, no_migration, NULL, err);
}

static int do_try(void *arg, struct dblock_error *err)
{
	struct actor *a = arg;
	struct dblock_lock *lock;

	return dblock_try(a->client, a->name, NULL, &lock, err);
}

/* The call waits when the network goes bad, and goes on until its own time is over. */
static int do_acquire(void *arg, struct dblock_error *err)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct actor *a = arg;
	struct dblock_lock *lock;

	how.wait_ms = WAIT_MS;
	return dblock_acquire(a->client, a->name, &how, &lock, err);
}

static int do_release(void *arg, struct dblock_error *err)
{
	struct actor *a = arg;

	return dblock_release(a->lock, err);
}

static int do_extend(void *arg, struct dblock_error *err)
{
	struct actor *a = arg;

	return dblock_extend(a->lock, LONG_MS, err);
}

static int do_release_token(void *arg, struct dblock_error *err)
{
	struct actor *a = arg;

	return dblock_release_token(a->client, a->name, dblock_token(a->lock), err);
}

static int do_extend_token(void *arg, struct dblock_error *err)
{
	struct actor *a = arg;

	return dblock_extend_token(a->client, a->name, dblock_token(a->lock), LONG_MS, err);
}

static int no_holder(void *arg, const struct dblock_holder *holder)
{
	(void)arg;
	(void)holder;
	return 0;
}

static int do_list(void *arg, struct dblock_error *err)
{
	struct actor *a = arg;

	return dblock_list(a->client, NULL, no_holder, NULL, err);
}

static int do_show(void *arg, struct dblock_error *err)
{
	struct actor *a = arg;

	return dblock_show(a->client, a->name, no_holder, NULL, err);
}

static int do_break(void *arg, struct dblock_error *err)
{
	struct actor *a = arg;

	return break_by_force(a->client, a->name, dblock_token(a->lock), 0, err);
}

static int do_break_any(void *arg, struct dblock_error *err)
{
	struct actor *a = arg;

	return break_by_force(a->client, a->name, 0, 0, err);
}

static int do_reap(void *arg, struct dblock_error *err)
{
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct actor *a = arg;

	return dblock_reap(a->client, NULL, &reaped, err);
}

static int do_close(void *arg, struct dblock_error *err)
{
	struct actor *a = arg;

	(void)err;
	dblock_close(a->client, NULL);
	a->client = NULL;
	return 0;
}

/* A call that only reads at first can say for certain that nothing was done. */
static const struct act acts[] = {
	{"open", do_open, FREE, DBLOCK_E_NO_ANSWER},
	{"migrate", do_migrate, FREE, DBLOCK_E_NO_ANSWER},
	{"status", do_status, FREE, DBLOCK_E_NO_ANSWER},
	{"try", do_try, FREE, DBLOCK_E_UNSURE},
	{"acquire", do_acquire, ANOTHERS, DBLOCK_E_NO_ANSWER},
	{"release", do_release, HELD, DBLOCK_E_UNSURE},
	{"extend", do_extend, LEASED, DBLOCK_E_UNSURE},
	{"release-token", do_release_token, LEASED, DBLOCK_E_NO_ANSWER},
	{"extend-token", do_extend_token, LEASED, DBLOCK_E_UNSURE},
	{"list", do_list, FREE, DBLOCK_E_NO_ANSWER},
	{"show", do_show, HELD, DBLOCK_E_NO_ANSWER},
	{"break", do_break, ANOTHERS, DBLOCK_E_NO_ANSWER}, /* it reads first */
	{"break-any", do_break_any, ANOTHERS, DBLOCK_E_NO_ANSWER},
	{"reap", do_reap, FREE, DBLOCK_E_UNSURE},
	{"close", do_close, FREE, DBLOCK_OK},
};

enum { ACTS = sizeof(acts) / sizeof(acts[0]) };

#endif
