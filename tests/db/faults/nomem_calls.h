/* SPDX-License-Identifier: MIT */
/* The scenes of nomem.c: what is there before a call, and the calls. */
#ifndef TESTS_DB_NOMEM_CALLS_H
#define TESTS_DB_NOMEM_CALLS_H

#include "db/faults/nosync.h"
#include "db/faults/shortage.h"
#include "support/puppet.h"
#include "support/raw.h"
#include "support/steps.h"

enum { DAY_MS = 24 * 3600 * 1000 };

/* A scene's clients, and what it has prepared. */
struct stage {
	struct dblock_client *helper; /* is never short of memory */
	struct raw *raw;
	struct dblock_client *client;
	struct dblock_lock *lock; /* held by the client, if at all */
	struct puppet *dying;     /* the holder of `x`, or NULL */
	char prefix[32];
	int times;
};

struct scene {
	const char *name;
	void (*prepare)(struct stage *);
	int (*call)(struct stage *, struct dblock_error *);
	void (*check)(struct stage *, int rc); /* checks that rc is true */
	int expected;                          /* the outcome if nothing is refused */
};

/* ---- before a call -------------------------------------------------------------------------- */

static inline struct dblock_client *open_one(int64_t ttl_ms)
{
	return client_new(ttl_ms ? ttl_ms : DAY_MS); /* no heartbeat in between */
}

static inline void with_client(struct stage *s)
{
	s->client = open_one(0);
}

static inline void with_lock(struct stage *s)
{
	with_client(s);
	s->lock = take(s->client, "x");
}

static inline void with_lease(struct stage *s)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};

	with_client(s);
	options.lease_ms = DAY_MS;
	expect(OK, dblock_try(s->client, "x", &options, &s->lock, &err));
}

/* The lock's holder is dead. */
static inline void with_dead_holder(struct stage *s)
{
	struct dblock_client *dead = open_one(0);

	(void)take(dead, "x");
	raw_exec(s->raw,
		 "UPDATE dblock_session SET dead = %s WHERE id = "
		 "(SELECT session FROM dblock_lock WHERE name = 'x')",
		 on_backend("postgresql") ? "true" : "1");
	dblock_close(dead, NULL);
	with_client(s);
}

/* The holder sends no heartbeats any more, though nobody has declared it dead yet. */
static inline void with_dying_holder(struct stage *s)
{
	with_client(s);
	raw_exec(s->raw, "DELETE FROM dblock_lock WHERE name = 'x'");
	s->dying = puppet_new(NULL, 1);
	assert_true(puppet_takes(s->dying, "x"));
}

static inline void with_busy(struct stage *s)
{
	with_client(s);
	(void)take(s->helper, "x");
}

static inline void with_values(struct stage *s)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	char value[DBLOCK_VALUE_MAX + 1];

	memset(value, 'v', DBLOCK_VALUE_MAX);
	value[DBLOCK_VALUE_MAX] = '\0';
	with_client(s);
	options.value = value;
	expect(OK, dblock_try(s->client, "x", &options, &s->lock, &err));
}

static inline void with_request(struct stage *s)
{
	struct dblock_error err = {0};

	with_lock(s);
	expect(OK, dblock_request_release(s->helper, "x", "a reason", &err));
}

static inline void with_new_tables(struct stage *s)
{
	snprintf(s->prefix, sizeof(s->prefix), "n%d_", s->times++);
}

/* ---- calls ---------------------------------------------------------------------------------- */

static inline int call_open(struct stage *s, struct dblock_error *err)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.ttl_ms = DAY_MS;
	options.timeout_ms = PLENTY_MS;
	options.app = "opened";
	TUNE(options, .post_releases = true);
	return dblock_open(test_url(), &options, &s->client, err);
}

static inline int call_try(struct stage *s, struct dblock_error *err)
{
	return dblock_try(s->client, "x", NULL, &s->lock, err);
}

static inline int call_wait(struct stage *s, struct dblock_error *err)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;

	options.wait_ms = 1;
	return dblock_acquire(s->client, "x", &options, &s->lock, err);
}

static inline int call_outlive(struct stage *s, struct dblock_error *err)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;

	options.wait_ms = PLENTY_MS;
	return dblock_acquire(s->client, "x", &options, &s->lock, err);
}

static inline int call_lease(struct stage *s, struct dblock_error *err)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;

	options.lease_ms = DAY_MS;
	options.value = "a value";
	return dblock_acquire(s->client, "x", &options, &s->lock, err);
}

/* Begins a wait, drives it to its outcome, and ends it. */
static inline int call_drive(struct stage *s, struct dblock_error *err)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_wait *wait;
	int rc;

	options.value = "a value";
	rc = dblock_acquire_begin(s->client, "x", &options, &wait, err);
	if (rc)
		return rc;
	rc = drive(wait, &s->lock, err);
	dblock_wait_end(wait);
	return rc;
}

/* Joins the queue, if there is memory for that; *wait is NULL if there is not even enough for a
 * wait. */
static inline int line_up(struct stage *s, struct dblock_wait **wait, struct dblock_error *err)
{
	int rc = dblock_acquire_begin(s->client, "x", NULL, wait, err);

	while (rc == 0 && is_due(*wait)) {
		rc = dblock_wait_step(*wait, &s->lock, err);
		rc = rc == DBLOCK_WAITING ? 0 : rc;
	}
	return rc;
}

static inline int call_end_in_queue(struct stage *s, struct dblock_error *err)
{
	struct dblock_wait *wait;
	int rc = line_up(s, &wait, err);

	dblock_wait_end(wait);
	return rc;
}

static inline int call_reenter(struct stage *s, struct dblock_error *err)
{
	struct dblock_lock *again;
	int rc = dblock_try(s->client, "x", NULL, &again, err);

	if (rc == 0)
		rc = dblock_release(again, err);
	return rc;
}

static inline int call_extend(struct stage *s, struct dblock_error *err)
{
	return dblock_extend(s->lock, DAY_MS, err);
}

static inline int call_extend_token(struct stage *s, struct dblock_error *err)
{
	return dblock_extend_token(s->client, "x", dblock_token(s->lock), DAY_MS, err);
}

static inline int call_release(struct stage *s, struct dblock_error *err)
{
	struct dblock_lock *lock = s->lock;

	s->lock = NULL; /* the handle ends with any outcome */
	return lock ? dblock_release(lock, err) : DBLOCK_OK;
}

static inline int call_release_token(struct stage *s, struct dblock_error *err)
{
	int rc = dblock_release_token(s->client, "x", dblock_token(s->lock), err);

	return rc == DBLOCK_STALE && s->times++ ? DBLOCK_OK : rc;
}

static inline int count(void *arg, const struct dblock_holder *holder)
{
	*(int *)arg += holder->hold != DBLOCK_HOLD_FREE && strlen(holder->value) > 0;
	return 0;
}

/* The listing has all of it, or says that it has not. */
static inline int call_list(struct stage *s, struct dblock_error *err)
{
	int n = 0;
	int rc = dblock_list(s->client, NULL, count, &n, err);

	if (rc == 0)
		assert_int_equal(n, 1);
	return rc;
}

static inline int call_show(struct stage *s, struct dblock_error *err)
{
	int n = 0;
	int rc = dblock_show(s->client, "x", count, &n, err);

	if (rc == 0)
		assert_int_equal(n, 1);
	return rc;
}

static inline int call_break(struct stage *s, struct dblock_error *err)
{
	int rc = break_by_force(s->client, "x", 0, 0, err);

	return rc == DBLOCK_STALE ? DBLOCK_OK : rc; /* the call before has broken it */
}

static inline int call_request(struct stage *s, struct dblock_error *err)
{
	return dblock_request_release(s->client, "x", "a reason", err);
}

static inline int count_reason(void *arg, const struct dblock_holder *holder)
{
	*(int *)arg += holder->request && strcmp(holder->request->reason, "a reason") == 0;
	return 0;
}

static inline int call_show_request(struct stage *s, struct dblock_error *err)
{
	int n = 0;
	int rc = dblock_show(s->client, "x", count_reason, &n, err);

	if (rc == 0)
		assert_int_equal(n, 1);
	return rc;
}

static inline int call_reap(struct stage *s, struct dblock_error *err)
{
	struct dblock_reap_options options = DBLOCK_REAP_OPTIONS_INIT;
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;

	options.purge_after_ms = -1;
	return dblock_reap(s->client, &options, &reaped, err);
}

static inline int call_migrate(struct stage *s, struct dblock_error *err)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.timeout_ms = PLENTY_MS;
	options.prefix = s->prefix;
	return dblock_migrate_up(test_url(), &options, NULL, NULL, NULL, err);
}

static inline int no_matter(void *arg, const struct dblock_migration *migration)
{
	++*(int *)arg;
	return migration->state == DBLOCK_MIGRATION_APPLIED ? 0 : -100;
}

static inline int call_status(struct stage *s, struct dblock_error *err)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	int n = 0, rc;

	(void)s;
	options.timeout_ms = PLENTY_MS;
	rc = dblock_migrate_status(test_url(), &options, NULL, no_matter, &n, err);
	if (rc == 0)
		assert_true(n > 0);
	return rc;
}

static inline int count_finding(void *arg, const struct dblock_finding *finding)
{
	*(int *)arg += strlen(finding->text) > 0;
	return 0;
}

/* The doctor says what it had no memory to look at, or the whole call fails. */
static inline int call_doctor(struct stage *s, struct dblock_error *err)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	int n = 0, rc;

	(void)s;
	options.timeout_ms = PLENTY_MS;
	rc = dblock_doctor(test_url(), &options, count_finding, &n, err);
	if (rc == 0)
		assert_true(n > 3);
	return rc;
}

#endif
