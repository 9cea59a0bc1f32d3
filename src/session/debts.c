/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/mem.h"
#include "driver/value.h"
#include "session/internal.h"

struct dbl_debt *dbl_debt_new(const char *name)
{
	size_t size = strlen(name) + 1;
	struct dbl_debt *debt = dbl_alloc(sizeof(*debt) + size);

	if (debt)
		memcpy(debt->name, name, size);
	return debt;
}

void dbl_debt_free(struct dbl_debt *debt)
{
	dbl_free(debt);
}

void dbl_session_give_back(struct dbl_session *session, struct dbl_debt *debt, int64_t token,
			   int64_t nonce)
{
	debt->token = token;
	debt->nonce = nonce;
	debt->until = dbl_now(session->env) + DBL_LATEST_ARRIVAL_US;
	dbl_lock(&session->mutex);
	debt->next = session->debts;
	session->debts = debt;
	dbl_unlock(&session->mutex);
}

/* True: nothing more to do for this one. */
static bool settle(struct dbl_session *session, const struct dbl_debt *debt, int64_t deadline)
{
	struct dbl_value args[] = {dbl_text(debt->name), dbl_int(debt->token),
				   dbl_int(debt->nonce)};
	struct dbl_value late[] = {args[0], args[2]};
	/* Asked before it is sent: while it is under way, or we are stopped, another copy may come.
	 */
	bool last = dbl_now(session->env) >= debt->until;
	struct dbl_request request = {
		.op = debt->token ? DBL_OP_release : DBL_OP_give_back,
		.args = debt->token ? args : late,
		.deadline = deadline,
	};

	if (dbl_link_run(session->link, &request, NULL))
		return false;
	/* A release that finds nothing has nothing left to release; a lost acquire that is not
	 * there yet may still come. */
	return request.changed > 0 || debt->token || last;
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

	for (debt = take_all(session); debt; debt = next) {
		next = debt->next;
		dbl_free(debt);
	}
}
