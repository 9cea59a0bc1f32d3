/* SPDX-License-Identifier: MIT */
/* What the caller is told of a transaction, and of its branches. */
#include "global/recover.h"

static int64_t number_of(const struct dbl_recovery *r, const struct dbl_place *place)
{
	return place ? place - r->places : -1;
}

static const struct dbl_prepared *find_prepared(const struct dbl_left *left, unsigned n)
{
	for (size_t i = 0; i < left->n; i++)
		if (left->list[i].xid.n == n && !left->list[i].over)
			return &left->list[i];
	return NULL;
}

static int tell_branch(struct dbl_recovery *r, const struct dbl_left *left, unsigned n,
		       const struct dbl_marks *marks)
{
	const struct dbl_prepared *p = find_prepared(left, n);
	struct dblock_branch branch = {.size = sizeof(branch),
				       .id = left->xid->id,
				       .number = n,
				       .state = DBLOCK_BRANCH_UNSEEN,
				       .client = -1};

	if (p) {
		branch.state = DBLOCK_BRANCH_PREPARED;
		branch.client = p->place;
	} else if (marks->seen & (1U << (n - 1))) {
		branch.state = DBLOCK_BRANCH_COMMITTED;
		branch.client = marks->place[n - 1];
	}
	return r->asked.branch(r->arg, &branch);
}

static int tell_branches(struct dbl_recovery *r, const struct dbl_left *left)
{
	unsigned most = left->n ? left->list[left->n - 1].xid.n : 0;
	struct dbl_marks marks;
	int rc = 0;

	dbl_marks_read(r, left->xid, &marks);
	if (left->parts > most && left->parts <= DBL_XID_MAX)
		most = (unsigned)left->parts;
	while (marks.seen >> most)
		most++;
	for (unsigned n = 1; n <= most && rc == 0; n++)
		rc = tell_branch(r, left, n, &marks);
	return rc;
}

int dbl_recovery_tell(struct dbl_recovery *r, const struct dbl_left *left,
		      enum dblock_recovered how, const char *text)
{
	const struct dblock_recovery found = {
		.size = sizeof(found),
		.outcome = how,
		.id = left->xid->id,
		.branches = (int64_t)left->n,
		.since_us = left->xid->since * 1000000,
		.text = text,
		.home = number_of(r, dbl_place_of_home(r, left->xid->home))};
	int rc = r->found ? r->found(r->arg, &found) : 0;

	return rc == 0 && r->asked.branch ? tell_branches(r, left) : rc;
}
