/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>

#include "cli/outbox/outbox.h"

json_t *dbl_message_json(const struct dblock_message *m)
{
	json_t *object = json_object();
	char id[24];

	snprintf(id, sizeof(id), "%" PRId64, m->id);
	dbl_json_text(object, "topic", m->topic);
	dbl_json_text(object, "key", m->key);
	dbl_json_number(object, "number", m->number);
	dbl_json_text(object, "id", id);
	dbl_json_time(object, "put_at", m->put_us);
	dbl_json_number(object, "tries", m->tries);
	if (m->token)
		dbl_json_number(object, "token", m->token);
	dbl_json_text(object, "headers", m->headers);
	dbl_json_text(object, "body", m->body);
	return object;
}

json_t *dbl_failure_json(const struct dblock_outbox_failure *f)
{
	json_t *object = json_object();

	dbl_json_text(object, "topic", f->topic);
	dbl_json_text(object, "key", f->key);
	dbl_json_number(object, "number", f->number);
	dbl_json_number(object, "tries", f->tries);
	dbl_json_time(object, "since", f->since_us);
	json_object_set_new(object, "parked", json_boolean(f->parked));
	dbl_json_time(object, "due", f->due_us);
	dbl_json_ms(object, "due_ms", f->parked ? INT64_MIN : f->due_ms);
	dbl_json_text(object, "error", f->error);
	return object;
}

json_t *dbl_topic_json(const struct dblock_outbox_topic *t)
{
	json_t *object = json_object();

	dbl_json_text(object, "topic", t->topic);
	dbl_json_number(object, "messages", t->messages);
	dbl_json_time(object, "oldest", t->oldest_us);
	dbl_json_ms(object, "oldest_ms", t->oldest_ms);
	dbl_json_number(object, "failing", t->failing);
	dbl_json_number(object, "parked", t->parked);
	return object;
}
