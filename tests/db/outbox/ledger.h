/* SPDX-License-Identifier: MIT */
/* Messages that wait, and keys that have failed, as a relay leaves them. */
#ifndef TESTS_DB_OUTBOX_LEDGER_H
#define TESTS_DB_OUTBOX_LEDGER_H

#include <dblock/outbox.h>

#include "support/scene.h"
#include "support/tx.h"

enum { MANY = 230, ENOUGH = 42 }; /* more than a page has of failures, and of messages */

static inline int ledger_set_up(void **state)
{
	const struct scene *s;

	scene_set_up(state);
	s = *state;
	raw_exec(s->raw, "DELETE FROM dblock_outbox");
	raw_exec(s->raw, "DELETE FROM dblock_outbox_key");
	raw_exec(s->raw, "DELETE FROM dblock_outbox_failure");
	return 0;
}

static inline int64_t put(const struct scene *s, const char *topic, const char *key,
			  const char *body)
{
	struct dblock_tx *tx = tx_begin(s->client);
	struct dblock_error err = {0};
	int64_t number;

	expect(OK, dblock_outbox_put(tx, topic, key, body, "h", &number, &err));
	tx_commit(tx);
	return number;
}

/* As a relay notes it. due: NULL is parked. */
static inline void fails(const struct scene *s, const char *topic, const char *key, int number,
			 const char *due)
{
	raw_exec(s->raw,
		 "INSERT INTO dblock_outbox_failure (topic, msg_key, shard, number, tries, since, "
		 "due, error) SELECT '%s', '%s', shard, %d, 3, {now}, %s, 'no \"such\" host' "
		 "FROM dblock_outbox WHERE topic = '%s' AND msg_key = '%s' AND number = %d",
		 topic, key, number, due, topic, key, number);
}

static inline int64_t failures(const struct scene *s)
{
	return raw_int(s->raw, "SELECT count(*) FROM dblock_outbox_failure");
}

static inline int ends(void *arg)
{
	++*(int *)arg;
	return ENOUGH;
}

static inline int end_failures(void *arg, const struct dblock_outbox_failure *failure)
{
	(void)failure;
	return ends(arg);
}

static inline int end_messages(void *arg, const struct dblock_message *message)
{
	(void)message;
	return ends(arg);
}

#endif
