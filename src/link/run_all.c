/* SPDX-License-Identifier: MIT */
/* Several requests of one caller, which waits for all of them. */
#include "link/own.h"

static void send_together(struct dbl_link *link, struct dbl_member *const *members, unsigned n)
{
	struct dbl_connection *first = &link->connections[0];

	if (dbl_connection_enter(first, dbl_batch_deadline(members, n), NULL))
		return;
	(void)dbl_connection_serve(first, members, n); /* each member has the outcome */
	dbl_connection_leave(first);
}

static void send_those_that_join(struct dbl_link *link, struct dbl_member *members, unsigned n)
{
	struct dbl_member *together[DBL_BATCH_MAX];
	int64_t now = dbl_now(link->target->env);
	unsigned n_together = 0;

	for (unsigned i = 0; i < n; i++) {
		members[i].apart = true; /* until it was sent */
		members[i].gone = false;
		members[i].request->resent = false;
		if (dbl_batch_joins(link->target, together, n_together, &members[i], now))
			together[n_together++] = &members[i];
	}
	if (n_together > 1)
		send_together(link, together, n_together);
}

/* Perhaps again, after it may have been carried out once; not if the others took all the time. */
static void run_alone(struct dbl_link *link, struct dbl_member *member)
{
	struct dbl_request *request = member->request;
	bool late = dbl_now(link->target->env) >= request->deadline;
	bool unsure = !member->apart && member->rc == DBLOCK_E_UNSURE;
	int rc = late ? dbl_link_no_turn(member->err) : dbl_link_run(link, request, member->err);

	request->resent |= unsure && !late;
	if (unsure && rc < 0 && dbl_ops[request->op].kind != DBL_KIND_READ)
		rc = DBLOCK_E_UNSURE;
	if (rc < 0 && member->err)
		member->err->code = rc;
	member->rc = rc;
	member->apart = false;
}

/* One of the caller's releases came too late, if not this one: to send it again would tell nothing. */
static void found_nothing(struct dbl_member *member)
{
	member->rc = 0;
	member->request->changed = 0;
}

void dbl_link_run_all(struct dbl_link *link, struct dbl_member *members, unsigned n,
		      bool (*suits)(const struct dbl_member *))
{
	bool stops = false;

	DBL_ASSERT(n <= DBL_BATCH_MAX, "%u", n);
	send_those_that_join(link, members, n);
	for (unsigned i = 0; suits && i < n; i++)
		stops |= !members[i].apart && !suits(&members[i]);
	for (unsigned i = 0; i < n && !stops; i++) {
		struct dbl_member *m = &members[i];

		if (m->gone)
			found_nothing(m);
		else if (m->apart || dbl_link_may_send_again(link, m->rc, m->request))
			run_alone(link, m);
		stops = suits && !suits(m);
	}
}
