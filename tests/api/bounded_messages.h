/* SPDX-License-Identifier: MIT */
/* The bounds of messages. Nothing that is put is committed. */
#ifndef TESTS_API_BOUNDED_MESSAGES_H
#define TESTS_API_BOUNDED_MESSAGES_H

#include <dblock/outbox.h>

#include "api/bounded.h"

static inline int put_in(struct stage *s, const char *topic, const char *key, const char *body,
			 const char *headers, struct dblock_error *err)
{
	int rc = dblock_tx_begin(s->tx, NULL, err);

	if (rc)
		return rc;
	rc = dblock_outbox_put(s->tx, topic, key, body, headers, NULL, err);
	(void)dblock_tx_rollback(s->tx, NULL);
	return rc;
}

static inline int put_topic(struct stage *s, int64_t v, struct dblock_error *err)
{
	return put_in(s, text(s, v), "k", NULL, NULL, err);
}

static inline int put_key(struct stage *s, int64_t v, struct dblock_error *err)
{
	return put_in(s, "t", text(s, v), NULL, NULL, err);
}

static inline int put_headers(struct stage *s, int64_t v, struct dblock_error *err)
{
	return put_in(s, "t", "k", NULL, text(s, v), err);
}

static inline int put_body(struct stage *s, int64_t v, struct dblock_error *err)
{
	return put_in(s, "t", "k", text(s, v), NULL, err);
}

static inline int seen_in(struct stage *s, const char *source, int64_t number,
			  struct dblock_error *err)
{
	int rc = dblock_tx_begin(s->tx, NULL, err);

	if (rc)
		return rc;
	rc = dblock_inbox_seen(s->tx, source, "k", number, 1, err);
	(void)dblock_tx_rollback(s->tx, NULL);
	return rc;
}

static inline int seen_source(struct stage *s, int64_t v, struct dblock_error *err)
{
	return seen_in(s, text(s, v), 1, err);
}

static inline int seen_number(struct stage *s, int64_t v, struct dblock_error *err)
{
	return seen_in(s, "s", v, err);
}

static inline int none_failed(void *arg, const struct dblock_outbox_failure *failure)
{
	(void)arg;
	(void)failure;
	return 0;
}

static inline int no_message(void *arg, const struct dblock_message *message)
{
	(void)arg;
	(void)message;
	return 0;
}

static inline int failures_topic(struct stage *s, int64_t v, struct dblock_error *err)
{
	return dblock_outbox_failures(s->client, text(s, v), none_failed, NULL, err);
}

static inline int messages_topic(struct stage *s, int64_t v, struct dblock_error *err)
{
	return dblock_outbox_messages(s->client, text(s, v), "k", no_message, NULL, err);
}

static inline int messages_key(struct stage *s, int64_t v, struct dblock_error *err)
{
	return dblock_outbox_messages(s->client, "t", text(s, v), no_message, NULL, err);
}

static inline int retry_topic(struct stage *s, int64_t v, struct dblock_error *err)
{
	return dblock_outbox_retry(s->client, text(s, v), NULL, NULL, err);
}

static inline int retry_key(struct stage *s, int64_t v, struct dblock_error *err)
{
	return dblock_outbox_retry(s->client, "t", text(s, v), NULL, err);
}

static inline int drop_topic(struct stage *s, int64_t v, struct dblock_error *err)
{
	return dblock_outbox_drop(s->client, text(s, v), "k", 1, err);
}

static inline int drop_key(struct stage *s, int64_t v, struct dblock_error *err)
{
	return dblock_outbox_drop(s->client, "t", text(s, v), 1, err);
}

static inline int drop_number(struct stage *s, int64_t v, struct dblock_error *err)
{
	return dblock_outbox_drop(s->client, "t", "k", v, err);
}

#endif
