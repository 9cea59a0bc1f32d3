/* SPDX-License-Identifier: MIT */
#include <dblock/outbox.h>

#include <string.h>

#include "api/message.h"
#include "api/tx.h"
#include "base/utf8.h"
#include "lock/core/name.h"
#include "outbox/outbox.h"
#include "outbox/relay.h"

/* What messages are found by: a short text, and not an empty one. */
static int check_label(const char *what, const char *text, size_t max, struct dblock_error *err)
{
	if (!text || !*text)
		return dbl_fail(err, DBLOCK_E_INVALID, "%s is %s; it has 1 to %zu bytes", what,
				text ? "empty" : "NULL", max);
	return dbl_label_check(what, text, max, err);
}

int dbl_topic_check(const char *topic, struct dblock_error *err)
{
	return check_label("the topic", topic, DBLOCK_TOPIC_MAX, err);
}

int dbl_message_key_check(const char *key, struct dblock_error *err)
{
	return check_label("the key", key, DBLOCK_MESSAGE_KEY_MAX, err);
}

int dbl_message_number_check(int64_t number, struct dblock_error *err)
{
	return number >= 1 ? 0
			   : dbl_fail(err, DBLOCK_E_INVALID,
				      "the number is %lld; the first one is 1", (long long)number);
}

static int check_text(const char *what, const char *text, size_t max, struct dblock_error *err)
{
	size_t len = strlen(text), at = 0, step = 1;
	uint32_t ignored;

	if (len > max)
		return dbl_fail(err, DBLOCK_E_INVALID, "%s has %zu bytes; at most %zu are allowed",
				what, len, max);
	for (; at < len && step; at += step)
		step = dbl_utf8_next(text + at, len - at, &ignored);
	if (!step)
		return dbl_fail(err, DBLOCK_E_INVALID, "%s is not UTF-8, at byte %zu", what,
				at + 1);
	return 0;
}

static int check_message(const struct dbl_message *m, struct dblock_error *err)
{
	int rc = dbl_topic_check(m->topic, err);

	if (rc == 0)
		rc = dbl_message_key_check(m->key, err);
	if (rc == 0)
		rc = check_text("the headers", m->headers, DBLOCK_HEADERS_MAX, err);
	return rc ? rc : check_text("the body", m->body, DBLOCK_BODY_MAX, err);
}

int dblock_outbox_put(struct dblock_tx *tx, const char *topic, const char *key, const char *body,
		      const char *headers, int64_t *number, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	const struct dbl_message m = {topic, key, headers ? headers : "", body ? body : ""};
	int64_t put = 0;
	int rc = dbl_tx_check(tx, &heard);

	if (rc == 0)
		rc = check_message(&m, &heard);
	if (rc == 0)
		rc = dbl_outbox_put(tx, &m, &put, &heard);
	if (rc == 0)
		dbl_outbox_ring_after(tx, topic);
	if (number)
		*number = put;
	return dbl_tell(err, &heard, rc);
}

static int check_letter(const struct dbl_letter *l, struct dblock_error *err)
{
	int rc = check_label("the source", l->source, DBLOCK_MESSAGE_KEY_MAX, err);

	if (rc == 0)
		rc = dbl_message_key_check(l->key, err);
	if (rc == 0)
		rc = dbl_message_number_check(l->number, err);
	if (rc == 0 && l->id == 0)
		rc = dbl_fail(err, DBLOCK_E_INVALID, "the id is 0; no message has that");
	return rc;
}

int dblock_inbox_seen(struct dblock_tx *tx, const char *source, const char *key, int64_t number,
		      int64_t id, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	const struct dbl_letter l = {source, key, number, id};
	int rc = dbl_tx_check(tx, &heard);

	if (rc == 0)
		rc = check_letter(&l, &heard);
	if (rc == 0)
		rc = dbl_inbox_seen(tx, &l, &heard);
	return dbl_tell(err, &heard, rc);
}
