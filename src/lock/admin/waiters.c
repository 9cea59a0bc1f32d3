/* SPDX-License-Identifier: MIT */
/* Lists the waiters in queues. Nothing is written. */
#include <string.h>

#include "lock/admin/admin.h"
#include "lock/core/cancel.h"
#include "lock/core/name.h"
#include "lock/core/value.h"

#define PAGE 200

/* The columns of waiters and waiters_of, in order. */
enum {
	NAME,
	TICKET,
	PLACE,
	THREAD,
	SINCE,
	LEASE,
	VALUE,
	SESSION,
	SESSION_FOUND,
	HOST,
	PID,
	APP,
	DEAD,
	SESSION_LEFT,
	NOW,
	MODE,
	WEIGHT,
	CAPACITY,
	PRIORITY
};

/* The connection is locked while rows come, so they are copied, and shown afterwards. */
struct page {
	struct dbl_queued waiters[PAGE];
	unsigned n;
};

/* How far a listing has come in the order of names and tickets, and how many rows it has shown. */
struct cursor {
	char name[DBL_NAME_MAX + 1];
	int64_t ticket;
	int64_t shown;
};

/* A queue's rows come by ticket, since the next page begins behind the last row of this one. */
static bool is_behind_the_last(const struct page *page, const struct dbl_value *row)
{
	const struct dbl_queued *last = page->n ? &page->waiters[page->n - 1] : NULL;
	bool same = last && last->name && strlen(last->name) == row[NAME].len &&
		    memcmp(last->name, row[NAME].text, row[NAME].len) == 0;

	return !same || last->ticket < row[TICKET].i;
}

static int take_waiter(void *ctx, const struct dbl_value *row)
{
	struct page *page = ctx;
	struct dbl_queued *w = &page->waiters[page->n];

	DBL_ASSERT(page->n < PAGE, "%u", page->n);
	DBL_ASSERT(is_behind_the_last(page, row), "ticket %lld", (long long)row[TICKET].i);
	page->n++;
	*w = (struct dbl_queued){
		.name = dbl_dup_text(&row[NAME]),
		.host = dbl_dup_text(&row[HOST]),
		.app = dbl_dup_text(&row[APP]),
		.value = dbl_dup_text(&row[VALUE]),
		.session = dbl_dup_text(&row[SESSION]),
		.ticket = row[TICKET].i,
		.thread = row[THREAD].i,
		.pid = row[PID].i,
		.place = row[PLACE].i,
		.since = row[SINCE].i,
		.lease = dbl_int_or(&row[LEASE], 0),
		.session_found = row[SESSION_FOUND].type != DBL_NULL,
		.session_dead = dbl_int_or(&row[DEAD], 0) != 0,
		.left = dbl_int_or(&row[SESSION_LEFT], INT64_MIN),
		.now = row[NOW].i,
		.mode = row[MODE].i,
		.weight = row[WEIGHT].i,
		.capacity = dbl_int_or(&row[CAPACITY], 0),
		.priority = row[PRIORITY].i,
	};
	return w->name && w->host && w->app && w->value && w->session ? 0 : DBLOCK_E_NOMEM;
}

static void page_clear(struct page *page)
{
	for (unsigned i = 0; i < page->n; i++) {
		struct dbl_queued *w = &page->waiters[i];

		dbl_free(w->name);
		dbl_free(w->host);
		dbl_free(w->app);
		dbl_free(w->value);
		dbl_free(w->session);
	}
	page->n = 0;
}

static int fetch(struct dbl_locks *locks, const struct cursor *cursor, bool of_one,
		 struct page *page, struct dblock_error *err)
{
	const struct dbl_value args[] = {dbl_text(cursor->name), dbl_int(cursor->ticket),
					 dbl_int(PAGE)};
	struct dbl_request request = {.op = of_one ? DBL_OP_waiters_of : DBL_OP_waiters,
				      .args = DBL_ARGS(args),
				      .row = take_waiter,
				      .ctx = page,
				      .deadline = dbl_locks_deadline(locks)};
	int rc = dbl_link_run(locks->link, &request, err);

	return rc == DBLOCK_E_NOMEM ? dbl_fail(err, rc, "out of memory") : rc;
}

static bool is_full(const struct dbl_queue_list *list, const struct cursor *cursor)
{
	return list->limit > 0 && cursor->shown >= list->limit;
}

static int show_page(const struct page *page, const struct dbl_queue_list *list,
		     struct cursor *cursor, dbl_queued_cb *cb, void *ctx)
{
	int rc = 0;

	for (unsigned i = 0; i < page->n && rc == 0 && !is_full(list, cursor); i++) {
		const struct dbl_queued *w = &page->waiters[i];

		if (list->pattern && !dbl_name_matches(w->name, list->pattern))
			continue;
		cursor->shown++;
		rc = cb(ctx, w);
	}
	return rc;
}

static void move_to(struct cursor *cursor, const char *name, int64_t ticket)
{
	size_t len = strnlen(name, DBL_NAME_MAX);

	memcpy(cursor->name, name, len);
	cursor->name[len] = '\0';
	cursor->ticket = ticket;
}

static void begin(struct cursor *cursor, const struct dbl_queue_list *list)
{
	const char *from = list->name ? list->name : list->after ? list->after : "";
	/* Behind another name comes this name's whole queue, or none of it, by byte order. */
	int order = list->name && list->after ? strcmp(list->after, list->name) : 0;

	*cursor = (struct cursor){0};
	move_to(cursor, from, order < 0 ? 0 : order > 0 ? INT64_MAX : list->after_ticket);
}

static int list_pages(struct dbl_locks *locks, const struct dbl_queue_list *list, struct page *page,
		      dbl_queued_cb *cb, void *ctx, struct dblock_error *err)
{
	struct cursor cursor;
	bool more = true;
	int rc = 0;

	begin(&cursor, list);
	while (more) {
		rc = fetch(locks, &cursor, list->name != NULL, page, err);
		if (rc == 0)
			rc = show_page(page, list, &cursor, cb, ctx);
		more = rc == 0 && page->n == PAGE && !is_full(list, &cursor);
		if (more)
			move_to(&cursor, page->waiters[PAGE - 1].name,
				page->waiters[PAGE - 1].ticket);
		page_clear(page);
	}
	return rc;
}

int dbl_waiters_list(struct dbl_locks *locks, const struct dbl_queue_list *list, dbl_queued_cb *cb,
		     void *ctx, struct dblock_error *err)
{
	DBL_INSIDE(locks);
	struct page *page = dbl_alloc(sizeof(*page));
	int rc;

	if (!page)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	rc = list_pages(locks, list, page, cb, ctx, err);
	dbl_free(page);
	return rc;
}
