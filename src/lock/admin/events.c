/* SPDX-License-Identifier: MIT */
/* Lists what happened. The pages come newest first, and are shown in the other order. */
#include "lock/admin/events.h"

#include "base/mem.h"
#include "lock/core/cancel.h"
#include "lock/core/value.h"

enum { PAGE = 200 };

/* The columns of events and events_of, in order. */
enum { ID, AT, KIND, NAME, TOKEN, HOST, PID, APP, SESSION, BY_HOST, BY_PID, BY_APP, DETAIL, NOW };

/* All that is to be shown: the table has a bounded number of rows. */
struct events {
	struct dbl_event *rows;
	size_t n, room;
};

static bool make_room(struct events *all)
{
	size_t room = all->room ? all->room * 2 : PAGE;
	struct dbl_event *rows;

	if (all->n < all->room)
		return true;
	rows = dbl_realloc(all->rows, room * sizeof(*rows));
	if (!rows)
		return false;
	all->rows = rows;
	all->room = room;
	return true;
}

static int take_event(void *ctx, const struct dbl_value *row)
{
	struct events *all = ctx;
	struct dbl_event *e;

	if (!make_room(all))
		return DBLOCK_E_NOMEM;
	DBL_ASSERT(all->n == 0 || all->rows[all->n - 1].id > row[ID].i, "%lld",
		   (long long)row[ID].i); /* the next page begins before the last row of this one */
	e = &all->rows[all->n++];
	*e = (struct dbl_event){.id = row[ID].i,
				.at = row[AT].i,
				.kind = row[KIND].i,
				.token = row[TOKEN].i,
				.pid = row[PID].i,
				.by_pid = row[BY_PID].i,
				.now = row[NOW].i,
				.name = dbl_dup_text(&row[NAME]),
				.host = dbl_dup_text(&row[HOST]),
				.app = dbl_dup_text(&row[APP]),
				.session = dbl_dup_text(&row[SESSION]),
				.by_host = dbl_dup_text(&row[BY_HOST]),
				.by_app = dbl_dup_text(&row[BY_APP]),
				.detail = dbl_dup_text(&row[DETAIL])};
	return e->name && e->host && e->app && e->session && e->by_host && e->by_app && e->detail
		       ? 0
		       : DBLOCK_E_NOMEM;
}

static void events_free(struct events *all)
{
	for (size_t i = 0; i < all->n; i++) {
		struct dbl_event *e = &all->rows[i];

		dbl_free(e->name);
		dbl_free(e->host);
		dbl_free(e->app);
		dbl_free(e->session);
		dbl_free(e->by_host);
		dbl_free(e->by_app);
		dbl_free(e->detail);
	}
	dbl_free(all->rows);
}

/* Reads so many more, before those that have been read. */
static int fetch(struct dbl_locks *locks, const struct dbl_event_list *list, int64_t n,
		 struct events *all, struct dblock_error *err)
{
	int64_t before = all->n ? all->rows[all->n - 1].id : INT64_MAX;
	struct dbl_value args[] = {dbl_text(list->name), dbl_int(before), dbl_int(list->after),
				   dbl_int(list->since ? list->since : INT64_MAX / 2), dbl_int(n)};
	struct dbl_args of_all = {args + 1, sizeof(args) / sizeof(*args) - 1};
	struct dbl_request request = {.op = list->name ? DBL_OP_events_of : DBL_OP_events,
				      .args = list->name ? DBL_ARGS(args) : of_all,
				      .row = take_event,
				      .ctx = all,
				      .deadline = dbl_locks_deadline(locks)};
	int rc = dbl_link_run(locks->link, &request, err);

	return rc == DBLOCK_E_NOMEM ? dbl_fail(err, rc, "out of memory") : rc;
}

static int fetch_all(struct dbl_locks *locks, const struct dbl_event_list *list, struct events *all,
		     struct dblock_error *err)
{
	int64_t left = list->limit ? list->limit : INT64_MAX;
	size_t before;
	int64_t n;
	int rc;

	do {
		before = all->n;
		n = left < PAGE ? left : PAGE;
		rc = fetch(locks, list, n, all, err);
		left -= (int64_t)(all->n - before);
	} while (rc == 0 && left > 0 && (int64_t)(all->n - before) == n);
	return rc;
}

int dbl_events_list(struct dbl_locks *locks, const struct dbl_event_list *list, dbl_event_cb *cb,
		    void *ctx, struct dblock_error *err)
{
	DBL_INSIDE(locks);
	struct events all = {.n = 0};
	int rc = fetch_all(locks, list, &all, err);

	for (size_t i = all.n; i > 0 && rc == 0; i--)
		rc = cb(ctx, &all.rows[i - 1]);
	events_free(&all);
	return rc;
}
