/* SPDX-License-Identifier: MIT */
/* A client with a lock, whose row and history are set back by hand, as a restore or a failover does. */
#ifndef TESTS_DB_SESSION_LINEAGE_KIT_H
#define TESTS_DB_SESSION_LINEAGE_KIT_H

#include <inttypes.h>

#include "api/client.h"
#include "lock/handle/lock.h"
#include "session/internal.h"
#include "support/raw.h"
#include "support/spy.h"
#include "support/waiting.h"

struct scene {
	struct spy *spy;
	struct dblock_client *client;
	struct dblock_lock *lock;
	struct raw *raw;
	char id[33];
	int64_t first; /* an early beat of the session */
};

static inline int64_t beat_of(const struct scene *s)
{
	return raw_int(s->raw, "SELECT beat FROM dblock_session WHERE id = '%s'", s->id);
}

static inline int64_t deadline_of(const struct scene *s)
{
	return dbl_validity_end_of(&s->lock->grant.epoch->validity);
}

static inline int64_t answered_at(const struct scene *s)
{
	struct dbl_session *session = s->client->locks->session;
	int64_t at;

	dbl_lock(&session->mutex);
	at = session->clock.after;
	dbl_unlock(&session->mutex);
	return at;
}

/* A heartbeat that is answered. */
static inline void beat(const struct scene *s)
{
	int64_t before = answered_at(s);

	dbl_session_hurry(s->client->locks->session);
	wait_until(answered_at(s) != before);
}

/* Two that may be refused, or lost. */
static inline void try_to_beat(const struct scene *s)
{
	for (int i = 0; i < 2; i++) {
		int before = s->spy->runs_of[DBL_OP_heartbeat];

		dbl_session_hurry(s->client->locks->session);
		wait_until(s->spy->runs_of[DBL_OP_heartbeat] > before);
	}
}

static inline struct scene begin(void)
{
	struct scene s = {.spy = spy_new(), .raw = raw_open(NULL)};

	s.client = spy_client(s.spy, 600000);
	s.lock = take(s.client, "x");
	memcpy(s.id, s.lock->grant.epoch->id, sizeof(s.id));
	s.first = beat_of(&s);
	beat(&s);
	beat(&s);
	assert_true(beat_of(&s) > s.first);
	return s;
}

static inline void end(struct scene *s, int outcome)
{
	struct dblock_error err = {0};

	assert_int_equal(dblock_release(s->lock, &err), outcome);
	dblock_close(s->client, NULL);
	raw_close(s->raw);
	spy_free(s->spy);
}

static inline bool has_trouble(const struct scene *s, const char *says)
{
	char text[DBL_TROUBLE_MAX] = "";

	dbl_session_trouble(s->client->locks->session, s->lock->grant.epoch, text);
	return strstr(text, says) != NULL;
}

static inline void set_beat(const struct scene *s, int64_t beat)
{
	raw_exec(s->raw, "UPDATE dblock_session SET beat = %" PRId64 " WHERE id = '%s'", beat,
		 s->id);
}

/* What the row had some beats ago, as after a restore, or on a former primary. */
static inline void go_back(const struct scene *s)
{
	set_beat(s, s->first);
}

/* The database has another newest history than the client has read. */
static inline void another_history(const struct scene *s, int id)
{
	raw_exec(s->raw,
		 "UPDATE dblock_history SET id = '%032d' WHERE n ="
		 " (SELECT n FROM (SELECT max(n) AS n FROM dblock_history) AS m)",
		 id);
}

#endif
