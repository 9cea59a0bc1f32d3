/* SPDX-License-Identifier: MIT */
/* Locks held in each mode, and who waits for them, as operators meet them. */
#ifndef TESTS_DB_MODES_SCENE_H
#define TESTS_DB_MODES_SCENE_H

#include "support/raw.h"

struct scene {
	struct dblock_client *client, *other;
	struct raw *raw;
	int64_t ticket;
};

static inline int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	s->client = client_new(0);
	s->other = client_new(0);
	s->raw = raw_open(NULL);
	raw_exec(s->raw, "DELETE FROM dblock_queue");
	raw_exec(s->raw, "DELETE FROM dblock_lock");
	s->ticket = INT64_C(4000000000000000); /* larger than all that are drawn by the clock */
	*state = s;
	return 0;
}

static inline int tear_down(void **state)
{
	struct scene *s = *state;

	raw_close(s->raw);
	dblock_close(s->client, NULL);
	dblock_close(s->other, NULL);
	free(s);
	return 0;
}

/* ---- who holds, and who waits ---------------------------------------------------------------- */

static inline struct dblock_acquire_options permits(int64_t n, int64_t capacity)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;

	options.mode = DBLOCK_PERMITS;
	options.permits = n;
	options.capacity = capacity;
	return options;
}

static inline struct dblock_lock *take_with(struct dblock_client *client, const char *name,
					    struct dblock_acquire_options options)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	expect(OK, dblock_try(client, name, &options, &lock, &err));
	return lock;
}

static inline struct dblock_lock *take_as(struct dblock_client *client, const char *name,
					  enum dblock_mode mode)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;

	options.mode = mode;
	return take_with(client, name, options);
}

/* Puts a waiter into the queue, by the session of `other`. It never looks: if it is granted the
 * lock, somebody else has done that. It is known by its nonce. */
static inline void put_in_queue(struct scene *s, const char *name, int64_t nonce,
				enum dblock_mode mode)
{
	bool counts = mode == DBLOCK_PERMITS, draws = on_backend("sqlite");
	char ticket[32] = "";

	if (draws)
		snprintf(ticket, sizeof(ticket), "%lld,", (long long)s->ticket++);
	take(s->other, "alive"); /* gives it a session */
	raw_exec(s->raw,
		 "INSERT INTO dblock_queue (%s name, nonce, session, thread, bell, since, mode, "
		 "weight, capacity) SELECT %s '%s', %lld, session, 1, '', {now}, %d, %d, %s "
		 "FROM dblock_lock WHERE name = 'alive'",
		 draws ? "ticket," : "", ticket, name, (long long)nonce, (int)mode, counts ? 2 : 1,
		 counts ? "5" : "NULL");
	raw_exec(s->raw,
		 "UPDATE dblock_lock SET queued = true, queue_version = queue_version + 1 "
		 "WHERE name = '%s'",
		 name);
}

struct seen {
	struct dblock_holder h[600];
	struct dblock_waiter w[16];
	int n;
};

static inline int note_holder(void *arg, const struct dblock_holder *holder)
{
	struct seen *seen = arg;

	assert_true(holder->size == sizeof(*holder));
	seen->h[seen->n++] = *holder;
	return 0;
}

static inline struct seen *holders(struct dblock_client *client, const char *name)
{
	static struct seen seen;
	struct dblock_error err = {0};

	seen.n = 0;
	expect(OK, dblock_show(client, name, note_holder, &seen, &err));
	return &seen;
}

#endif
