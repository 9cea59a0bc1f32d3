/* SPDX-License-Identifier: MIT */
#include "outbox/page.h"

#include <string.h>

#include "base/mem.h"
#include "lock/core/name.h"
#include "lock/core/retry.h"
#include "lock/core/value.h"
#include "outbox/outbox.h"

int64_t dbl_shard_of(const char *key)
{
	return (int64_t)(dbl_name_hash(key, strlen(key)) % DBL_SHARDS);
}

/* Returns the copy, and moves `to` behind it. */
static const char *put(char **to, const struct dbl_value *text)
{
	const char *copy = *to;

	memcpy(*to, text->text, text->len);
	(*to)[text->len] = '\0';
	*to += text->len + 1;
	return copy;
}

/* The operation's columns: key, number, id, put_at, headers, body, tries, due, now. */
static int take(void *ctx, const struct dbl_value *row)
{
	struct dbl_page *page = ctx;
	struct dbl_page_row *r = dbl_alloc(sizeof(*r) + row[0].len + row[4].len + row[5].len + 3);
	char *text;

	if (!r)
		return DBLOCK_E_NOMEM;
	text = (char *)(r + 1);
	r->key = put(&text, &row[0]);
	r->headers = put(&text, &row[4]);
	r->body = put(&text, &row[5]);
	r->number = row[1].i;
	r->id = row[2].i;
	r->put_at = row[3].i;
	r->tries = row[6].i;
	r->parked = r->tries > 0 && row[7].type == DBL_NULL;
	r->due = dbl_int_or(&row[7], 0);
	page->now = row[8].i;
	page->bytes += row[4].len + row[5].len;
	page->n++;
	*page->end = r;
	page->end = &r->next;
	return 0;
}

int dbl_page_read(struct dbl_locks *locks, const struct dbl_page_of *of, struct dbl_page *page,
		  struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(of->topic), dbl_int(of->shard),
				   dbl_text(of->key),   dbl_int(of->number),
				   dbl_int(of->limit),  dbl_int(DBL_PAGE_BYTES)};
	struct dbl_request request = {.op = DBL_OP_outbox_page,
				      .args = DBL_ARGS(args),
				      .row = take,
				      .ctx = page,
				      .deadline = dbl_locks_deadline(locks)};
	int rc;

	*page = (struct dbl_page){.end = &page->first};
	rc = dbl_retry_while_locked(locks, &request, err);
	page->is_last = page->n < of->limit && page->bytes < DBL_PAGE_BYTES;
	return rc == DBLOCK_E_NOMEM ? dbl_fail(err, rc, "out of memory") : rc;
}

void dbl_page_free(struct dbl_page *page)
{
	struct dbl_page_row *r = page->first, *next;

	for (; r; r = next) {
		next = r->next;
		dbl_free(r);
	}
	*page = (struct dbl_page){.end = &page->first};
}
