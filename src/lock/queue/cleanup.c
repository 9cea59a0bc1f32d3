/* SPDX-License-Identifier: MIT */
/* What the session still has to clean up in the database, carried out on its own connection: with
 * each heartbeat, until it is known to be done. */
#include "lock/queue/cleanup.h"

#include "driver/value.h"
#include "lock/queue/advance.h"

static int run(struct dbl_link *link, enum dbl_op op, struct dbl_args args, int64_t deadline,
	       int64_t *changed)
{
	struct dbl_request request = {.op = op, .args = args, .deadline = deadline};
	int rc = dbl_link_run(link, &request, NULL);

	*changed = request.changed;
	return rc;
}

/* Frees what the nonce was granted, and lets the next ones have it. False: to be done again. */
static bool give_back(struct dbl_locks *locks, const struct dbl_cleanup *cleanup,
		      struct dbl_link *link, int64_t deadline, int64_t *granted)
{
	struct dbl_value args[] = {dbl_text(cleanup->name), dbl_int(cleanup->nonce)};

	if (run(link, DBL_OP_give_back, DBL_ARGS(args), deadline, granted))
		return false;
	if (*granted > 0)
		(void)dbl_queue_advance(locks, cleanup->name, deadline, NULL);
	return true;
}

/* A release keeps the grant's minimum hold, if it has one. Where others wait, it takes no notice of
 * how their queue changes just now, which would stop a hand-over. What is not found needs no
 * release. */
static bool release(struct dbl_locks *locks, const struct dbl_cleanup *cleanup,
		    struct dbl_link *link, int64_t deadline)
{
	struct dbl_value args[] = {dbl_text(cleanup->name), dbl_int(cleanup->token),
				   dbl_int(cleanup->nonce)};
	int64_t changed;

	if (run(link, DBL_OP_release, DBL_ARGS(args), deadline, &changed))
		return false;
	return changed > 0 || give_back(locks, cleanup, link, deadline, &changed);
}

/* Once it is out of the queue, and that is announced, the nonce is granted nothing any more. False:
 * to be done again. */
static bool leave_queue(struct dbl_cleanup *cleanup, struct dbl_link *link, struct dbl_args args,
			int64_t deadline)
{
	struct dbl_value change[] = {args.list[0], dbl_int(1)}; /* somebody has left: see queue.h */
	int64_t left, ignored;

	if (run(link, DBL_OP_dequeue, args, deadline, &left))
		return false;
	cleanup->unannounced |= left > 0;
	cleanup->left |= left > 0;
	if (cleanup->unannounced &&
	    run(link, DBL_OP_announce, DBL_ARGS(change), deadline, &ignored))
		return false;
	cleanup->unannounced = false;
	return true;
}

/* Takes a nonce that nobody wants out of the queue, and back what it was granted. What is not there
 * yet may still come. */
static bool end_nonce(struct dbl_locks *locks, struct dbl_cleanup *cleanup, struct dbl_link *link,
		      int64_t deadline)
{
	struct dbl_value args[] = {dbl_text(cleanup->name), dbl_int(cleanup->nonce)};
	/* Asked before it is sent: while it is under way, or we are stopped, another copy may come. */
	bool last = dbl_now(locks->env) >= cleanup->until;
	int64_t granted;

	if (cleanup->in_queue && !leave_queue(cleanup, link, DBL_ARGS(args), deadline))
		return false;
	/* It may have stood before others, or held what they wait for. */
	if (cleanup->left)
		(void)dbl_queue_advance(locks, cleanup->name, deadline, NULL);
	cleanup->left = false;
	return give_back(locks, cleanup, link, deadline, &granted) && (granted > 0 || last);
}

bool dbl_clean_up(struct dbl_locks *locks, struct dbl_cleanup *cleanup, struct dbl_link *link,
		  int64_t deadline)
{
	DBL_ASSERT(!cleanup->in_queue || cleanup->token == 0, "%lld", (long long)cleanup->token);
	DBL_ASSERT(cleanup->in_queue || (!cleanup->left && !cleanup->unannounced));
	return cleanup->token ? release(locks, cleanup, link, deadline)
			      : end_nonce(locks, cleanup, link, deadline);
}
