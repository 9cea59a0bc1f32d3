/* SPDX-License-Identifier: MIT */
/* Breaks the assertions of src/lock/tx. */
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

/* ---- attachments ----------------------------------------------------------------------------- */

static void stake_several_as_one(void)
{
	struct dblock_lock *lock = kit_granted("a, b");

	lock->n_parts = 2;
	(void)dbl_attachment_new(&tx, lock, DBL_FENCES);
}

static void join_without_a_lock(void)
{
	struct dbl_attachment *attachment = dbl_attachment_new(&tx, kit_held("a"), DBL_FENCES);

	attachment->lock = NULL;
	dbl_attachment_join(attachment);
}

static void look_without_the_mutex(void)
{
	(void)dbl_attachment_has(&locks, kit_held("a"));
}

static void be_released_in_two_transactions(void)
{
	struct dblock_lock *lock = kit_held("a");

	for (int i = 0; i < 2; i++)
		dbl_attachment_join(dbl_attachment_new(&tx, lock, DBL_RELEASES));
	dbl_attachment_part(lock);
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

	lock->grant.carrier = &dbl_queue_row_carrier;
	play = play_ticket_0;
	(void)dbl_attachment_ticket(lock, NULL, DBL_NEVER, &ticket, NULL);
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
	(void)dbl_attachment_ticket(kit_held("a"), NULL, DBL_NEVER, &ticket, NULL);
}

static void free_it_with_a_stake(void)
{
	dbl_attachment_join(dbl_attachment_new(&tx, kit_held("a"), DBL_FENCES));
	dbl_attached_free(locks.attached);
}

/* ---- inside a transaction, and its end ------------------------------------------------------- */

static struct dbl_attachment attachment;

static void end(enum dbl_attachment_kind kind, enum dbl_in_tx in_tx)
{
	struct dblock_lock *lock = kit_granted("a");

	attachment = (struct dbl_attachment){.kind = kind, .locks = &locks, .lock = lock};
	lock->in_tx = in_tx;
	dbl_in_tx_ended(lock, &attachment, DBL_TX_COMMITTED);
}

static void begin_twice(void)
{
	struct dblock_lock *lock = kit_granted("a");

	dbl_in_tx_begin(lock);
	dbl_in_tx_begin(lock);
}

static void begin_what_is_out(void)
{
	dbl_in_tx_begin(kit_held("a"));
}

static void come_that_never_began(void)
{
	end(DBL_ACQUIRES, DBL_IN_TX_ACQUIRING);
}

static void come_that_is_leaving(void)
{
	end(DBL_ACQUIRES, DBL_IN_TX_RELEASING);
}

static void leave_that_is_coming(void)
{
	end(DBL_RELEASES, DBL_IN_TX_ACQUIRING);
}

static void end_a_fence(void)
{
	end(DBL_FENCES, DBL_IN_TX_NOT);
}

static void drop_what_may_come(void)
{
	struct dblock_lock *lock = kit_granted("a");

	dbl_in_tx_begin(lock);
	(void)dbl_in_tx_drop(lock, NULL);
}

static const struct death deaths[] = {
	{"dbl_attachment_new", "lock->n_parts == 0", stake_several_as_one},
	{"dbl_attachment_join", "attachment->lock && !attachment->next", join_without_a_lock},
	{"first_of", "== dbl_thread_id()", look_without_the_mutex},
	{"part_with", "attachment->kind == DBL_FENCES", be_released_in_two_transactions},
	{"dbl_attachment_ticket", "found > 0", find_a_ticket_of_0},
	{"dbl_attachment_ticket", "dbl_has_queue_row(lock)", find_the_ticket_of_its_own_row},
	{"dbl_attached_free", "!attached->attachments", free_it_with_a_stake},
	{"dbl_in_tx_begin", "lock->in_tx == DBL_IN_TX_NOT", begin_twice},
	{"dbl_in_tx_begin", "!lock->before", begin_what_is_out},
	{"take_out", "*at", come_that_never_began},
	{"acquire_ended", "lock->in_tx == DBL_IN_TX_ACQUIRING", come_that_is_leaving},
	{"release_ended", "lock->in_tx == DBL_IN_TX_RELEASING", leave_that_is_coming},
	{"dbl_in_tx_ended", "attachment->kind != DBL_FENCES", end_a_fence},
	{"dbl_in_tx_drop", "lock->in_tx == DBL_IN_TX_NOT_ACQUIRED", drop_what_may_come},
	{0},
};

ASSERTS_MAIN(set_up, deaths)
