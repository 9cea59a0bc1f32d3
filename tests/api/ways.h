/* SPDX-License-Identifier: MIT */
/* Ways to wait, of a client that is to be shut down, or closed. */
#ifndef TESTS_SUPPORT_WAYS_H
#define TESTS_SUPPORT_WAYS_H

#include "support/call.h"
#include "support/steps.h"

/* "x" is somebody else's; both hold "mine" to read it. */
struct stage {
	struct dblock_client *client, *other;
	struct dblock_lock *taken, *mine, *reader;
	struct dblock_tx *tx;
	_Atomic int making;
	_Atomic bool made;
};

static inline struct dblock_lock *take_shared(struct dblock_client *client, const char *name)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.mode = DBLOCK_SHARED;
	expect(OK, dblock_try(client, name, &options, &lock, &err));
	return lock;
}

static inline int set_up(void **state)
{
	static struct stage stage;

	stage = (struct stage){.client = client_new(0), .other = client_new(0)};
	stage.taken = take(stage.other, "x");
	stage.mine = take_shared(stage.client, "mine");
	stage.reader = take_shared(stage.other, "mine");
	*state = &stage;
	return 0;
}

static inline int tear_down(void **state)
{
	struct stage *s = *state;

	dblock_close(s->client, NULL);
	dblock_close(s->other, NULL);
	return 0;
}

/* ---- ways to wait ---------------------------------------------------------------------------- */

static inline int in_queue(void *arg, struct dblock_error *err)
{
	struct stage *s = arg;
	struct dblock_lock *lock;

	return dblock_acquire(s->client, "x", NULL, &lock, err);
}

static inline int to_share(void *arg, struct dblock_error *err)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct stage *s = arg;
	struct dblock_lock *lock;

	options.mode = DBLOCK_SHARED;
	return dblock_acquire(s->client, "x", &options, &lock, err);
}

static inline int with_a_value(void *arg, struct dblock_error *err)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct stage *s = arg;
	struct dblock_lock *lock;

	options.value = "not in turns";
	return dblock_acquire(s->client, "x", &options, &lock, err);
}

static inline int for_several(void *arg, struct dblock_error *err)
{
	static const struct dblock_lock_spec wants[] = {{.name = "w"}, {.name = "x"}};
	struct stage *s = arg;
	struct dblock_lock *lock;

	return dblock_acquire_all(s->client, wants, 2, NULL, &lock, err);
}

static inline int to_upgrade(void *arg, struct dblock_error *err)
{
	struct stage *s = arg;

	return dblock_upgrade(s->mine, NULL, err);
}

static inline int to_lead(void *arg, struct dblock_error *err)
{
	struct stage *s = arg;
	struct dblock_lock *lock;

	return dblock_elect(s->client, "x", NULL, &lock, err);
}

static inline int to_follow(void *arg, struct dblock_error *err)
{
	struct dblock_watch_options options = DBLOCK_WATCH_OPTIONS_INIT;
	struct dblock_leader leader = {.size = sizeof(leader)};
	struct stage *s = arg;

	options.every_ms = 3600000;
	return dblock_leader_watch(s->client, "nobody", &options, &leader, err);
}

static inline int to_do_once(void *arg, struct dblock_error *err)
{
	struct stage *s = arg;
	struct dblock_lock *lock;

	return dblock_once(s->client, "x", "today", NULL, &lock, err);
}

static inline int in_steps(void *arg, struct dblock_error *err)
{
	struct stage *s = arg;
	struct dblock_wait *wait;
	struct dblock_lock *lock;
	int rc = dblock_acquire_begin(s->client, "x", NULL, &wait, err);

	if (rc == 0)
		rc = dblock_wait_finish(wait, &lock, err);
	dblock_wait_end(wait);
	return rc;
}

/* One of three makes it, and does not come to an end before the others have. */
static inline int make(void *arg, struct dblock_result *result, struct dblock_error *err)
{
	struct stage *s = arg;

	s->making++;
	while (!s->made)
		sleep_ms(5);
	return dblock_result_set(result, "made", 4, err);
}

static inline int to_fly(void *arg, struct dblock_error *err)
{
	struct dblock_result *result;
	struct stage *s = arg;
	int rc = dblock_single_flight(s->client, "key", NULL, make, s, &result, err);

	dblock_result_free(result);
	return rc;
}

static inline int in_a_transaction(void *arg, struct dblock_error *err)
{
	struct stage *s = arg;
	struct dblock_lock *lock;

	return dblock_tx_acquire(s->tx, s->client, "x", NULL, &lock, err);
}

static int (*const ways[])(void *, struct dblock_error *) = {
	in_queue,   in_queue, in_queue, to_share,  with_a_value, for_several,
	to_upgrade, to_lead,  in_steps, to_follow, to_do_once,
};

enum { WAYS = sizeof(ways) / sizeof(*ways) };

static inline void ends_canceled(struct call *call)
{
	struct dblock_error err;
	int rc = call_end(call);

	err = call->err;
	expect(CANCELED, rc);
	message_has("shut down");
}

#endif
