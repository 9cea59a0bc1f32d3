/* SPDX-License-Identifier: MIT */
/* Lists and shows the holders of locks. Nothing is written. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "lock/admin/admin.h"
#include "lock/core/cancel.h"
#include "lock/core/name.h"
#include "lock/core/value.h"
#include "lock/watch/requested.h"

#define PAGE 200

/* The columns of list and show, in order. */
enum {
	NAME,
	TOKEN,
	SESSION,
	HOST,
	PID,
	THREAD,
	REENTRY,
	APP,
	SESSION_FOUND,
	DEAD,
	ACQUIRED,
	EXPIRES,
	LEASE_LEFT,
	SESSION_LEFT,
	NONCE,
	VALUE,
	NOW,
	WAITING,
	MODE,
	WEIGHT,
	CAPACITY,
	REASON,
	BY_HOST,
	BY_PID,
	BY_APP,
	REQUESTED,
	TAKEN_CAUSE,
	TAKEN_HOST,
	TAKEN_PID,
	TAKEN_APP,
	TAKEN,
	TAKEN_TOLD,
	MARK,
	BEAT
};

/* The connection is locked while rows come, so they are copied, and shown afterwards. */
struct page {
	const struct dbl_env *env;
	struct dbl_holder holders[PAGE];
	unsigned n;
};

/* Rows come by name, then by token. (The last has no name if memory ran out.) */
static bool is_behind_the_last(const struct page *page, const struct dbl_value *row)
{
	const struct dbl_holder *last = page->n ? &page->holders[page->n - 1] : NULL;
	size_t len = last && last->name ? strlen(last->name) : 0;
	int order =
		len ? memcmp(last->name, row[NAME].text, len < row[NAME].len ? len : row[NAME].len)
		    : -1;

	if (order == 0 && len == row[NAME].len)
		return last->token < row[TOKEN].i;
	return order < 0 || (order == 0 && len < row[NAME].len);
}

/* What the mark of its process says, if that is on this machine. */
static enum dbl_mark_word word_of(const struct page *page, const struct dbl_value *row)
{
	char mark[DBL_MARK_CITATION];

	dbl_copy_text(mark, sizeof(mark), &row[MARK]);
	return row[DEAD].i ? DBL_MARK_NOTHING
			   : dbl_mark_ask(mark, dbl_int_or(&row[BEAT], 0), dbl_now(page->env));
}

static int take_holder(void *ctx, const struct dbl_value *row)
{
	static const struct dbl_value no_reason = {.type = DBL_NULL};
	struct page *page = ctx;
	struct dbl_holder *h = &page->holders[page->n];

	DBL_ASSERT(page->n < PAGE, "%u", page->n);
	DBL_ASSERT(is_behind_the_last(page, row), "token %lld", (long long)row[TOKEN].i);
	page->n++;
	*h = (struct dbl_holder){
		.name = dbl_dup_text(&row[NAME]),
		.host = dbl_dup_text(&row[HOST]),
		.app = dbl_dup_text(&row[APP]),
		.value = dbl_dup_text(&row[VALUE]),
		.session = dbl_dup_text(&row[SESSION]),
		.token = row[TOKEN].i,
		.nonce = row[NONCE].i,
		.pid = row[PID].i,
		.thread = row[THREAD].i > 0 ? row[THREAD].i : 0, /* an idle grant has -1 */
		.reentry = row[REENTRY].i,
		.by_session = row[SESSION].type != DBL_NULL,
		.session_found = row[SESSION_FOUND].type != DBL_NULL,
		.session_dead = row[DEAD].i != 0,
		.by_time = row[EXPIRES].type != DBL_NULL,
		.acquired = row[ACQUIRED].i,
		.now = row[NOW].i,
		.waiting = row[WAITING].i,
		.mode = row[MODE].i,
		.weight = row[WEIGHT].i,
		.capacity = dbl_int_or(&row[CAPACITY], 0),
		.is_requested = row[REQUESTED].type != DBL_NULL,
		.is_taken = row[TAKEN].type != DBL_NULL,
		.taken_cause = dbl_int_or(&row[TAKEN_CAUSE], 0),
		.taken_told = dbl_int_or(&row[TAKEN_TOLD], 0) != 0,
	};
	if (h->is_requested)
		h->requester = dbl_requester_new(&row[REASON], &row[BY_HOST], row[BY_PID].i,
						 &row[BY_APP], row[REQUESTED].i);
	if (h->is_taken)
		h->taken = dbl_requester_new(&no_reason, &row[TAKEN_HOST], row[TAKEN_PID].i,
					     &row[TAKEN_APP], row[TAKEN].i);
	h->word = word_of(page, row);
	h->left = dbl_int_or(&row[h->by_session ? SESSION_LEFT : LEASE_LEFT], INT64_MIN);
	/* A lease that has ended holds nothing, though its row still has the time of its end. */
	if (h->by_time && h->left != INT64_MIN && h->left <= 0)
		h->by_time = false;
	return h->name && h->host && h->app && h->value && h->session &&
			       (h->requester || !h->is_requested) && (h->taken || !h->is_taken)
		       ? 0
		       : DBLOCK_E_NOMEM;
}

static void page_clear(struct page *page)
{
	for (unsigned i = 0; i < page->n; i++) {
		struct dbl_holder *h = &page->holders[i];

		dbl_free(h->name);
		dbl_free(h->host);
		dbl_free(h->app);
		dbl_free(h->value);
		dbl_free(h->session);
		dbl_free(h->requester);
		dbl_free(h->taken);
	}
	page->n = 0;
}

static int fetch(struct dbl_locks *locks, enum dbl_op op, struct dbl_args args, struct page *page,
		 struct dblock_error *err)
{
	struct dbl_request request = {.op = op,
				      .args = args,
				      .row = take_holder,
				      .ctx = page,
				      .deadline = dbl_locks_deadline(locks)};
	int rc;

	page->env = locks->env;
	rc = dbl_link_run(locks->link, &request, err);
	return rc == DBLOCK_E_NOMEM ? dbl_fail(err, rc, "out of memory") : rc;
}

/* How far a listing has come in the order of names and tokens, and how many rows it has shown. */
struct cursor {
	char after[DBL_NAME_MAX + 1];
	int64_t token;
	int64_t shown;
};

static int show_page(const struct page *page, const struct dbl_list *list, struct cursor *cursor,
		     dbl_holder_cb *cb, void *ctx)
{
	int rc = 0;

	for (unsigned i = 0; i < page->n && rc == 0; i++) {
		const struct dbl_holder *h = &page->holders[i];

		if (list->limit > 0 && cursor->shown >= list->limit)
			break;
		if (list->pattern && !dbl_name_matches(h->name, list->pattern))
			continue;
		cursor->shown++;
		rc = cb(ctx, h);
	}
	return rc;
}

static void advance(struct cursor *cursor, const struct page *page)
{
	const struct dbl_holder *last = &page->holders[page->n - 1];

	snprintf(cursor->after, sizeof(cursor->after), "%s", last->name);
	cursor->token = last->token;
}

static int list_pages(struct dbl_locks *locks, enum dbl_op op, const struct dbl_list *list,
		      struct cursor *cursor, struct page *page, dbl_holder_cb *cb, void *ctx,
		      struct dblock_error *err)
{
	bool more = true;
	int rc = 0;

	while (more) {
		/* DBL_OP_show uses only the first two. */
		struct dbl_value args[] = {dbl_text(cursor->after), dbl_int(cursor->token),
					   dbl_int(list->free_too), dbl_int(PAGE)};

		rc = fetch(locks, op, DBL_ARGS(args), page, err);
		if (rc == 0)
			rc = show_page(page, list, cursor, cb, ctx);
		more = rc == 0 && page->n == PAGE &&
		       (list->limit == 0 || cursor->shown < list->limit);
		if (more)
			advance(cursor, page);
		page_clear(page);
	}
	return rc;
}

static int list_from(struct dbl_locks *locks, enum dbl_op op, const struct dbl_list *list,
		     struct cursor *cursor, dbl_holder_cb *cb, void *ctx, struct dblock_error *err)
{
	struct page *page = dbl_alloc(sizeof(*page));
	int rc;

	if (!page)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	rc = list_pages(locks, op, list, cursor, page, cb, ctx, err);
	dbl_free(page);
	return rc;
}

int dbl_holders_list(struct dbl_locks *locks, const struct dbl_list *list, dbl_holder_cb *cb,
		     void *ctx, struct dblock_error *err)
{
	DBL_INSIDE(locks);
	/* The listing begins behind all tokens of list->after. */
	struct cursor cursor = {.token = INT64_MAX};

	snprintf(cursor.after, sizeof(cursor.after), "%s", list->after ? list->after : "");
	return list_from(locks, DBL_OP_list, list, &cursor, cb, ctx, err);
}

int dbl_holders_show(struct dbl_locks *locks, const char *name, dbl_holder_cb *cb, void *ctx,
		     struct dblock_error *err)
{
	DBL_INSIDE(locks);
	static const struct dbl_list all = {.limit = 0};
	struct cursor cursor = {.token = -1};
	int rc;

	snprintf(cursor.after, sizeof(cursor.after), "%s", name);
	rc = list_from(locks, DBL_OP_show, &all, &cursor, cb, ctx, err);
	if (rc == 0 && cursor.shown == 0)
		return dbl_fail(err, DBLOCK_STALE, "'%s': no lock of this name is known", name);
	return rc;
}
