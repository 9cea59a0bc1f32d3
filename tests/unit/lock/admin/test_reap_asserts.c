/* SPDX-License-Identifier: MIT */
/* Breaks the assertions of the reaper, mostly by what the database answers. */
#include "unit/lock/admin/rows_kit.h"

#include "lock/admin/reap.h"

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
	row[0] = dbl_text(epoch.id);
	row[1] = dbl_int(1);
	row[2] = dbl_int(0); /* its ttl */
}

static void bury_without_a_ttl(void)
{
	answer(DBL_OP_reap_sessions, 1, make_a_session);
	(void)dbl_reap_expire(&locks, &reap, &batch, NULL);
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
	row[0] = dbl_text(epoch.id);
}

static void find_more_dead_than_asked_for(void)
{
	answer(DBL_OP_reap_dead, 20001, make_an_id);
	(void)dbl_reap_dead(&locks, &reap, NULL);
}

static const struct death deaths[] = {
	{"dbl_batch_add", "batch->n < DBL_REAP_BATCH", add_more_than_a_batch},
	{"dbl_reap_run", "request.changed >= 0", undo_what_was_not_done},
	{"take_lock", ".key, item->key) < 0", free_names_out_of_order},
	{"dbl_reap", "reap->max_time >= 0", reap_in_the_past},
	{"expire", "item->b > 0", bury_without_a_ttl},
	{"dbl_suspects_add", "all->n <= all->room", keep_more_than_there_is_room_for},
	{"dbl_suspect_since", "item->noted || item->since == 0", have_seen_what_was_not_noted},
	{"dbl_suspect_note", "since <= dbl_now(locks->env)", note_what_will_be_seen},
	{"take_page", "p->names <= DBL_REAP_BATCH", purge_more_than_asked_for},
	{"purge_page", "p->token > 0", purge_below_no_floor},
	{"delete_all", "n <= FIND", find_more_dead_than_asked_for},
	{0},
};

ASSERTS_MAIN(set_up, deaths)
