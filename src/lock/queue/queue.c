/* SPDX-License-Identifier: MIT */
#include "lock/queue/queue.h"

#include <string.h>

#include "lock/core/value.h"
#include "lock/handle/handle.h"
#include "lock/notify/notifier.h"
#include "lock/queue/snapshot.h"

void dbl_enqueue_args(const struct dbl_acquire_spec *w, const struct dbl_epoch *own, int64_t nonce,
		      const char *address, struct dbl_value args[DBL_ENQUEUE_ARGS])
{
	const struct dbl_value all[DBL_ENQUEUE_ARGS] = {
		dbl_text(w->name),
		dbl_int(nonce),
		dbl_text(own->id),
		dbl_int(dbl_thread_of(w)),
		dbl_int_if(w->lease > 0, w->lease),
		dbl_int_if(w->at_least > 0, w->at_least),
		dbl_text(w->value),
		dbl_text(address),
		dbl_int(w->mode),
		dbl_int(w->weight),
		dbl_int_if(w->capacity > 0, w->capacity),
		dbl_int_if(w->upgrades != 0, w->upgrades),
		dbl_int(w->names ? w->names : 1),
		dbl_int(w->blocks),
		dbl_int(own->beat_there),
		dbl_int(w->priority),
	};

	DBL_ASSERT(nonce > 0 && *own->id, "%lld", (long long)nonce);
	DBL_ASSERT(w->mode == DBLOCK_PERMITS ? w->capacity < 0 || w->weight <= w->capacity
					     : w->capacity == 0,
		   "mode %d, %lld of %lld", (int)w->mode, (long long)w->weight,
		   (long long)w->capacity);
	memcpy(args, all, sizeof(all));
}

int dbl_enqueue(struct dbl_locks *locks, const struct dbl_acquire_spec *w,
		const struct dbl_epoch *own, int64_t nonce, const char *address, int64_t deadline,
		int64_t *ticket, struct dblock_error *err)
{
	struct dbl_value args[DBL_ENQUEUE_ARGS];
	struct dbl_request request = {.op = DBL_OP_enqueue,
				      .args = DBL_ARGS(args),
				      .row = dbl_take_int,
				      .ctx = ticket,
				      .deadline = deadline};

	*ticket = 0;
	dbl_enqueue_args(w, own, nonce, address, args);
	return dbl_link_run(locks->link, &request, err);
}

int dbl_ticket_set(struct dbl_db *db, const char *name, int64_t nonce, int64_t ticket,
		   int64_t deadline, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(name), dbl_int(nonce), dbl_int(ticket)};
	struct dbl_request request = {
		.op = DBL_OP_ticket_set, .args = DBL_ARGS(args), .deadline = deadline};

	return dbl_db_run(db, &request, err);
}

struct above {
	struct dbl_request request;
	const char *name;
	int64_t nonce, served;
	int64_t *ticket;
};

static int add_above(void *ctx, struct dbl_db *db, struct dblock_error *err)
{
	struct above *all = ctx;
	int64_t drawn;
	int rc;

	*all->ticket = 0;
	rc = dbl_db_run(db, &all->request, err);
	drawn = *all->ticket;
	if (rc)
		return rc;
	*all->ticket = dbl_ticket_above(drawn, all->served);
	if (*all->ticket == drawn)
		return 0;
	return dbl_ticket_set(db, all->name, all->nonce, *all->ticket, all->request.deadline, err);
}

int dbl_enqueue_above(struct dbl_locks *locks, const struct dbl_acquire_spec *w,
		      const struct dbl_epoch *own, int64_t nonce, const char *address,
		      int64_t served, int64_t deadline, int64_t *ticket, struct dblock_error *err)
{
	struct dbl_value args[DBL_ENQUEUE_ARGS];
	struct above all = {.request = {.op = DBL_OP_enqueue,
					.args = DBL_ARGS(args),
					.row = dbl_take_int,
					.ctx = ticket,
					.deadline = deadline},
			    .name = w->name,
			    .nonce = nonce,
			    .served = served,
			    .ticket = ticket};

	dbl_enqueue_args(w, own, nonce, address, args);
	return dbl_link_transaction(locks->link, add_above, &all, deadline, err);
}

/* The arguments of `join`: it is for a lock that is to be held alone. */
static void join_args(const struct dbl_acquire_spec *w, const struct dbl_epoch *own, int64_t nonce,
		      const char *address, struct dbl_value args[DBL_ENQUEUE_ARGS])
{
	DBL_ASSERT(!dbl_spec_is_by_row(w));
	dbl_enqueue_args(w, own, nonce, address, args);
	args[DBL_ENQUEUE_ADDRESS + 1] = dbl_int(w->blocks);
	args[DBL_ENQUEUE_ADDRESS + 2] = dbl_int(own->beat_there);
}

int dbl_join(struct dbl_locks *locks, const struct dbl_acquire_spec *w, const struct dbl_epoch *own,
	     int64_t nonce, const char *address, int64_t deadline, struct dbl_snapshot *snapshot,
	     struct dblock_error *err)
{
	const struct dbl_asker by = {.link = locks->link};
	struct dbl_value args[DBL_ENQUEUE_ARGS];
	struct dbl_request request = {
		.op = DBL_OP_join, .args = DBL_ARGS(args), .deadline = deadline};

	join_args(w, own, nonce, address, args);
	return dbl_see(&by, &request, snapshot, err);
}

int dbl_join_behind(struct dbl_locks *locks, const struct dbl_acquire_spec *w,
		    const struct dbl_epoch *own, int64_t nonce, const char *address,
		    int64_t deadline, int64_t *ticket, struct dblock_error *err)
{
	struct dbl_value args[DBL_ENQUEUE_ARGS];
	struct dbl_request request = {.op = DBL_OP_join_behind,
				      .args = DBL_ARGS(args),
				      .row = dbl_take_int,
				      .ctx = ticket,
				      .deadline = deadline};

	*ticket = 0;
	join_args(w, own, nonce, address, args);
	return dbl_link_run(locks->link, &request, err);
}

int dbl_enter_beside(struct dbl_locks *locks, const struct dbl_acquire_spec *w,
		     const struct dbl_epoch *own, int64_t nonce, int64_t deadline, int64_t *token,
		     struct dblock_error *err)
{
	struct dbl_value args[DBL_ENQUEUE_ARGS];
	struct dbl_request request = {.op = DBL_OP_enter,
				      .args = DBL_ARGS(args),
				      .row = dbl_take_int,
				      .ctx = token,
				      .deadline = deadline};

	DBL_ASSERT(w->mode != DBLOCK_EXCLUSIVE && !w->upgrades && !dbl_spec_is_part(w));
	*token = 0;
	dbl_enqueue_args(w, own, nonce, "", args);
	/* Nobody has to be told at an address; mode, weight and capacity follow the value. */
	memmove(&args[DBL_ENQUEUE_ADDRESS], &args[DBL_ENQUEUE_ADDRESS + 1], 3 * sizeof(*args));
	args[DBL_ENQUEUE_ADDRESS + 3] = dbl_int(w->blocks);
	args[DBL_ENQUEUE_ADDRESS + 4] = dbl_int(own->beat_there);
	return dbl_link_run(locks->link, &request, err);
}

int dbl_announce(struct dbl_locks *locks, const char *name, enum dbl_change change,
		 int64_t deadline, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(name), dbl_int(change)};
	struct dbl_request request = {
		.op = DBL_OP_announce, .args = DBL_ARGS(args), .deadline = deadline};

	return dbl_link_run(locks->link, &request, err);
}

int dbl_dequeue(struct dbl_locks *locks, const char *name, int64_t nonce, int64_t deadline,
		bool *certain, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(name), dbl_int(nonce)};
	struct dbl_request request = {
		.op = DBL_OP_dequeue, .args = DBL_ARGS(args), .deadline = deadline};
	int rc;

	DBL_ASSERT(nonce != 0);
	rc = dbl_link_run(locks->link, &request, err);
	*certain = request.certain;
	return rc;
}

int dbl_give_back(struct dbl_locks *locks, const char *name, int64_t nonce, int64_t deadline,
		  struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(name), dbl_int(nonce)};
	struct dbl_request request = {
		.op = DBL_OP_give_back, .args = DBL_ARGS(args), .deadline = deadline};

	DBL_ASSERT(nonce != 0); /* the rest of a minimum hold has none, and would go */
	return dbl_link_run(locks->link, &request, err);
}

void dbl_dequeue_served_soon(struct dbl_locks *locks)
{
	atomic_store(&locks->dequeue_due, true);
	dbl_session_errand(locks->session, locks->target->dialect->served_us);
}

void dbl_dequeue_served(struct dbl_locks *locks, struct dbl_link *link, int64_t deadline)
{
	struct dbl_epoch *epoch;
	struct dbl_value id;
	struct dbl_request request = {
		.op = DBL_OP_dequeue_served, .args = DBL_ARG(id), .deadline = deadline};

	if (!atomic_exchange(&locks->dequeue_due, false))
		return;
	/* What an earlier epoch has left is deleted by the reaper. */
	if (dbl_session_epoch(locks->session, dbl_now(locks->env), &epoch, NULL))
		return;
	id = dbl_text(epoch->id);
	if (dbl_link_run(link, &request, NULL))
		atomic_store(&locks->dequeue_due, true);
	dbl_epoch_drop(epoch);
}

static int take_winner(void *ctx, const struct dbl_value *row)
{
	struct dbl_winner *winner = ctx;

	winner->token = row[0].i;
	winner->nonce = row[1].i;
	dbl_copy_text(winner->address, sizeof(winner->address), &row[2]);
	return 0;
}

static int take_winner_of_a_line(void *ctx, const struct dbl_value *row)
{
	struct dbl_winner *winner = ctx;

	take_winner(winner, row);
	if (row[3].type != DBL_NULL)
		winner->crowd = row[3].i ? DBL_CROWD : DBL_NO_CROWD;
	return 0;
}

static int take_winner_or_none(void *ctx, const struct dbl_value *row)
{
	struct dbl_winner *winner = ctx;

	take_winner(winner, row);
	/* Where somebody was granted the lock, all others have to wait. */
	winner->others = winner->nonce == 0 && row[3].i != 0;
	return 0;
}

/* Gives the lock to the first in the queue, and tells that waiter. */
static int give(struct dbl_locks *locks, struct dbl_request *request, struct dbl_winner *winner,
		struct dblock_error *err)
{
	int64_t token = request->args.list[1].i;
	int rc;

	*winner = (struct dbl_winner){.token = 0};
	request->ctx = winner;
	rc = dbl_link_run(locks->link, request, err);
	winner->done = rc == 0 && request->changed > 0;
	winner->resent = request->resent;
	DBL_ASSERT(!winner->done || winner->nonce == 0 || winner->token > token, "%lld after %lld",
		   (long long)winner->token, (long long)token);
	if (winner->done && winner->nonce)
		dbl_notifier_tell(locks, winner->address, winner->nonce, winner->token);
	return rc;
}

int dbl_hand_over(struct dbl_locks *locks, const char *name, int64_t token, struct dbl_value nonce,
		  int64_t deadline, struct dbl_winner *winner, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(name), dbl_int(token), nonce};
	struct dbl_request request = {.op = DBL_OP_hand_over,
				      .args = DBL_ARGS(args),
				      .row = take_winner_or_none,
				      .deadline = deadline};

	return give(locks, &request, winner, err);
}

int dbl_pass_on(struct dbl_locks *locks, const char *name, int64_t token, int64_t nonce,
		int64_t ticket, int64_t deadline, struct dbl_winner *winner,
		struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(name), dbl_int(token), dbl_int(nonce), dbl_int(ticket)};
	struct dbl_request request = {.op = DBL_OP_pass_on,
				      .args = DBL_ARGS(args),
				      .row = take_winner_of_a_line,
				      .deadline = deadline};

	DBL_ASSERT(ticket > 0 && nonce > 0, "%lld", (long long)ticket);
	return give(locks, &request, winner, err);
}
