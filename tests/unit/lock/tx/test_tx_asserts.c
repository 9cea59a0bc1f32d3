/* SPDX-License-Identifier: MIT */
/* What src/lock/tx asserts, broken on purpose. */
#include "unit/lock/handle_kit.h"

#include "lock/cache/cache.h"
#include "lock/tx/in_tx_own.h"
#include "lock/tx/own.h"

static struct dblock_tx tx = {.target = &target};

static void set_up(void)
{
	kit_begin_handles();
	locks.cache = dbl_cache_new();
	locks.attached = dbl_attached_new();
}

/* ---- stakes
 * --------------------------------------------------------------------------------------- */

static void stake_several_as_one(void)
{
	struct dblock_lock *lock = kit_granted("a, b");

	lock->n_parts = 2;
	(void)dbl_stake_new(&tx, lock, DBL_FENCES);
}

static void join_without_a_lock(void)
{
	struct dbl_stake *stake = dbl_stake_new(&tx, kit_held("a"), DBL_FENCES);

	stake->lock = NULL;
	dbl_stake_join(stake);
}

static void look_without_the_mutex(void)
{
	(void)dbl_stake_has(&locks, kit_held("a"));
}

static void be_released_in_two_transactions(void)
{
	struct dblock_lock *lock = kit_held("a");

	for (int i = 0; i < 2; i++)
		dbl_stake_join(dbl_stake_new(&tx, lock, DBL_RELEASES));
	dbl_stake_part(lock);
}

static int play_ticket_0(struct dbl_request *request)
{
	const struct dbl_value ticket = dbl_int(0);

	return request->row(request->ctx, &ticket);
}

static void find_a_ticket_of_0(void)
{
	struct dblock_lock *lock = kit_held("a");
	int64_t ticket;

	lock->grant.carrier = &dbl_line_row;
	play = play_ticket_0;
	(void)dbl_stake_ticket(lock, NULL, DBL_NEVER, &ticket, NULL);
}

static int play_ticket_7(struct dbl_request *request)
{
	const struct dbl_value ticket = dbl_int(7);

	return request->row(request->ctx, &ticket);
}

static void find_the_ticket_of_its_own_row(void)
{
	int64_t ticket;

	play = play_ticket_7;
	(void)dbl_stake_ticket(kit_held("a"), NULL, DBL_NEVER, &ticket, NULL);
}

static void free_it_with_a_stake(void)
{
	dbl_stake_join(dbl_stake_new(&tx, kit_held("a"), DBL_FENCES));
	dbl_attached_free(locks.attached);
}

/* ---- inside a transaction, and its end
 * ------------------------------------------------------------ */

static struct dbl_stake stake;

static void end(enum dbl_stake_kind kind, enum dbl_within within)
{
	struct dblock_lock *lock = kit_granted("a");

	stake = (struct dbl_stake){.kind = kind, .locks = &locks, .lock = lock};
	lock->within = within;
	dbl_within_ended(lock, &stake, DBL_TX_COMMITTED);
}

static void begin_twice(void)
{
	struct dblock_lock *lock = kit_granted("a");

	dbl_within_begin(lock);
	dbl_within_begin(lock);
}

static void begin_what_is_out(void)
{
	dbl_within_begin(kit_held("a"));
}

static void come_that_never_began(void)
{
	end(DBL_ACQUIRES, DBL_WITHIN_COMING);
}

static void come_that_is_leaving(void)
{
	end(DBL_ACQUIRES, DBL_WITHIN_LEAVING);
}

static void leave_that_is_coming(void)
{
	end(DBL_RELEASES, DBL_WITHIN_COMING);
}

static void end_a_fence(void)
{
	end(DBL_FENCES, DBL_WITHIN_NOT);
}

static void drop_what_may_come(void)
{
	struct dblock_lock *lock = kit_granted("a");

	dbl_within_begin(lock);
	(void)dbl_within_drop(lock, NULL);
}

static const struct death deaths[] = {
	{"dbl_stake_new", "lock->n_parts == 0", stake_several_as_one},
	{"dbl_stake_join", "stake->lock && !stake->next", join_without_a_lock},
	{"first_of", "== dbl_thread_id()", look_without_the_mutex},
	{"part_with", "stake->kind == DBL_FENCES", be_released_in_two_transactions},
	{"dbl_stake_ticket", "found > 0", find_a_ticket_of_0},
	{"dbl_stake_ticket", "dbl_has_line_row(lock)", find_the_ticket_of_its_own_row},
	{"dbl_attached_free", "!attached->stakes", free_it_with_a_stake},
	{"dbl_within_begin", "lock->within == DBL_WITHIN_NOT", begin_twice},
	{"dbl_within_begin", "!lock->before", begin_what_is_out},
	{"comes_no_more", "*at", come_that_never_began},
	{"acquire_ended", "lock->within == DBL_WITHIN_COMING", come_that_is_leaving},
	{"release_ended", "lock->within == DBL_WITHIN_LEAVING", leave_that_is_coming},
	{"dbl_within_ended", "stake->kind != DBL_FENCES", end_a_fence},
	{"dbl_within_drop", "lock->within == DBL_WITHIN_NOT_COME", drop_what_may_come},
	{0},
};

ASSERTS_MAIN(set_up, deaths)
