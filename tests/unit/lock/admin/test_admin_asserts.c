/* SPDX-License-Identifier: MIT */
/* Breaks the assertions of lists, requests and breaks, mostly by what the database answers. */
#include "unit/lock/admin/rows_kit.h"

#include "lock/admin/admin.h"
#include "lock/admin/graph.h"
#include "lock/admin/request.h"
#include "lock/admin/revoke_own.h"

/* ---- lists ----------------------------------------------------------------------------------- */

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

/* Who holds it comes behind who waits. */
static void make_a_waiter_and_a_holder(struct dbl_value *row, int i)
{
	make_the_same_name(row, i);
	row[1] = dbl_int(5 * i);
}

static void draw_out_of_order(void)
{
	answer(DBL_OP_graph, 2, make_a_waiter_and_a_holder);
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

/* ---- taking away ----------------------------------------------------------------------------- */

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

/* A row without a nonce is held by nobody, but this one says that its session lives. */
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
	struct dbl_break requester = what;
	struct dbl_revoking r = {
		.locks = &locks, .what = &requester, .rows = &row, .n = 1, .room = 1};

	requester.canceled = stop_at_once;
	requester.until = NOW;
	row.since = NOW + 100; /* then it is not due */
	answer(DBL_OP_revoked, 1, make_a_stand);
	(void)dbl_revoking_wait(&r, NULL);
}

static void break_no_token(void)
{
	const struct dbl_row_wait no_wait = {.until = NOW};
	const struct dbl_ending_event event = {DBLOCK_EVENT_BROKEN, ""};

	(void)dbl_break_grant(&locks, "a", 0, 5, &no_wait, &event, NULL);
}

static const struct death deaths[] = {
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
