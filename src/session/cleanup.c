/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "driver/value.h"
#include "session/internal.h"

static void keep(struct dbl_session *session, struct dbl_debt *debt, int64_t token, int64_t nonce)
{
	DBL_ASSERT(nonce != 0 && token >= 0, "%lld", (long long)token); /* else it is anybody's */
	DBL_ASSERT(!debt->next && debt->nonce == 0);                    /* it is not kept already */
	debt->token = token;
	debt->nonce = nonce;
	debt->until = dbl_now(session->env) + DBL_LATEST_ARRIVAL_US;
	dbl_lock(&session->mutex);
	debt->next = session->debts;
	session->debts = debt;
	dbl_unlock(&session->mutex);
	dbl_session_errand(session, 0);
}

void dbl_session_give_back(struct dbl_session *session, struct dbl_debt *debt, int64_t token,
			   int64_t nonce)
{
	keep(session, debt, token, nonce);
}

void dbl_session_leave_line(struct dbl_session *session, struct dbl_debt *debt, int64_t nonce)
{
	debt->in_line = debt->unannounced = true;
	keep(session, debt, 0, nonce);
}

static int run(struct dbl_session *session, enum dbl_op op, struct dbl_args args, int64_t deadline,
	       int64_t *changed)
{
	struct dbl_request request = {.op = op, .args = args, .deadline = deadline};
	int rc = dbl_link_run(session->link, &request, NULL);

	*changed = request.changed;
	return rc;
}

/* Free what its nonce was granted, and see to the line. False: to be done again. */
static bool give_back(struct dbl_session *session, const struct dbl_debt *debt, int64_t deadline,
		      int64_t *granted)
{
	struct dbl_value args[] = {dbl_text(debt->name), dbl_int(debt->nonce)};

	if (run(session, DBL_OP_give_back, DBL_ARGS(args), deadline, granted))
		return false;
	if (*granted > 0 && session->options.freed)
		session->options.freed(session->options.ctx, debt->name, deadline);
	return true;
}

/* A release: with its minimum hold, if it has one; and where others wait without regard to how
 * their line changes just now, which would stop a hand-over. What is not found needs no release. */
static bool settle_release(struct dbl_session *session, const struct dbl_debt *debt,
			   int64_t deadline)
{
	struct dbl_value args[] = {dbl_text(debt->name), dbl_int(debt->token),
				   dbl_int(debt->nonce)};
	int64_t changed;

	if (run(session, DBL_OP_release, DBL_ARGS(args), deadline, &changed))
		return false;
	return changed > 0 || give_back(session, debt, deadline, &changed);
}

/* Out of the line, and say so: from then on it is granted nothing. False: to be done again. */
static bool leave_line(struct dbl_session *session, struct dbl_debt *debt, struct dbl_args args,
		       int64_t deadline)
{
	struct dbl_value change[] = {args.list[0], dbl_int(1)}; /* somebody has left: see queue.h */
	int64_t left, ignored;

	if (run(session, DBL_OP_dequeue, args, deadline, &left))
		return false;
	debt->unannounced |= left > 0;
	debt->left |= left > 0;
	if (debt->unannounced &&
	    run(session, DBL_OP_announce, DBL_ARGS(change), deadline, &ignored))
		return false;
	debt->unannounced = false;
	return true;
}

/* A nonce that nobody wants: back with what it was granted. What is not there yet may still come.
 */
static bool settle_nonce(struct dbl_session *session, struct dbl_debt *debt, int64_t deadline)
{
	struct dbl_value args[] = {dbl_text(debt->name), dbl_int(debt->nonce)};
	/* Asked before it is sent: while it is under way, or we are stopped, another copy may come.
	 */
	bool last = dbl_now(session->env) >= debt->until;
	int64_t granted;

	if (debt->in_line && !leave_line(session, debt, DBL_ARGS(args), deadline))
		return false;
	/* It may have stood before others, or held what they wait for. */
	if (debt->left && session->options.freed)
		session->options.freed(session->options.ctx, debt->name, deadline);
	debt->left = false;
	return give_back(session, debt, deadline, &granted) && (granted > 0 || last);
}

/* True: nothing more to do for this one. */
static bool settle(struct dbl_session *session, struct dbl_debt *debt, int64_t deadline)
{
	DBL_ASSERT(!debt->in_line || debt->token == 0, "%lld", (long long)debt->token);
	DBL_ASSERT(debt->in_line || (!debt->left && !debt->unannounced));
	return debt->token ? settle_release(session, debt, deadline)
			   : settle_nonce(session, debt, deadline);
}

static struct dbl_debt *take_all(struct dbl_session *session)
{
	struct dbl_debt *all;

	dbl_lock(&session->mutex);
	all = session->debts;
	session->debts = NULL;
	dbl_unlock(&session->mutex);
	return all;
}

static void put_back(struct dbl_session *session, struct dbl_debt *debt)
{
	dbl_lock(&session->mutex);
	debt->next = session->debts;
	session->debts = debt;
	dbl_unlock(&session->mutex);
}

void dbl_debts_settle(struct dbl_session *session, int64_t deadline)
{
	struct dbl_debt *debt, *next;

	for (debt = take_all(session); debt; debt = next) {
		next = debt->next;
		if (dbl_now(session->env) < deadline && settle(session, debt, deadline))
			dbl_free(debt);
		else
			put_back(session, debt);
	}
}

void dbl_debts_free(struct dbl_session *session)
{
	struct dbl_debt *debt, *next;

	DBL_ASSERT(!session->keeper.started); /* which may be settling them */
	for (debt = take_all(session); debt; debt = next) {
		next = debt->next;
		dbl_free(debt);
	}
}
