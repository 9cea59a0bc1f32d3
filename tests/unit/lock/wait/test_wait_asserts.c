/* SPDX-License-Identifier: MIT */
/* Breaks the assertions of src/lock/wait about one wait. */
#include "unit/lock/handle_kit.h"

#include "lock/cache/cache.h"
#include "lock/wait/group.h"
#include "lock/wait/modes.h"
#include "lock/wait/wait_own.h"

static struct dbl_wait w;
static struct dbl_acquire_spec spec = {.name = "a", .weight = 1, .wait_until = DBL_NEVER};

static void set_up(void)
{
	kit_begin_handles();
	locks.cache = dbl_cache_new();
}

/* Makes a wait in this phase, in the queue. */
static void stand(enum dbl_wait_phase phase)
{
	assert_int_equal(dbl_wait_begin(&w, &locks, &spec, NULL), 0);
	atomic_store(&w.phase.now, (int)phase);
	dbl_notifier_add(&locks, &w.waiter, 50);
	w.ticket = 7;
	w.begun = true;
	w.attempt.epoch = &epoch;
	w.cleanup = dbl_cleanup_new("a");
}

static struct dblock_lock *out;

static void step(void)
{
	(void)dbl_wait_step(&w, &out, NULL);
}

/* ---- joining and leaving the queue ----------------------------------------------------------- */

static void leave_without_a_nonce(void)
{
	stand(DBL_WAIT_WATCH);
	w.waiter.nonce = 0;
	(void)dbl_wait_leave(&w);
}

static void leave_two_lines_at_once(void)
{
	stand(DBL_WAIT_WATCH);
	w.leave.nonce = 60;
	(void)dbl_wait_leave(&w);
}

static void end_with_two_handles(void)
{
	stand(DBL_WAIT_WATCH);
	w.got = kit_granted("a");
	atomic_store(&w.canceled, true);
	step();
}

/* The wait's outcome says that the lock was granted, but there is no handle. */
static void end_well_without_a_handle(void)
{
	stand(DBL_WAIT_LEAVE);
	w.waiter.nonce = 0;
	dbl_leave_begin(&w.leave, &locks, "a", 50, true, w.cleanup);
	w.outcome = 0;
	while (!out)
		step();
}

static void end_while_in_queue(void)
{
	stand(DBL_WAIT_LEAVE);
	dbl_leave_begin(&w.leave, &locks, "a", 60, true, dbl_cleanup_new("a"));
	w.outcome = DBLOCK_TIMEOUT;
	while (dbl_leave_goes_on(&w.leave))
		step();
}

/* Only a try may end so. */
static void end_because_it_is_busy(void)
{
	stand(DBL_WAIT_LEAVE);
	dbl_notifier_remove(&locks, &w.waiter);
	w.ticket = 0;
	dbl_leave_begin(&w.leave, &locks, "a", 60, true, dbl_cleanup_new("a"));
	w.outcome = DBLOCK_BUSY;
	while (dbl_leave_goes_on(&w.leave))
		step();
}

static void sleep_with_an_alarm(void)
{
	stand(DBL_WAIT_WATCH);
	w.waiter.alarm = 1;
	dbl_wait_sleep(&w);
}

static void wait_by_a_handle_that_is_out(void)
{
	stand(DBL_WAIT_WATCH);
	w.attempt.lock->before = &out;
	step();
}

static void announce_what_is_not_in_queue(void)
{
	stand(DBL_WAIT_ENQUEUE);
	w.waiter.nonce = 0;
	(void)dbl_wait_go_on(&w, DBL_WAIT_ANNOUNCE);
}

static void go_where_there_is_no_way(void)
{
	stand(DBL_WAIT_ENQUEUE);
	(void)dbl_wait_go_on(&w, DBL_WAIT_TAKE);
}

static void join_a_second_line(void)
{
	stand(DBL_WAIT_ENQUEUE);
	dbl_notifier_remove(&locks, &w.waiter);
	step();
}

static int play_a_negative_ticket(struct dbl_request *request)
{
	const struct dbl_value row = dbl_int(-7);

	return request->op == DBL_OP_enqueue ? request->row(request->ctx, &row) : 0;
}

static void join_with_a_negative_ticket(void)
{
	stand(DBL_WAIT_ENQUEUE);
	dbl_notifier_remove(&locks, &w.waiter);
	w.ticket = 0;
	play = play_a_negative_ticket;
	step();
}

/* ---- in the queue ---------------------------------------------------------------------------- */

static void look_without_a_nonce(void)
{
	stand(DBL_WAIT_WATCH);
	w.waiter.nonce = 0;
	step();
}

static void look_in_no_time(void)
{
	stand(DBL_WAIT_WATCH);
	w.poll = 0;
	dbl_wait_schedule(&w, DBL_NEVER);
}

static void take_what_is_waited_for(void)
{
	stand(DBL_WAIT_TAKE);
	w.attempt.snapshot.held_by_session = true;
	step();
}

static void be_granted_a_look(void)
{
	stand(DBL_WAIT_WATCH);
	(void)dbl_wait_granted(&w, DBL_NOTIFY_LOOK, NOW, 0, NULL);
}

static void be_granted_in_the_future(void)
{
	stand(DBL_WAIT_WATCH);
	(void)dbl_wait_granted(&w, 100, NOW + 1, 0, NULL);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static struct dbl_row rows[2];

static void be_a_newcomer_with_a_ticket(void)
{
	spec.mode = DBLOCK_SHARED;
	stand(DBL_WAIT_ADMIT);
	step();
}

static void take_the_place_of_another(void)
{
	stand(DBL_WAIT_ADVANCE);
	w.queue = (struct dbl_queue){.rows = rows, .n = 1, .room = 2};
	w.admitted = true;
	step();
}

static void be_a_part_of_one_name(void)
{
	stand(DBL_WAIT_WATCH);
	(void)dbl_wait_part(&w, NULL);
}

/* ---- modes, and telling the caller ----------------------------------------------------------- */

static void change_what_is_changing(void)
{
	struct dblock_lock *lock = kit_held("a");

	lock->changing = true;
	(void)dbl_lock_downgrade(lock, DBLOCK_SHARED, NULL);
}

static void upgrade_what_is_changing(void)
{
	struct dblock_lock *lock = kit_held("a");

	lock->changing = true;
	lock->grant.mode = DBLOCK_SHARED;
	(void)dbl_lock_upgrade(lock, &spec, NULL);
}

static void tell_who_does_not_want_to_know(void)
{
	struct dbl_progress progress = {.next = 0};

	(void)dbl_progress_tell(&progress, &locks, &spec, 7, DBL_NEVER);
}

static void suspect_without_a_pause(void)
{
	struct dbl_suspicion s = {.pause = 0};

	(void)dbl_suspicion_look(&s, &locks, &spec, 50, DBL_NEVER, NULL);
}

static const struct death deaths[] = {
	{"dbl_wait_leave", "nonce || !w->ticket", leave_without_a_nonce},
	{"dbl_wait_leave", "!dbl_leave_goes_on(&w->leave)", leave_two_lines_at_once},
	{"end_by", "!w->got", end_with_two_handles},
	{"dbl_wait_step", "(rc == 0) == (*out != NULL)", end_well_without_a_handle},
	{"dbl_wait_step", "w->waiter.nonce == 0", end_while_in_queue},
	{"dbl_wait_step", "rc != DBLOCK_BUSY", end_because_it_is_busy},
	{"dbl_wait_sleep", "w->waiter.alarm < 0", sleep_with_an_alarm},
	{"find_own", "!a->lock->before", wait_by_a_handle_that_is_out},
	{"dbl_wait_move", "w->waiter.nonce || phase", announce_what_is_not_in_queue},
	{"dbl_sm_refuse", "false; from ENQUEUE to TAKE", go_where_there_is_no_way},
	{"dbl_wait_enqueue", "!w->ticket", join_a_second_line},
	{"dbl_wait_enqueue", "w->ticket > 0", join_with_a_negative_ticket},
	{"watch", "a->epoch && w->waiter.nonce", look_without_a_nonce},
	{"dbl_wait_schedule", "w->poll > 0", look_in_no_time},
	{"take", "w->action != DBL_WAIT", take_what_is_waited_for},
	{"dbl_wait_granted", "token > DBL_NOTIFY_LOOK", be_granted_a_look},
	{"dbl_wait_granted", "sent <= dbl_wait_now(w)", be_granted_in_the_future},
	{"add_newcomer", "!w->ticket", be_a_newcomer_with_a_ticket},
	{"take_its_place", "row->nonce == NEWCOMER_NONCE", take_the_place_of_another},
	{"dbl_wait_part", "dbl_wait_is_part(w)", be_a_part_of_one_name},
	{"dbl_lock_downgrade", "!lock->changing", change_what_is_changing},
	{"dbl_lock_upgrade", "!lock->changing", upgrade_what_is_changing},
	{"dbl_progress_tell", "spec->waiting", tell_who_does_not_want_to_know},
	{"schedule_next", "s->pause > 0", suspect_without_a_pause},
	{0},
};

ASSERTS_MAIN(set_up, deaths)
