/* SPDX-License-Identifier: MIT */
/* A client without threads, whose assertions tests break: its parts are made by hand, time stands
 * still, and `play` answers what it asks the database. */
#ifndef TESTS_UNIT_LOCK_ASSERTS_KIT_H
#define TESTS_UNIT_LOCK_ASSERTS_KIT_H

#include "support/death.h"

#include "base/mem.h"
#include "driver/value.h"
#include "link/own.h"
#include "lock/core/cancel.h"
#include "lock/core/context.h"
#include "session/internal.h"
#include "sql/dialect.h"

enum { TTL = 10000000, NOW = 1000000000 };

static int64_t clock_now = NOW;

static int64_t kit_now(void *unused)
{
	(void)unused;
	return clock_now;
}

static int kit_random(void *unused, void *bytes, size_t len)
{
	(void)unused;
	memset(bytes, 7, len);
	return 0;
}

static void kit_sleep(void *unused, int64_t until)
{
	(void)unused;
	clock_now = until;
}

static const struct dbl_env env = {
	.now = kit_now, .wall = kit_now, .random = kit_random, .sleep_until = kit_sleep};
static const struct dbl_dialect dialect = {.name = "none"};
static struct dbl_target target = {.dialect = &dialect, .env = &env};
static struct dbl_link kit_link = {.target = &target};
static struct dbl_epoch epoch = {.id = "00000000000000000000000000000001", .shares = 100};
static struct dbl_session kit_session;
static struct dbl_locks locks;

/* Answers a request instead of the database; NULL: no row comes, and nothing is changed. */
static int (*play)(struct dbl_request *);

int __wrap_dbl_link_run(struct dbl_link *, struct dbl_request *, struct dblock_error *);
int __wrap_dbl_link_run(struct dbl_link *link, struct dbl_request *request,
			struct dblock_error *err)
{
	(void)link;
	(void)err;
	return play ? play(request) : 0;
}

int __wrap_dbl_db_run(struct dbl_db *, struct dbl_request *, struct dblock_error *);
int __wrap_dbl_db_run(struct dbl_db *db, struct dbl_request *request, struct dblock_error *err)
{
	(void)db;
	(void)err;
	return play ? play(request) : 0;
}

int __wrap_dbl_link_transaction(struct dbl_link *,
				int (*body)(void *, struct dbl_db *, struct dblock_error *),
				void *ctx, int64_t deadline, struct dblock_error *);
int __wrap_dbl_link_transaction(struct dbl_link *link,
				int (*body)(void *, struct dbl_db *, struct dblock_error *),
				void *ctx, int64_t deadline, struct dblock_error *err)
{
	(void)link;
	(void)deadline;
	return body(ctx, NULL, err);
}

static inline void kit_begin(void)
{
	clock_now = NOW;
	play = NULL;
	dbl_validity_begin(&epoch.validity, NOW + TTL);
	kit_session = (struct dbl_session){
		.env = &env, .options = {.ttl = TTL, .timeout = TTL}, .epoch = &epoch};
	kit_session.until = kit_session.errands_at = kit_session.beat_at = DBL_NEVER;
	dbl_mutex_init(&kit_session.mutex);
	dbl_cond_init(&kit_session.changed);
	locks = (struct dbl_locks){.target = &target,
				   .env = &env,
				   .link = &kit_link,
				   .session = &kit_session,
				   .host = &kit_session.host,
				   .ttl = TTL,
				   .timeout = TTL,
				   .until = DBL_NEVER};
	dbl_mutex_init(&locks.mutex);
}

/* Runs each test of the table in a new client, in which set_up() makes what the module needs. */
#define ASSERTS_MAIN(set_up, deaths)                                                               \
	static void each_fails(void **state)                                                       \
	{                                                                                          \
		(void)state;                                                                       \
		kit_begin();                                                                       \
		set_up();                                                                          \
		assert_deaths(deaths);                                                             \
	}                                                                                          \
	int main(void)                                                                             \
	{                                                                                          \
		const struct CMUnitTest tests[] = {cmocka_unit_test(each_fails)};                  \
		return cmocka_run_group_tests(tests, NULL, NULL);                                  \
	}

#endif
