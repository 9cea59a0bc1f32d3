/* SPDX-License-Identifier: MIT */
/* Breaks the assertions of src/lock/queue. */
#include "unit/lock/asserts_kit.h"

#include "lock/notify/own.h"
#include "lock/queue/advance.h"
#include "lock/queue/cleanup.h"
#include "lock/queue/leave.h"
#include "lock/queue/queue.h"

static void set_up(void)
{
	locks.notifier = dbl_notifier_new();
}

/* ---- a queue, as the operation `line` answers it --------------------------------------------- */

enum { TICKET = 4, TOKEN = 11 };

/* Two rows of a semaphore of 3 permits, under a lock's row with token 100. */
static struct dbl_value queue_rows[2][DBL_COLUMNS_MAX];

static void make_rows(void)
{
	for (int i = 0; i < 2; i++) {
		struct dbl_value *row = queue_rows[i];

		for (int c = 0; c < DBL_COLUMNS_MAX; c++)
			row[c] = dbl_null();
		row[1] = dbl_int(100);
		row[TICKET] = dbl_int(i + 1);
		row[5] = dbl_int(50 + i);         /* nonce */
		row[6] = dbl_int(DBLOCK_PERMITS); /* mode */
		row[7] = dbl_int(1);              /* weight */
		row[8] = dbl_int(3);              /* capacity */
	}
}

static int play_line(struct dbl_request *request)
{
	for (int i = 0; i < 2 && request->op == DBL_OP_line; i++)
		request->row(request->ctx, queue_rows[i]);
	return 0;
}

static struct dbl_queue queue;

static void read_line(void)
{
	play = play_line;
	(void)dbl_queue_read(&locks, "a", DBL_NEVER, &queue, NULL);
}

static void tickets_out_of_order(void)
{
	make_rows();
	queue_rows[1][TICKET] = dbl_int(1);
	read_line();
}

static void a_holder_behind_who_waits(void)
{
	make_rows();
	queue_rows[1][TOKEN] = dbl_int(90);
	read_line();
}

static void a_token_that_was_not_promised(void)
{
	make_rows();
	queue_rows[0][TOKEN] = dbl_int(101);
	read_line();
}

static void more_permits_than_there_are(void)
{
	make_rows();
	queue_rows[0][7] = dbl_int(4);
	read_line();
}

/* ---- grant policy ---------------------------------------------------------------------------- */

static struct dbl_row two[2];

static void make_line(int64_t mode)
{
	for (int i = 0; i < 2; i++)
		two[i] = (struct dbl_row){.ticket = i + 1,
					  .nonce = 50 + i,
					  .mode = mode,
					  .weight = 2,
					  .capacity = 3,
					  .names = 1,
					  .session_found = true,
					  .session_left = DBL_UNKNOWN};
	queue = (struct dbl_queue){.found = true, .rows = two, .n = 2, .room = 3, .token = 100};
}

static struct dbl_decision decision;

static void two_rows_of_one_wait(void)
{
	make_line(DBLOCK_SHARED);
	two[1].nonce = two[0].nonce;
	dbl_policy_first(&queue, two[0].nonce, &decision);
}

static void a_grant_to_nobody(void)
{
	make_line(DBLOCK_SHARED);
	(void)dbl_decision_grants(&decision, &queue, 0);
}

static void a_holder_without_a_nonce(void)
{
	make_line(DBLOCK_SHARED);
	(void)dbl_queue_has(&queue, 0);
}

/* ---- advancing the queue --------------------------------------------------------------------- */

static struct dbl_advanced served;

static void serve(enum dbl_decision_kind what, unsigned n)
{
	decision = (struct dbl_decision){.what = what, .n = n};
	(void)dbl_advance_by(&locks, "a", &queue, &decision, 0, DBL_NEVER, &served, NULL);
}

static void grant_to_no_row(void)
{
	make_line(DBLOCK_SHARED);
	serve(DBL_DECIDE_GRANT, 0);
}

static void ring_a_holder(void)
{
	make_line(DBLOCK_SHARED);
	two[0].token = 90;
	two[0].names = 2;
	serve(DBL_DECIDE_NOTIFY, 0);
}

static void ring_who_wants_one_name(void)
{
	make_line(DBLOCK_SHARED);
	serve(DBL_DECIDE_NOTIFY, 0);
}

static int play_two_grants(struct dbl_request *request)
{
	struct dbl_value row[4] = {dbl_int(50), dbl_int(200), dbl_null(), dbl_int(1)};

	for (int i = 0; i < 2; i++)
		request->row(request->ctx, row);
	return 0;
}

static void more_granted_than_planned(void)
{
	make_line(DBLOCK_SHARED);
	play = play_two_grants;
	serve(DBL_DECIDE_GRANT, 1);
}

static int play_an_old_token(struct dbl_request *request)
{
	struct dbl_value row[4] = {dbl_int(100), dbl_int(100), dbl_null(), dbl_int(0)};

	request->changed = 1;
	return request->row(request->ctx, row);
}

static void a_token_that_does_not_grow(void)
{
	make_line(DBLOCK_SHARED);
	play = play_an_old_token;
	serve(DBL_DECIDE_GRANT, 1);
}

static void a_winner_whose_token_does_not_grow(void)
{
	struct dbl_winner winner;

	play = play_an_old_token;
	(void)dbl_hand_over(&locks, "a", 100, DBL_NOBODYS, DBL_NEVER, &winner, NULL);
}

/* ---- joining and leaving --------------------------------------------------------------------- */

static struct dbl_acquire_spec spec = {.name = "a", .weight = 1};
static int64_t ticket;

static void join_without_a_nonce(void)
{
	(void)dbl_enqueue(&locks, &spec, &epoch, 0, "", DBL_NEVER, &ticket, NULL);
}

static void want_more_permits_than_there_are(void)
{
	spec.mode = DBLOCK_PERMITS;
	spec.weight = 4;
	spec.capacity = 3;
	(void)dbl_enqueue(&locks, &spec, &epoch, 5, "", DBL_NEVER, &ticket, NULL);
}

static void join_shared_in_one_statement(void)
{
	struct dbl_snapshot snapshot;

	spec.mode = DBLOCK_SHARED;
	(void)dbl_join(&locks, &spec, &epoch, 5, "", DBL_NEVER, &snapshot, NULL);
}

static void leave_without_a_nonce(void)
{
	bool certain;

	(void)dbl_dequeue(&locks, "a", 0, DBL_NEVER, &certain, NULL);
}

static void give_back_without_a_nonce(void)
{
	(void)dbl_give_back(&locks, "a", 0, DBL_NEVER, NULL);
}

static void leave_without_a_debt(void)
{
	struct dbl_leave leave;

	dbl_leave_begin(&leave, &locks, "a", 5, true, NULL);
}

static void leave_twice(void)
{
	struct dbl_leave leave;

	dbl_leave_begin(&leave, &locks, "a", 5, true, dbl_cleanup_new("a"));
	while (!dbl_leave_step(&leave, DBL_NEVER))
		;
	(void)dbl_leave_step(&leave, DBL_NEVER);
}

static void clean_up_a_grant_that_waits(void)
{
	struct dbl_cleanup cleanup = {.nonce = 6, .token = 5, .in_queue = true};

	(void)dbl_clean_up(&locks, &cleanup, &kit_link, DBL_NEVER);
}

static void have_left_where_it_never_was(void)
{
	struct dbl_cleanup cleanup = {.nonce = 6, .left = true};

	(void)dbl_clean_up(&locks, &cleanup, &kit_link, DBL_NEVER);
}

static const struct death deaths[] = {
	{"dbl_queue_read", "is_in_order(queue)", tickets_out_of_order},
	{"dbl_queue_read", "is_in_order(queue)", a_holder_behind_who_waits},
	{"dbl_queue_read", "is_possible(queue)", a_token_that_was_not_promised},
	{"dbl_queue_read", "is_possible(queue)", more_permits_than_there_are},
	{"dbl_policy_first", "decision->n <= 1", two_rows_of_one_wait},
	{"dbl_decision_grants", "nonce != 0", a_grant_to_nobody},
	{"dbl_queue_has", "nonce != 0", a_holder_without_a_nonce},
	{"dbl_advance_grant_args", "decision->n > 0", grant_to_no_row},
	{"notify_group", "!dbl_row_holds(row)", ring_a_holder},
	{"notify_group", "row->names > 1", ring_who_wants_one_name},
	{"grant", "granted.n <= decision->n", more_granted_than_planned},
	{"grant", "tokens_grow(&granted", a_token_that_does_not_grow},
	{"give", "winner->token > token", a_winner_whose_token_does_not_grow},
	{"dbl_enqueue_args", "nonce > 0", join_without_a_nonce},
	{"dbl_enqueue_args", "w->weight <= w->capacity", want_more_permits_than_there_are},
	{"join_args", "!dbl_spec_is_by_row(w)", join_shared_in_one_statement},
	{"dbl_dequeue", "nonce != 0", leave_without_a_nonce},
	{"dbl_give_back", "nonce != 0", give_back_without_a_nonce},
	{"dbl_leave_begin", "nonce > 0 && cleanup", leave_without_a_debt},
	{"dbl_leave_step", "leave->nonce && leave->cleanup", leave_twice},
	{"dbl_clean_up", "!cleanup->in_queue || cleanup->token == 0", clean_up_a_grant_that_waits},
	{"dbl_clean_up", "cleanup->in_queue || (", have_left_where_it_never_was},
	{0},
};

ASSERTS_MAIN(set_up, deaths)
