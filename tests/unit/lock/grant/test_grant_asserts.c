/* SPDX-License-Identifier: MIT */
/* Breaks the assertions of src/lock/grant. */
#include "unit/lock/handle_kit.h"

#include "lock/grant/attempt.h"
#include "lock/grant/extend.h"
#include "lock/grant/release.h"

static struct dbl_attempt a;
static struct dbl_acquire_spec spec = {.name = "a", .weight = 1, .wait_until = DBL_NEVER};

static void begin(void)
{
	assert_int_equal(dbl_attempt_begin(&a, &locks, &spec, NULL), 0);
	a.epoch = &epoch;
}

static void ask_without_a_life(void)
{
	struct dbl_value args[DBL_ATTEMPT_ARGS];

	begin();
	a.epoch = NULL;
	dbl_attempt_args(&a, args);
}

static int play_a_negative_token(struct dbl_request *request)
{
	const struct dbl_value token = dbl_int(-5);

	return request->op == DBL_OP_acquire ? request->row(request->ctx, &token) : 0;
}

static void be_granted_a_negative_token(void)
{
	begin();
	play = play_a_negative_token;
	(void)dbl_attempt_go(&a, NULL);
}

/* The answer is lost, and so is the cleanup that would give the grant back. */
static int play_a_loss_of_all(struct dbl_request *request)
{
	(void)request;
	a.lock->grant.cleanup = NULL;
	return DBLOCK_E_UNSURE;
}

static void settle_without_a_debt(void)
{
	begin();
	play = play_a_loss_of_all;
	(void)dbl_attempt_go(&a, NULL);
}

static void be_granted_what_is_out(void)
{
	begin();
	a.lock->before = &a.lock;
	dbl_attempt_granted(&a, NOW, 0);
}

static void be_granted_in_the_future(void)
{
	begin();
	dbl_attempt_granted(&a, NOW + 1, 0);
}

/* ---- extending ------------------------------------------------------------------------------- */

static struct dblock_lock *leased(void)
{
	struct dblock_lock *lock = kit_held("a");

	lock->grant.has_lease = true;
	dbl_validity_begin(&lock->grant.lease, NOW + TTL);
	return lock;
}

static void extend_by_a_negative_time(void)
{
	(void)dbl_lock_extend(leased(), -1, NULL);
}

/* ---- releasing ------------------------------------------------------------------------------- */

static void end_what_is_out(void)
{
	(void)dbl_grant_end(kit_held("a"), NULL);
}

static void end_no_token(void)
{
	(void)dbl_release_by_token(&locks, "a", 0, 1, NULL);
}

static void end_a_row_without_a_token(void)
{
	struct dblock_lock *lock = kit_granted("a");

	lock->grant.carrier = &dbl_queue_row_carrier;
	lock->grant.token = 0;
	(void)dbl_grant_end(lock, NULL);
}

static const struct death deaths[] = {
	{"dbl_attempt_args", "a->epoch", ask_without_a_life},
	{"dbl_attempt_heard", "q->token == -1 || q->token > 0", be_granted_a_negative_token},
	{"dbl_attempt_resolve", "a->lock->grant.cleanup", settle_without_a_debt},
	{"dbl_attempt_granted", "!lock->before", be_granted_what_is_out},
	{"dbl_attempt_granted", "sent <= dbl_now(a->locks->env)", be_granted_in_the_future},
	{"extend_validity", "lease > 0", extend_by_a_negative_time},
	{"dbl_grant_end", "!lock->before", end_what_is_out},
	{"end_grant", "e->token > 0", end_no_token},
	{"end_row", "e->token > 0", end_a_row_without_a_token},
	{0},
};

ASSERTS_MAIN(kit_begin_handles, deaths)
