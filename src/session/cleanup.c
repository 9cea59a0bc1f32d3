/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "driver/value.h"
#include "session/internal.h"

static void keep(struct dbl_session *session, struct dbl_cleanup *cleanup, int64_t token,
		 int64_t nonce)
{
	DBL_ASSERT(nonce != 0 && token >= 0, "%lld", (long long)token); /* else it is anybody's */
	DBL_ASSERT(!cleanup->next && cleanup->nonce == 0);              /* it is not kept already */
	cleanup->token = token;
	cleanup->nonce = nonce;
	cleanup->until = dbl_now(session->env) + DBL_LATEST_ARRIVAL_US;
	dbl_lock(&session->mutex);
	cleanup->next = session->cleanups;
	session->cleanups = cleanup;
	dbl_unlock(&session->mutex);
	dbl_session_errand(session, 0);
}

void dbl_session_give_back(struct dbl_session *session, struct dbl_cleanup *cleanup, int64_t token,
			   int64_t nonce)
{
	keep(session, cleanup, token, nonce);
}

void dbl_session_leave_queue(struct dbl_session *session, struct dbl_cleanup *cleanup,
			     int64_t nonce)
{
	cleanup->in_queue = cleanup->unannounced = true;
	keep(session, cleanup, 0, nonce);
}

static int run(struct dbl_session *session, enum dbl_op op, struct dbl_args args, int64_t deadline,
	       int64_t *changed)
{
	struct dbl_request request = {.op = op, .args = args, .deadline = deadline};
	int rc = dbl_link_run(session->link, &request, NULL);

	*changed = request.changed;
	return rc;
}

/* Free what its nonce was granted, and see to the queue. False: to be done again. */
static bool give_back(struct dbl_session *session, const struct dbl_cleanup *cleanup,
		      int64_t deadline, int64_t *granted)
{
	struct dbl_value args[] = {dbl_text(cleanup->name), dbl_int(cleanup->nonce)};

	if (run(session, DBL_OP_give_back, DBL_ARGS(args), deadline, granted))
		return false;
	if (*granted > 0 && session->options.freed)
		session->options.freed(session->options.ctx, cleanup->name, deadline);
	return true;
}

/* A release: with its minimum hold, if it has one; and where others wait without regard to how
 * their queue changes just now, which would stop a hand-over. What is not found needs no release.
 * */
static bool resolve_release(struct dbl_session *session, const struct dbl_cleanup *cleanup,
			    int64_t deadline)
{
	struct dbl_value args[] = {dbl_text(cleanup->name), dbl_int(cleanup->token),
				   dbl_int(cleanup->nonce)};
	int64_t changed;

	if (run(session, DBL_OP_release, DBL_ARGS(args), deadline, &changed))
		return false;
	return changed > 0 || give_back(session, cleanup, deadline, &changed);
}

/* Out of the queue, and say so: from then on it is granted nothing. False: to be done again. */
static bool leave_queue(struct dbl_session *session, struct dbl_cleanup *cleanup,
			struct dbl_args args, int64_t deadline)
{
	struct dbl_value change[] = {args.list[0], dbl_int(1)}; /* somebody has left: see queue.h */
	int64_t left, ignored;

	if (run(session, DBL_OP_dequeue, args, deadline, &left))
		return false;
	cleanup->unannounced |= left > 0;
	cleanup->left |= left > 0;
	if (cleanup->unannounced &&
	    run(session, DBL_OP_announce, DBL_ARGS(change), deadline, &ignored))
		return false;
	cleanup->unannounced = false;
	return true;
}

/* A nonce that nobody wants: back with what it was granted. What is not there yet may still come.
 */
static bool resolve_nonce(struct dbl_session *session, struct dbl_cleanup *cleanup,
			  int64_t deadline)
{
	struct dbl_value args[] = {dbl_text(cleanup->name), dbl_int(cleanup->nonce)};
	/* Asked before it is sent: while it is under way, or we are stopped, another copy may come.
	 */
	bool last = dbl_now(session->env) >= cleanup->until;
	int64_t granted;

	if (cleanup->in_queue && !leave_queue(session, cleanup, DBL_ARGS(args), deadline))
		return false;
	/* It may have stood before others, or held what they wait for. */
	if (cleanup->left && session->options.freed)
		session->options.freed(session->options.ctx, cleanup->name, deadline);
	cleanup->left = false;
	return give_back(session, cleanup, deadline, &granted) && (granted > 0 || last);
}

/* True: nothing more to do for this one. */
static bool settle(struct dbl_session *session, struct dbl_cleanup *cleanup, int64_t deadline)
{
	DBL_ASSERT(!cleanup->in_queue || cleanup->token == 0, "%lld", (long long)cleanup->token);
	DBL_ASSERT(cleanup->in_queue || (!cleanup->left && !cleanup->unannounced));
	return cleanup->token ? resolve_release(session, cleanup, deadline)
			      : resolve_nonce(session, cleanup, deadline);
}

static struct dbl_cleanup *take_all(struct dbl_session *session)
{
	struct dbl_cleanup *all;

	dbl_lock(&session->mutex);
	all = session->cleanups;
	session->cleanups = NULL;
	dbl_unlock(&session->mutex);
	return all;
}

static void put_back(struct dbl_session *session, struct dbl_cleanup *cleanup)
{
	dbl_lock(&session->mutex);
	cleanup->next = session->cleanups;
	session->cleanups = cleanup;
	dbl_unlock(&session->mutex);
}

void dbl_cleanups_run(struct dbl_session *session, int64_t deadline)
{
	struct dbl_cleanup *cleanup, *next;

	for (cleanup = take_all(session); cleanup; cleanup = next) {
		next = cleanup->next;
		if (dbl_now(session->env) < deadline && settle(session, cleanup, deadline))
			dbl_free(cleanup);
		else
			put_back(session, cleanup);
	}
}

void dbl_cleanups_free(struct dbl_session *session)
{
	struct dbl_cleanup *cleanup, *next;

	DBL_ASSERT(!session->heartbeat_thread.started); /* which may be settling them */
	for (cleanup = take_all(session); cleanup; cleanup = next) {
		next = cleanup->next;
		dbl_free(cleanup);
	}
}
