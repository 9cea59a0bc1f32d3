/* SPDX-License-Identifier: MIT */
/* Breaks the assertions of src/lock/recipes. */
#include "unit/lock/handle_kit.h"

#include "lock/cache/cache.h"
#include "lock/recipes/flight.h"
#include "lock/recipes/once.h"
#include "lock/tx/in_tx.h"
#include "lock/tx/own.h"

static void set_up(void)
{
	kit_begin_handles();
	locks.cache = dbl_cache_new();
	locks.attached = dbl_attached_new();
}

/* ---- results --------------------------------------------------------------------------------- */

static void share_what_is_not_ready(void)
{
	(void)dbl_result_share(dbl_result_new());
}

static void drop_it_twice(void)
{
	struct dblock_result *result = dbl_result_new();

	result->shares = 0;
	dbl_result_drop(result);
}

static void change_what_others_read(void)
{
	struct dblock_result *result = dbl_result_new();

	result->ready = true;
	(void)dbl_result_set(result, "x", 1, NULL);
}

/* ---- single flight: each test breaks the flight while its result is being made --------------- */

static struct dblock_result *made;
static void (*while_making)(struct dbl_flight *);

/* The lock is granted at once. */
static int play_a_grant(struct dbl_request *request)
{
	const struct dbl_value token = dbl_int(100);

	return request->op == DBL_OP_acquire ? request->row(request->ctx, &token) : 0;
}

static int make(void *unused, struct dblock_result *result, struct dblock_error *err)
{
	(void)unused;
	(void)result;
	(void)err;
	if (while_making)
		while_making(locks.flights);
	return 0;
}

static void fly(void)
{
	struct dbl_flight_call call = {.spec = {.name = "a", .weight = 1, .wait_until = DBL_NEVER},
				       .make = make};

	play = play_a_grant;
	(void)dbl_flight(&locks, &call, &made, NULL);
}

static void be_gone(struct dbl_flight *f)
{
	(void)f;
	locks.flights = NULL;
}

static void land_one_that_is_not_there(void)
{
	while_making = be_gone;
	fly();
}

static void be_anothers(struct dbl_flight *f)
{
	f->leader = 4711;
}

static void land_anothers(void)
{
	while_making = be_anothers;
	fly();
}

static void be_without_a_result(struct dbl_flight *f)
{
	f->result = NULL;
}

static void land_with_nothing(void)
{
	while_making = be_without_a_result;
	fly();
}

static void be_empty(struct dbl_flight *f)
{
	f->callers = 0;
}

static void leave_an_empty_one(void)
{
	while_making = be_empty;
	fly();
}

static void carry_a_passenger(struct dbl_flight *f)
{
	f->callers = 1;
	f->followers = (struct dbl_follower *)&made; /* somebody still follows */
}

static void leave_somebody_behind(void)
{
	while_making = carry_a_passenger;
	fly();
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static void be_done_without_a_job(void)
{
	(void)dbl_once_done(kit_held("a"), NULL);
}

static int acquire_one_with_a_job(struct dbl_locks *all, const struct dbl_acquire_spec *spec,
				  struct dblock_lock **out, struct dblock_error *err)
{
	(void)all;
	(void)err;
	*out = kit_held(spec->name);
	memcpy((*out)->slot, "before", sizeof("before"));
	return 0;
}

static void begin_a_job_in_another(void)
{
	const struct dbl_acquire_spec spec = {.name = "a", .weight = 1};
	struct dblock_lock *out;

	(void)dbl_once(&locks, acquire_one_with_a_job, &spec, "s", &out, NULL);
}

static const struct death deaths[] = {
	{"dbl_result_share", "result->ready", share_what_is_not_ready},
	{"dbl_result_drop", "shares) > 0", drop_it_twice},
	{"dbl_result_set", "!result->ready", change_what_others_read},
	{"take_out", "*at", land_one_that_is_not_there},
	{"dbl_flight_complete", "f->leader == dbl_thread_id()", land_anothers},
	{"dbl_flight_complete", "rc || f->result", land_with_nothing},
	{"leave", "f->callers > 0", leave_an_empty_one},
	{"leave", "!f->followers", leave_somebody_behind},
	{"begin", "!lock->slot[0]", begin_a_job_in_another},
	{"dbl_once_done", "lock->slot[0]", be_done_without_a_job},
	{0},
};

ASSERTS_MAIN(set_up, deaths)
