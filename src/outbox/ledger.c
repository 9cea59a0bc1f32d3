/* SPDX-License-Identifier: MIT */
#include "outbox/ledger.h"

#include "base/mem.h"
#include "lock/core/cancel.h"
#include "lock/core/retry.h"
#include "lock/core/value.h"
#include "outbox/page.h"
#include "outbox/relay.h"

enum { FAILURES_PAGE = 200, MESSAGES_PAGE = 100, COLUMNS = 8 };

/* The connection is locked while rows come, so they are copied, and shown afterwards. */
struct row {
	struct row *next;
	struct dbl_value value[COLUMNS]; /* texts end with NUL here */
};

struct rows {
	enum dbl_op op;
	struct row *first, **end;
	unsigned n;
};

static void copy_values(struct row *r, const struct dbl_value *row, unsigned n)
{
	char *text = (char *)(r + 1);

	memcpy(r->value, row, n * sizeof(*row));
	for (unsigned i = 0; i < n; i++) {
		if (row[i].type != DBL_TEXT)
			continue;
		memcpy(text, row[i].text, row[i].len);
		text[row[i].len] = '\0';
		r->value[i].text = text;
		text += row[i].len + 1;
	}
}

static int keep(void *ctx, const struct dbl_value *row)
{
	struct rows *rows = ctx;
	unsigned n = (unsigned)strlen(dbl_ops[rows->op].columns);
	size_t size = sizeof(struct row);
	struct row *r;

	DBL_ASSERT(n <= COLUMNS, "%u", n);
	for (unsigned i = 0; i < n; i++)
		size += row[i].type == DBL_TEXT ? row[i].len + 1 : 0;
	r = dbl_alloc(size);
	if (!r)
		return DBLOCK_E_NOMEM;
	copy_values(r, row, n);
	*rows->end = r;
	rows->end = &r->next;
	rows->n++;
	return 0;
}

static void rows_free(struct rows *rows)
{
	struct row *r = rows->first, *next;

	for (; r; r = next) {
		next = r->next;
		dbl_free(r);
	}
}

/* To be freed, whatever this returns. */
static int fetch(struct dbl_locks *locks, enum dbl_op op, struct dbl_args args, struct rows *rows,
		 struct dblock_error *err)
{
	struct dbl_request request = {.op = op,
				      .args = args,
				      .row = keep,
				      .ctx = rows,
				      .deadline = dbl_locks_deadline(locks)};
	int rc;

	*rows = (struct rows){.op = op, .end = &rows->first};
	rc = dbl_retry_while_locked(locks, &request, err);
	return rc == DBLOCK_E_NOMEM ? dbl_fail(err, rc, "out of memory") : rc;
}

/* Rounded towards minus infinity, so that what is over is never shown as 0. */
static int64_t to_ms(int64_t us)
{
	return us / 1000 - (us % 1000 < 0);
}

/* ---- topics ---------------------------------------------------------------------------------- */

static int show_topic(const struct row *r, dblock_outbox_topic_cb *cb, void *arg)
{
	enum { TOPIC, MESSAGES, OLDEST, FAILED, PARKED, NOW };
	int64_t age = r->value[NOW].i - r->value[OLDEST].i;
	struct dblock_outbox_topic topic = {
		.size = sizeof(topic),
		.topic = r->value[TOPIC].text,
		.messages = r->value[MESSAGES].i,
		.oldest_us = r->value[OLDEST].i,
		.oldest_ms = age > 0 ? age / 1000 : 0, /* the clock may have been set back since */
		.failing = r->value[FAILED].i - r->value[PARKED].i,
		.parked = r->value[PARKED].i,
	};

	return cb(arg, &topic);
}

int dbl_outbox_topics(struct dbl_locks *locks, dblock_outbox_topic_cb *cb, void *arg,
		      struct dblock_error *err)
{
	DBL_INSIDE(locks);
	struct rows rows;
	int rc = fetch(locks, DBL_OP_outbox_topics, DBL_NO_ARGS, &rows, err);

	for (const struct row *r = rows.first; r && rc == 0; r = r->next)
		rc = show_topic(r, cb, arg);
	rows_free(&rows);
	return rc;
}

/* ---- failures -------------------------------------------------------------------------------- */

/* How far the list has come. */
struct behind {
	char topic[DBLOCK_TOPIC_MAX + 1], key[DBLOCK_MESSAGE_KEY_MAX + 1];
};

static int show_failure(const struct row *r, struct behind *behind, dblock_outbox_failure_cb *cb,
			void *arg)
{
	enum { TOPIC, KEY, NUMBER, TRIES, SINCE, DUE, ERROR, NOW };
	const struct dbl_value *v = r->value;
	bool parked = v[DUE].type == DBL_NULL;
	struct dblock_outbox_failure failure = {
		.size = sizeof(failure),
		.topic = v[TOPIC].text,
		.key = v[KEY].text,
		.number = v[NUMBER].i,
		.tries = v[TRIES].i,
		.since_us = v[SINCE].i,
		.parked = parked,
		.due_us = parked ? 0 : v[DUE].i,
		.due_ms = parked ? 0 : to_ms(v[DUE].i - v[NOW].i),
		.error = v[ERROR].text,
	};

	dbl_copy_text(behind->topic, sizeof(behind->topic), &v[TOPIC]);
	dbl_copy_text(behind->key, sizeof(behind->key), &v[KEY]);
	return cb(arg, &failure);
}

int dbl_outbox_failures(struct dbl_locks *locks, const char *topic, dblock_outbox_failure_cb *cb,
			void *arg, struct dblock_error *err)
{
	DBL_INSIDE(locks);
	struct behind behind = {"", ""};
	unsigned n;
	int rc;

	do {
		struct dbl_args args = DBL_ARGS_OF(dbl_text(topic), dbl_text(behind.topic),
						   dbl_text(behind.key), dbl_int(FAILURES_PAGE));
		struct rows rows;

		rc = fetch(locks, DBL_OP_outbox_failures, args, &rows, err);
		for (const struct row *r = rows.first; r && rc == 0; r = r->next)
			rc = show_failure(r, &behind, cb, arg);
		n = rows.n;
		rows_free(&rows);
	} while (rc == 0 && n == FAILURES_PAGE);
	return rc;
}

/* ---- messages -------------------------------------------------------------------------------- */

static int show_message(const struct dbl_page_of *of, const struct dbl_page_row *r,
			dblock_message_cb *cb, void *arg)
{
	struct dblock_message message = {
		.size = sizeof(message),
		.topic = of->topic,
		.key = of->key,
		.number = r->number,
		.id = r->id,
		.headers = r->headers,
		.body = r->body,
		.put_us = r->put_at,
		.tries = r->tries,
	};

	return cb(arg, &message);
}

/* Behind the key's messages come those of others in its shard. */
static int show_page(struct dbl_page_of *of, const struct dbl_page *page, bool *more,
		     dblock_message_cb *cb, void *arg)
{
	const struct dbl_page_row *r = page->first;
	int rc = 0;

	for (; r && rc == 0 && strcmp(r->key, of->key) == 0; r = r->next) {
		rc = show_message(of, r, cb, arg);
		of->number = r->number;
	}
	*more = rc == 0 && !r && !page->is_last;
	return rc;
}

int dbl_outbox_messages(struct dbl_locks *locks, const char *topic, const char *key,
			dblock_message_cb *cb, void *arg, struct dblock_error *err)
{
	DBL_INSIDE(locks);
	struct dbl_page_of of = {topic, key, dbl_shard_of(key), 0, MESSAGES_PAGE};
	bool more = true;
	int rc = 0;

	while (more) {
		struct dbl_page page;

		rc = dbl_page_read(locks, &of, &page, err);
		if (rc == 0)
			rc = show_page(&of, &page, &more, cb, arg);
		more = more && rc == 0;
		dbl_page_free(&page);
	}
	return rc;
}

/* ---- mending --------------------------------------------------------------------------------- */

/* Runs what deletes, and wakes the topic's relays. STALE: nothing was deleted, and no earlier copy can have done it. */
static int change(struct dbl_locks *locks, enum dbl_op op, struct dbl_args args, int64_t *n,
		  struct dblock_error *err)
{
	struct dbl_request request = {
		.op = op, .args = args, .deadline = dbl_locks_deadline(locks)};
	int rc = dbl_run_durable(locks, &request, err);

	*n = rc ? 0 : request.changed;
	if (rc == 0 && *n == 0 && !request.resent)
		return DBLOCK_STALE;
	if (rc == 0)
		(void)dbl_outbox_ring(locks, args.list[0].text, NULL); /* or they see it soon */
	return rc;
}

int dbl_outbox_retry(struct dbl_locks *locks, const char *topic, const char *key, int64_t *n,
		     struct dblock_error *err)
{
	DBL_INSIDE(locks);
	int rc = change(locks, DBL_OP_outbox_retry, DBL_ARGS_OF(dbl_text(topic), dbl_text(key)), n,
			err);

	if (rc != DBLOCK_STALE)
		return rc;
	return *key ? dbl_fail(err, rc, "topic '%s': the key '%s' has not failed", topic, key)
		    : dbl_fail(err, rc, "topic '%s': no key has failed", topic);
}

int dbl_outbox_drop(struct dbl_locks *locks, const char *topic, const char *key, int64_t number,
		    struct dblock_error *err)
{
	DBL_INSIDE(locks);
	struct dbl_args args = DBL_ARGS_OF(dbl_text(topic), dbl_int(dbl_shard_of(key)),
					   dbl_text(key), dbl_int(number));
	int64_t n;
	int rc = change(locks, DBL_OP_outbox_drop, args, &n, err);

	return rc == DBLOCK_STALE ? dbl_fail(err, rc,
					     "topic '%s', key '%s': no message of number %lld "
					     "waits",
					     topic, key, (long long)number)
				  : rc;
}
