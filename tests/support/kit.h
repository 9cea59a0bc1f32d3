/* SPDX-License-Identifier: MIT */
/*
 * Tests of the library's promises share these: by the public API only, and in a header only, so
 * that tests in api/ (which link nothing but the shared library) can use it as well.
 *
 * A comment that begins with "Naive:" says what an obvious but wrong implementation does: the test
 * fails with it.
 *
 * No test here relies on speed. What must not happen before a time is checked against the clock;
 * what must happen is waited for, with a bound that no machine needs (slowness.h). If a live holder
 * could lose its session only because the machine was too busy for its heartbeat, the test asks the
 * holder (dblock_valid) and plays the scene again with a longer ttl.
 */
#ifndef TESTS_SUPPORT_KIT_H
#define TESTS_SUPPORT_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <dblock/database.h>
#include <dblock/dblock.h>
#include <dblock/dump.h>
#include <dblock/migrate.h>
#include <dblock/rows.h>
#include <dblock/single_flight.h>
#include <dblock/versioned.h>

#include "support/env.h"
#include "support/outcome.h"
#include "support/slowness.h"

/* Returns CLOCK_BOOTTIME, the clock of the library's deadlines. */
static inline int64_t clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static inline void sleep_ms(int64_t ms)
{
	struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	while (nanosleep(&t, &t))
		;
}

/* ---- clients -------------------------------------------------------------------------------- */

/* A client's timeout may be meant to be short, but never for opening it. */
#define EXPECT_OPEN(call)                                                                          \
	do {                                                                                       \
		int64_t until_ = clock_ms() + PLENTY_MS;                                           \
		int rc_;                                                                           \
                                                                                                   \
		do                                                                                 \
			rc_ = (call);                                                              \
		while ((rc_ == DBLOCK_E_NO_ANSWER || rc_ == DBLOCK_E_UNAVAILABLE) &&               \
		       clock_ms() < until_);                                                       \
		expect(OK, rc_);                                                                   \
	} while (0)

static inline struct dblock_client *client_with(const struct dblock_client_options *options)
{
	struct dblock_error err = {0};
	struct dblock_client *client;

	EXPECT_OPEN(dblock_open(test_url(), options, &client, &err));
	return client;
}

/* Returns a client whose tables exist. ttl_ms 0: the default. */
static inline struct dblock_client *client_new(int64_t ttl_ms)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.ttl_ms = ttl_ms;
	options.timeout_ms = PLENTY_MS;
	options.auto_migrate = 1;
	return client_with(&options);
}

/* TUNE(options, .wake_off = DBLOCK_WAKE_SOCKET): for an open in the same block. */
#define TUNE(options, ...)                                                                         \
	(options).tuning = &(struct dblock_tuning)                                                 \
	{                                                                                          \
		.size = sizeof(struct dblock_tuning), __VA_ARGS__                                  \
	}

/* Returns a client that no datagram reaches: as if on another machine, it is told things with its
 * heartbeat, which comes every 10 s. */
static inline struct dblock_client *client_far(void)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.timeout_ms = PLENTY_MS;
	options.auto_migrate = 1;
	TUNE(options, .wake_off = DBLOCK_WAKE_SOCKET);
	return client_with(&options);
}

/* Takes the lock, which must be free now. */
static inline struct dblock_lock *take(struct dblock_client *client, const char *name)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	expect(OK, dblock_try(client, name, NULL, &lock, &err));
	return lock;
}

static inline void give(struct dblock_lock *lock)
{
	struct dblock_error err = {0};

	expect(OK, dblock_release(lock, &err));
}

/* Gives back a lock of a client whose ttl is too short for a slow machine: the lock may be lost. */
static inline void give_in_time_or_not(struct dblock_lock *lock)
{
	struct dblock_error err = {0};
	int rc = dblock_release(lock, &err);

	if (rc != DBLOCK_LOST)
		expect(OK, rc);
}

/* The lock must not be free now. */
static inline void busy(struct dblock_client *client, const char *name)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	expect(BUSY, dblock_try(client, name, NULL, &lock, &err));
	assert_null(lock);
}

/* Takes the lock and gives it back: nothing of it is left held. Returns the token. */
static inline int64_t is_free(struct dblock_client *client, const char *name)
{
	struct dblock_lock *lock = take(client, name);
	int64_t token = dblock_token(lock);

	give(lock);
	return token;
}

/* Does the same in a moment, if somebody still has to leave the queue. */
static inline void is_free_soon(struct dblock_client *client, const char *name)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.wait_ms = PLENTY_MS;
	expect(OK, dblock_acquire(client, name, &options, &lock, &err));
	give(lock);
}

/* ---- threads -------------------------------------------------------------------------------- */

struct crew {
	pthread_t threads[64];
	int n;
};

static inline void crew_add(struct crew *crew, void *(*body)(void *), void *arg)
{
	assert_int_equal(pthread_create(&crew->threads[crew->n++], NULL, body, arg), 0);
}

static inline void crew_join(struct crew *crew)
{
	while (crew->n > 0)
		pthread_join(crew->threads[--crew->n], NULL);
}

/* cmocka's assertions work on its own thread only, so other threads count what goes wrong. */
static inline void note_problem(_Atomic int *problems, const char *what,
				const struct dblock_error *err)
{
	++*problems;
	fprintf(stderr, "%s: %s: %s\n", what, dblock_outcome_name(err->code), err->message);
}

/* ---- processes ------------------------------------------------------------------------------ */

/*
 * A process that holds a lock until it is killed. Start it while no client is open in this process:
 * neither SQLite nor a connection survives a fork.
 */
struct child {
	pid_t pid;
	int64_t said; /* the body's report when it was ready */
};

/* Starts a child. The body opens, takes, and returns its report; then the child waits to be killed.
 * A negative report is a failure. */
static inline struct child child_start(int64_t (*body)(void *arg), void *arg)
{
	struct child child = {.said = -1};
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	fflush(NULL);
	child.pid = fork();
	assert_true(child.pid >= 0);
	if (child.pid == 0) {
		int64_t said;

		/* If we fail, it does not stay, nor keep open what others read from. */
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		said = body(arg);
		if (write(ends[1], &said, sizeof(said)) == sizeof(said))
			for (;;)
				pause();
		_exit(1);
	}
	close(ends[1]);
	if (read(ends[0], &child.said, sizeof(child.said)) != sizeof(child.said))
		fail_msg("the child ended early");
	close(ends[0]);
	if (child.said < 0)
		fail_msg("the child failed; see above");
	return child;
}

/*
 * Lets a child start threads though its parent has some. TSan takes a thread whose stack lies where
 * one of the parent's was for that one, and ends the child; larger stacks lie elsewhere.
 */
static inline void child_has_threads(void)
{
	pthread_attr_t larger;

	pthread_attr_init(&larger);
	pthread_attr_setstacksize(&larger, (size_t)32 << 20);
	pthread_setattr_default_np(&larger);
	pthread_attr_destroy(&larger);
}

/* Ends the child as a crash does: nothing is released, nobody is told. */
static inline void child_kill(struct child *child)
{
	kill(child->pid, SIGKILL);
	waitpid(child->pid, NULL, 0);
}

/* The lock that a child must take. */
struct grab {
	const char *name;
	int64_t ttl_ms, lease_ms, at_least_ms;
};

/* The body of a child that takes the lock, and reports its token. That it is killed tells nobody:
 * time does. */
static inline int64_t child_takes(void *arg)
{
	const struct grab *grab = arg;
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct dblock_lock *lock;

	options.ttl_ms = grab->ttl_ms;
	options.alive_fd = -1;
	options.timeout_ms = PLENTY_MS;
	options.auto_migrate = 1;
	how.lease_ms = grab->lease_ms;
	how.at_least_ms = grab->at_least_ms;
	if (dblock_open(test_url(), &options, &client, &err) ||
	    dblock_try(client, grab->name, &how, &lock, &err)) {
		fprintf(stderr, "child: %s\n", err.message);
		return -1;
	}
	return dblock_token(lock);
}

/* Breaks the lock without waiting for its holder; wait_ms is the time for an open transaction. */
static inline int break_by_force(struct dblock_client *client, const char *name, int64_t token,
				 int64_t wait_ms, struct dblock_error *err)
{
	struct dblock_break_options options = DBLOCK_BREAK_OPTIONS_INIT;

	options.token = token;
	options.wait_ms = wait_ms;
	options.force = 1;
	return dblock_break(client, name, &options, err);
}

/* A client that refuses would live on without what is freed next. Tests of it: (dblock_close)(). */
static inline void closes_at(struct dblock_client *client, const char *file, int line)
{
	struct dblock_error err;

	if (dblock_close(client, &err)) {
		print_error("%s\n", err.message);
		_fail(file, line);
	}
}

#define dblock_close(client, err) closes_at(client, __FILE__, __LINE__)
/* ---- looking -------------------------------------------------------------------------------- */

/* The holder that dblock_show() shows, with room for the texts. */
struct shown {
	struct dblock_holder h;
	char name[256], host[256], app[64], session[64], value[1025];
};

static inline int keep_shown(void *arg, const struct dblock_holder *holder)
{
	struct shown *shown = arg;

	shown->h = *holder;
	snprintf(shown->name, sizeof(shown->name), "%s", holder->name);
	snprintf(shown->host, sizeof(shown->host), "%s", holder->host);
	snprintf(shown->app, sizeof(shown->app), "%s", holder->app);
	snprintf(shown->session, sizeof(shown->session), "%s", holder->session);
	snprintf(shown->value, sizeof(shown->value), "%s", holder->value);
	return 0;
}

static inline struct shown show(struct dblock_client *client, const char *name)
{
	struct dblock_error err = {0};
	struct shown shown = {.h = {0}};

	expect(OK, dblock_show(client, name, keep_shown, &shown, &err));
	return shown;
}

#endif
