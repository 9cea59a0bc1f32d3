/* SPDX-License-Identifier: MIT */
/* A relay, and what it has delivered. */
#ifndef TESTS_DB_OUTBOX_RELAY_H
#define TESTS_DB_OUTBOX_RELAY_H

#include <dblock/outbox.h>

#include "outbox/page.h"
#include "support/call.h"
#include "support/scene.h"
#include "support/tx.h"
#include "support/waiting.h"

enum { POST_ROOM = 2000 };

/* Under the mutex, but for what is set before the relay begins. */
struct post {
	pthread_mutex_t mutex;
	const struct scene *scene;
	struct dblock_client *client;
	struct dblock_relay_options options;
	struct dblock_error err;
	struct call call;
	_Atomic bool stop;
	/* What fails: that key, "": all, NULL: none. */
	const char *_Atomic fails;
	const char *fails_all_but;
	const char *says; /* of a failure; NULL: that there is no such customer */
	int fails_times;  /* 0: always */
	int fails_with;
	void (*during)(struct post *); /* is called while a message is delivered */
	int n_calls;                   /* as `during` counts them */
	atomic_int n_failed;
	_Atomic bool parked;
	atomic_int n;
	struct {
		char key[32], body[32], headers[32];
		int64_t number, id, token, put_us;
	} list[POST_ROOM];
};

static int post_is_stopped(void *arg)
{
	return ((struct post *)arg)->stop;
}

static void post_failed(void *arg, const struct dblock_message *m, const struct dblock_error *why,
			int64_t again_ms)
{
	struct post *post = arg;

	(void)m;
	(void)why;
	post->parked = again_ms < 0;
	post->n_failed++;
}

/* Pauses are short: what is waited for is seen by what was called. */
#define POST(s)                                                                                    \
	{                                                                                          \
		.mutex = PTHREAD_MUTEX_INITIALIZER, .scene = (s), .client = (s)->client,           \
		.options = DBLOCK_RELAY_OPTIONS_INIT                                               \
	}

static void note(struct post *post, const struct dblock_message *m)
{
	pthread_mutex_lock(&post->mutex);
	if (post->n < POST_ROOM) {
		int i = post->n;

		snprintf(post->list[i].key, sizeof(post->list[i].key), "%s", m->key);
		snprintf(post->list[i].body, sizeof(post->list[i].body), "%s", m->body);
		snprintf(post->list[i].headers, sizeof(post->list[i].headers), "%s", m->headers);
		post->list[i].number = m->number;
		post->list[i].id = m->id;
		post->list[i].token = m->token;
		post->list[i].put_us = m->put_us;
		post->n++;
	}
	pthread_mutex_unlock(&post->mutex);
}

static bool fails_now(const struct post *post, const char *key)
{
	const char *fails = post->fails;

	if (post->fails_all_but && strcmp(post->fails_all_but, key) != 0)
		return true;
	return fails && (!*fails || strcmp(fails, key) == 0) &&
	       (post->fails_times == 0 || post->n_failed < post->fails_times);
}

static int deliver(void *arg, const struct dblock_message *m, struct dblock_error *err)
{
	struct post *post = arg;

	if (post->during)
		post->during(post);
	if (fails_now(post, m->key)) {
		err->code = post->fails_with ? post->fails_with : 1000;
		snprintf(err->message, sizeof(err->message), "%s",
			 post->says ? post->says : "no such customer");
		return err->code;
	}
	note(post, m);
	return DBLOCK_OK;
}

static int relay(void *arg, struct dblock_error *err)
{
	struct post *post = arg;

	if (!post->options.pause_ms)
		post->options.pause_ms = 1;
	post->options.canceled = post_is_stopped;
	post->options.canceled_arg = post;
	post->options.failed = post_failed;
	post->options.failed_arg = post;
	return dblock_outbox_relay(post->client, "t", deliver, post, &post->options, err);
}

static inline int drain(struct post *post)
{
	post->options.drain = true;
	post->stop = false;
	return relay(post, &post->err);
}

static inline void relay_start(struct post *post)
{
	call_start(&post->call, relay, post);
}

static inline int relay_stop(struct post *post)
{
	post->stop = true;
	return call_end(&post->call);
}

/* ---- what is put ----------------------------------------------------------------------------- */

static inline void put(const struct scene *s, const char *key, const char *body,
		       const char *headers)
{
	struct dblock_tx *tx = tx_begin(s->client);
	struct dblock_error err = {0};

	expect(OK, dblock_outbox_put(tx, "t", key, body, headers, NULL, &err));
	tx_commit(tx);
}

static inline void put_some(const struct scene *s, const char *key, int n)
{
	struct dblock_tx *tx = tx_begin(s->client);
	struct dblock_error err = {0};

	for (int i = 0; i < n; i++)
		expect(OK, dblock_outbox_put(tx, "t", key, "b", NULL, NULL, &err));
	tx_commit(tx);
}

/* Another key, behind it, of its shard. */
static inline void key_beside(const char *key, char *other, size_t size)
{
	int i = 0;

	do
		snprintf(other, size, "%s%d", key, ++i);
	while (dbl_shard_of(other) != dbl_shard_of(key));
}

/* ---- what has come of it --------------------------------------------------------------------- */

static inline void is_in_order(const struct post *post, const char *key, int64_t n)
{
	int64_t next = 1;

	for (int i = 0; i < post->n; i++)
		if (strcmp(post->list[i].key, key) == 0)
			assert_int_equal(post->list[i].number, next++);
	assert_int_equal(next, n + 1);
}

static inline int64_t waiting(const struct scene *s)
{
	return raw_int(s->raw, "SELECT count(*) FROM dblock_outbox");
}

static inline int64_t failures(const struct scene *s)
{
	return raw_int(s->raw, "SELECT count(*) FROM dblock_outbox_failure");
}

/* 0: NULL. */
static inline int64_t failure_int(const struct scene *s, const char *key, const char *column)
{
	return raw_int(s->raw,
		       "SELECT coalesce(%s, 0) FROM dblock_outbox_failure WHERE msg_key = '%s'",
		       column, key);
}

static inline const char *failure_text(const struct scene *s, const char *key, const char *column)
{
	return raw_text(s->raw, "SELECT %s FROM dblock_outbox_failure WHERE msg_key = '%s'", column,
			key);
}

static inline int relay_set_up(void **state)
{
	const struct scene *s;

	scene_set_up(state);
	s = *state;
	raw_exec(s->raw, "DELETE FROM dblock_outbox");
	raw_exec(s->raw, "DELETE FROM dblock_outbox_key");
	raw_exec(s->raw, "DELETE FROM dblock_outbox_failure");
	return 0;
}

#define RELAY_CASE(f) cmocka_unit_test_setup_teardown(f, relay_set_up, scene_tear_down)

#endif
