/* SPDX-License-Identifier: MIT */
#include "lock/admin/graph.h"

#include <string.h>

#include "base/mem.h"
#include "lock/core/cancel.h"
#include "lock/core/name.h"
#include "lock/core/value.h"

/* The columns of graph, in order. */
enum {
	NAME,
	TOKEN,
	TICKET,
	NONCE,
	MODE,
	WEIGHT,
	UPGRADES,
	SESSION,
	THREAD,
	BLOCKS,
	BY_TIME,
	HOST,
	PID,
	APP,
	SINCE
};

/* The connection is locked while rows come, so they are copied, and shown afterwards. They come by
 * name, in byte order; of one name the holders come first, then the waiters, by ticket. */
struct scene {
	const char *pattern;
	struct dbl_stander *row;
	size_t n, room;
};

static int make_room(struct scene *scene)
{
	size_t room = scene->room ? scene->room * 2 : 16;
	struct dbl_stander *row;

	if (scene->n < scene->room)
		return 0;
	row = dbl_realloc(scene->row, room * sizeof(*row));
	if (!row)
		return DBLOCK_E_NOMEM;
	scene->row = row;
	scene->room = room;
	return 0;
}

static bool is_in_order(const struct scene *scene, const struct dbl_stander *s)
{
	const struct dbl_stander *last = scene->n ? s - 1 : NULL;

	if (!last || strcmp(last->name, s->name) != 0)
		return !last || strcmp(last->name, s->name) < 0;
	return !s->token || last->token;
}

static int take_stander(void *ctx, const struct dbl_value *row)
{
	struct scene *scene = ctx;
	struct dbl_stander *s;

	if (make_room(scene))
		return DBLOCK_E_NOMEM;
	s = &scene->row[scene->n];
	*s = (struct dbl_stander){
		.token = dbl_int_or(&row[TOKEN], 0),
		.ticket = row[TICKET].i,
		.nonce = row[NONCE].i,
		.mode = row[MODE].i,
		.weight = row[WEIGHT].i,
		.upgrades = dbl_int_or(&row[UPGRADES], 0),
		.thread = row[THREAD].i > 0 ? row[THREAD].i : 0, /* an idle grant has -1 */
		.blocks = row[BLOCKS].i != 0,
		.by_time = row[BY_TIME].i != 0,
		.pid = row[PID].i,
		.since = row[SINCE].i,
	};
	dbl_copy_text(s->name, sizeof(s->name), &row[NAME]);
	dbl_copy_text(s->session, sizeof(s->session), &row[SESSION]);
	dbl_copy_text(s->host, sizeof(s->host), &row[HOST]);
	dbl_copy_text(s->app, sizeof(s->app), &row[APP]);
	DBL_ASSERT(is_in_order(scene, s), "%s, ticket %lld", s->name, (long long)s->ticket);
	if (!scene->pattern || dbl_name_matches(s->name, scene->pattern))
		scene->n++;
	return 0;
}

/* Whether the holder keeps the waiter from being granted the lock, as in grant_policy.h. Any holder
 * of permits counts, even if there are enough permits for both. */
static bool is_held_against(const struct dbl_stander *holder, const struct dbl_stander *waiter)
{
	if (waiter->upgrades)
		return holder->nonce != waiter->upgrades;
	if (holder->mode == DBLOCK_SHARED)
		return waiter->mode != DBLOCK_SHARED && waiter->mode != DBLOCK_UPDATE;
	if (holder->mode == DBLOCK_UPDATE)
		return waiter->mode != DBLOCK_SHARED;
	return true;
}

/* Whether the waiter is granted the lock only after the other one, which is then before it among the rows.
 * Upgrades come first. */
static bool is_before(const struct dbl_stander *other, const struct dbl_stander *waiter)
{
	return !other->token && !waiter->upgrades && (other->upgrades || other < waiter);
}

/* Of two rows that are before a waiter, the one nearer to it. `a` may be NULL. */
static const struct dbl_stander *nearer(const struct dbl_stander *a, const struct dbl_stander *b)
{
	if (!a || !a->upgrades != !b->upgrades)
		return !a || a->upgrades ? b : a;
	return a > b ? a : b;
}

/* Shows all that this waiter waits for among the rows of its name. */
static int show_waiter(const struct dbl_stander *rows, size_t n, const struct dbl_stander *waiter,
		       dbl_waits_for_cb *cb, void *ctx)
{
	const struct dbl_stander *before = NULL;
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++) {
		if (rows[i].token && is_held_against(&rows[i], waiter))
			rc = cb(ctx, waiter, &rows[i]);
		else if (&rows[i] != waiter && is_before(&rows[i], waiter))
			before = nearer(before, &rows[i]);
	}
	return rc == 0 && before ? cb(ctx, waiter, before) : rc;
}

static size_t of_same_name(const struct scene *scene, size_t first)
{
	size_t n = 1;

	while (first + n < scene->n &&
	       strcmp(scene->row[first].name, scene->row[first + n].name) == 0)
		n++;
	return n;
}

static int show(const struct scene *scene, dbl_waits_for_cb *cb, void *ctx)
{
	int rc = 0;

	for (size_t first = 0, n; first < scene->n; first += n) {
		n = of_same_name(scene, first);
		for (size_t i = first; i < first + n && rc == 0; i++) {
			if (!scene->row[i].token)
				rc = show_waiter(&scene->row[first], n, &scene->row[i], cb, ctx);
		}
	}
	return rc;
}

int dbl_graph(struct dbl_locks *locks, const char *pattern, dbl_waits_for_cb *cb, void *ctx,
	      struct dblock_error *err)
{
	DBL_INSIDE(locks);
	struct scene scene = {.pattern = pattern};
	struct dbl_request request = {.op = DBL_OP_graph,
				      .row = take_stander,
				      .ctx = &scene,
				      .deadline = dbl_locks_deadline(locks)};
	int rc = dbl_link_run(locks->link, &request, err);

	if (rc == DBLOCK_E_NOMEM)
		dbl_fail(err, rc, "out of memory");
	if (rc == 0)
		rc = show(&scene, cb, ctx);
	dbl_free(scene.row);
	return rc;
}
