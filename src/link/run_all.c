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

/* Again, after it may have been carried out once. */
static void run_alone(struct dbl_link *link, struct dbl_member *member, bool unsure)
{
	member->rc = dbl_link_run(link, member->request, member->err);
	member->apart = false;
	member->request->resent |= unsure;
	if (unsure && member->rc < 0 && dbl_ops[member->request->op].kind != DBL_KIND_READ)
		member->rc = DBLOCK_E_UNSURE;
}

void dbl_link_run_all(struct dbl_link *link, struct dbl_member *members, unsigned n)
{
	struct dbl_member *together[DBL_BATCH_MAX];
	int64_t now = dbl_now(link->target->env);
	unsigned n_together = 0;

	DBL_ASSERT(n <= DBL_BATCH_MAX, "%u", n);
	for (unsigned i = 0; i < n; i++) {
		members[i].apart = true; /* until it was sent */
		members[i].request->resent = false;
		if (dbl_batch_joins(link->target, together, n_together, &members[i], now))
			together[n_together++] = &members[i];
	}
	if (n_together > 1)
		send_together(link, together, n_together);
	for (unsigned i = 0; i < n; i++) {
		struct dbl_member *m = &members[i];

		if (m->apart || dbl_link_may_send_again(link, m->rc, m->request))
			run_alone(link, m, !m->apart && m->rc == DBLOCK_E_UNSURE);
	}
}
