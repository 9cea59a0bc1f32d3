/* SPDX-License-Identifier: MIT */
/* What src/lock/admin asserts, broken on purpose: mostly by what the database answers. */
#include "unit/lock/handle_kit.h"

#include "lock/admin/graph.h"
#include "lock/admin/reap.h"
#include "lock/admin/request.h"
#include "lock/admin/revoke_own.h"
#include "lock/watch/own.h"
#include "lock/watch/sentinel.h"

static void set_up(void)
{
	kit_begin_handles();
	locks.watchdog = dbl_watchdog_new();
}

/* Each request of that operation is answered with so many rows, made by `make`. */
enum { COLUMNS = 40 };

static enum dbl_op played;
static int n_rows;
static void (*make)(struct dbl_value *row, int i);

static int play_rows(struct dbl_request *request)
{
	for (int i = 0; i < n_rows && request->op == played; i++) {
		struct dbl_value row[COLUMNS];

		for (int c = 0; c < COLUMNS; c++)
			row[c] = dbl_null();
		make(row, i);
		request->row(request->ctx, row);
	}
	return 0;
}

static void answer(enum dbl_op op, int n, void (*with)(struct dbl_value *, int))
{
	played = op;
	n_rows = n;
	make = with;
	play = play_rows;
}

/* ---- the reaper
 * ----------------------------------------------------------------------------------- */

static struct dbl_batch batch;
static struct dbl_item item;
static struct dbl_suspects some;
static struct dbl_reap reap = {.locks = &locks, .max_time = TTL};

static void add_more_than_a_batch(void)
{
	const struct dbl_value key = dbl_text("a");

	batch.n = DBL_REAP_BATCH;
	(void)dbl_batch_add(&batch, &key);
}

static int play_negative(struct dbl_request *request)
{
	request->changed = -1;
	return 0;
}

static void undo_what_was_not_done(void)
{
	int64_t done = 0;

	play = play_negative;
	(void)dbl_reap_run(&locks, DBL_OP_expel, DBL_NO_ARGS, &done, NULL);
}

static void make_the_same_name(struct dbl_value *row, int i)
{
	(void)i;
	row[0] = dbl_text("a");
}

static void free_names_out_of_order(void)
{
	answer(DBL_OP_reap_locks, 2, make_the_same_name);
	(void)dbl_reap(&locks, &reap, NULL);
}

static void reap_in_the_past(void)
{
	reap.max_time = -1;
	(void)dbl_reap(&locks, &reap, NULL);
}

static void make_a_session(struct dbl_value *row, int i)
{
	(void)i;
	row[0] = dbl_text(life.id);
	row[1] = dbl_int(1);
	row[2] = dbl_int(0); /* its ttl */
}

static void bury_without_a_ttl(void)
{
	answer(DBL_OP_reap_sessions, 1, make_a_session);
	(void)dbl_reap_bury(&locks, &reap, &batch, NULL);
}

static void keep_more_than_there_is_room_for(void)
{
	some.n = 5;
	(void)dbl_suspects_add(&some, &batch, NULL);
}

static void have_seen_what_was_not_noted(void)
{
	item.since = 5;
	(void)dbl_suspect_since(&item, NOW);
}

static void note_what_will_be_seen(void)
{
	(void)dbl_suspect_note(&locks, &reap, "a", 1, NOW + 1, NULL);
}

static void make_a_page_too_long(struct dbl_value *row, int i)
{
	(void)i;
	row[0] = dbl_int(DBL_REAP_BATCH + 1);
	row[1] = dbl_int(5);
}

static void purge_more_than_asked_for(void)
{
	answer(DBL_OP_purge_list, 1, make_a_page_too_long);
	(void)dbl_reap_purge(&locks, &reap, NULL);
}

static void make_a_page_without_a_token(struct dbl_value *row, int i)
{
	(void)i;
	row[0] = dbl_int(1);
	row[1] = dbl_int(0);
}

static void purge_below_no_floor(void)
{
	answer(DBL_OP_purge_list, 1, make_a_page_without_a_token);
	(void)dbl_reap_purge(&locks, &reap, NULL);
}

static void make_an_id(struct dbl_value *row, int i)
{
	(void)i;
	row[0] = dbl_text(life.id);
}

static void find_more_dead_than_asked_for(void)
{
	answer(DBL_OP_reap_dead, 20001, make_an_id);
	(void)dbl_reap_dead(&locks, &reap, NULL);
}

/* ---- lists
 * ---------------------------------------------------------------------------------------- */

static int see_holder(void *unused, const struct dbl_holder *h)
{
	(void)unused;
	(void)h;
	return 0;
}

static int see_waiter(void *unused, const struct dbl_queued *w)
{
	(void)unused;
	(void)w;
	return 0;
}

static int see_pair(void *unused, const struct dbl_stander *a, const struct dbl_stander *b)
{
	(void)unused;
	(void)a;
	(void)b;
	return 0;
}

static char name[8];

static void make_one_after_the_other(struct dbl_value *row, int i)
{
	snprintf(name, sizeof(name), "%06d", i);
	row[0] = dbl_text(name);
	row[1] = dbl_int(i + 1);
}

static void list(void)
{
	const struct dbl_list all = {.pattern = NULL};

	(void)dbl_holders_list(&locks, &all, see_holder, NULL, NULL);
}

static void list_more_than_a_page(void)
{
	answer(DBL_OP_list, 201, make_one_after_the_other);
	list();
}

static void list_out_of_order(void)
{
	answer(DBL_OP_list, 2, make_the_same_name);
	list();
}

static void list_waiters(void)
{
	const struct dbl_queue_list all = {.name = NULL};

	(void)dbl_waiters_list(&locks, &all, see_waiter, NULL, NULL);
}

static void wait_more_than_a_page(void)
{
	answer(DBL_OP_waiters, 201, make_one_after_the_other);
	list_waiters();
}

static void wait_out_of_order(void)
{
	answer(DBL_OP_waiters, 2, make_the_same_name);
	list_waiters();
}

static void draw_out_of_order(void)
{
	answer(DBL_OP_graph, 2, make_the_same_name);
	(void)dbl_graph(&locks, NULL, see_pair, NULL, NULL);
}

static void make_a_grant_without_a_token(struct dbl_value *row, int i)
{
	(void)i;
	row[0] = dbl_text("a");
	row[1] = dbl_int(0);
}

static void ask_for_no_token(void)
{
	answer(DBL_OP_request_grants, 1, make_a_grant_without_a_token);
	(void)dbl_request(&locks, "a", NULL, NULL);
}

static void ask_more_than_a_page(void)
{
	answer(DBL_OP_request_grants, 101, make_one_after_the_other);
	(void)dbl_request(&locks, "a", NULL, NULL);
}

/* ---- taking away
 * ---------------------------------------------------------------------------------- */

static const struct dbl_break what = {.name = "a", .cause = DBLOCK_LOSS_BROKEN, .until = DBL_NEVER};

static void make_tokens_fall(struct dbl_value *row, int i)
{
	row[0] = dbl_int(9 - i);
	row[1] = dbl_int(5);
}

static void take_away_out_of_order(void)
{
	answer(DBL_OP_revoke_grants, 2, make_tokens_fall);
	(void)dbl_revoke(&locks, &what, NULL);
}

/* A session's, without a nonce: it is nobody's, but the row says that it lives. */
static void make_a_grant_without_a_nonce(struct dbl_value *row, int i)
{
	static const char other[] = "00000000000000000000000000000002";

	(void)i;
	row[0] = dbl_int(9);
	row[1] = dbl_int(i ? 0 : 5);
	row[4] = dbl_text(other);
	row[5] = dbl_int(1);
	row[6] = dbl_int(1);
}

static void tell_of_a_grant_without_a_nonce(void)
{
	answer(DBL_OP_revoke_grants, 2, make_a_grant_without_a_nonce);
	(void)dbl_revoke(&locks, &what, NULL);
}

static void make_a_stand(struct dbl_value *row, int i)
{
	(void)i;
	row[0] = dbl_int(9);
	row[1] = dbl_int(0);
	row[2] = dbl_int(i ? 5 : -5);
}

static struct dbl_revoked_row row = {.token = 9, .nonce = 5};

static void wait_for_it(void)
{
	struct dbl_revoking r = {.locks = &locks, .what = &what, .rows = &row, .n = 1, .room = 1};

	answer(DBL_OP_revoked, 1, make_a_stand);
	(void)dbl_revoking_wait(&r, NULL);
}

static void wait_since_never(void)
{
	wait_for_it();
}

static int stop_at_once(void *unused)
{
	(void)unused;
	return 0;
}

static void wait_for_a_negative_time(void)
{
	struct dbl_break asked = what;
	struct dbl_revoking r = {.locks = &locks, .what = &asked, .rows = &row, .n = 1, .room = 1};

	asked.canceled = stop_at_once;
	asked.until = NOW;
	row.since = NOW + 100; /* so that it is not due */
	answer(DBL_OP_revoked, 1, make_a_stand);
	(void)dbl_revoking_wait(&r, NULL);
}

static void break_no_token(void)
{
	const struct dbl_row_wait no_wait = {.until = NOW};

	(void)dbl_break_grant(&locks, "a", 0, 5, &no_wait, NULL);
}

static const struct death deaths[] = {
	{"dbl_batch_add", "batch->n < DBL_REAP_BATCH", add_more_than_a_batch},
	{"dbl_reap_run", "request.changed >= 0", undo_what_was_not_done},
	{"take_lock", ".key, item->key) < 0", free_names_out_of_order},
	{"dbl_reap", "reap->max_time >= 0", reap_in_the_past},
	{"bury", "item->b > 0", bury_without_a_ttl},
	{"dbl_suspects_add", "all->n <= all->room", keep_more_than_there_is_room_for},
	{"dbl_suspect_since", "item->noted || item->since == 0", have_seen_what_was_not_noted},
	{"dbl_suspect_note", "since <= dbl_now(locks->env)", note_what_will_be_seen},
	{"take_page", "p->names <= DBL_REAP_BATCH", purge_more_than_asked_for},
	{"purge_page", "p->token > 0", purge_below_no_floor},
	{"delete_all", "n <= FIND", find_more_dead_than_asked_for},
	{"take_holder", "page->n < PAGE", list_more_than_a_page},
	{"take_holder", "is_behind_the_last(page, row)", list_out_of_order},
	{"take_waiter", "page->n < PAGE", wait_more_than_a_page},
	{"take_waiter", "is_behind_the_last(page, row)", wait_out_of_order},
	{"take_stander", "is_in_order(scene, s)", draw_out_of_order},
	{"take_target", "row[1].i > 0", ask_for_no_token},
	{"take_target", "targets->n < PAGE", ask_more_than_a_page},
	{"take_row", "row[-1].token <= row->token", take_away_out_of_order},
	{"mark", "row->nonce != 0", tell_of_a_grant_without_a_nonce},
	{"look", "row->marked && row->since > 0", wait_since_never},
	{"left_of", "row->watch >= 0", wait_for_a_negative_time},
	{"dbl_break_grant", "token > 0", break_no_token},
	{0},
};

ASSERTS_MAIN(set_up, deaths)
