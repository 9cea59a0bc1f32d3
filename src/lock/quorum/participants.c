/* SPDX-License-Identifier: MIT */
#include "lock/quorum/participants.h"

#include <string.h>

/* Of another cluster, or as another one. */
static int check_place(const struct dbl_participants *p, unsigned i, struct dblock_error *err)
{
	const struct dbl_membership *is = &p->roll.is[i];

	if (p->known && strcmp(is->identity, p->known->identity) != 0)
		return dbl_fail(err, DBLOCK_E_INVALID, "member %u is one of another cluster, '%s'",
				i + 1, is->cluster);
	if (is->members == p->roll.n && is->number == i + 1)
		return 0;
	return dbl_fail(
		err, DBLOCK_E_INVALID,
		"member %u is member %lld of %lld of the cluster '%s': give all, in the order "
		"of their numbers",
		i + 1, (long long)is->number, (long long)is->members, is->cluster);
}

/* Why it does not take part, which is no error as long as enough others do. */
static int read_one(struct dbl_participants *p, unsigned i, struct dblock_error *why)
{
	const struct dbl_membership *is = &p->roll.is[i];
	int rc;

	if (!p->roll.members[i])
		return dbl_fail(why, DBLOCK_E_NO_ANSWER, "it does not answer");
	rc = dbl_roll_read(&p->roll, i, why);
	if (rc)
		return rc;
	if (!is->cluster[0] || is->state == DBL_MEMBER_NEW || dbl_membership_is_copy(is) ||
	    dbl_membership_comes(is))
		return dbl_membership_refuse(is, why);
	return 0;
}

static int add(struct dbl_participants *p, unsigned i, struct dblock_error *err)
{
	const struct dbl_membership *is = &p->roll.is[i];
	int rc = check_place(p, i, err);

	if (rc == 0)
		rc = dbl_roll_check_apart(&p->roll, i, err);
	if (rc)
		return rc;
	p->stays[i] = true;
	p->n_stay++;
	p->max_ttl = is->max_ttl > p->max_ttl ? is->max_ttl : p->max_ttl;
	if (!p->known || is->epoch > p->known->epoch)
		p->known = is;
	return 0;
}

/* One that was replaced says that it votes, in an epoch that it does not know to be over. Nobody
 * counts it any more: so none of those who do not know is told by it. */
static int check_members(const struct dbl_participants *p, struct dblock_error *err)
{
	for (unsigned i = 0; i < p->roll.n; i++) {
		if (p->stays[i] && !dbl_roster_is_marked(p->known->roster, i + 1) &&
		    !dbl_roster_has(p->known->roster, i + 1, p->roll.is[i].history))
			return dbl_fail(err, DBLOCK_E_INVALID,
					"what was given as member %u was replaced: give the "
					"database that is in its place",
					i + 1);
	}
	return 0;
}

static int read_stayers(struct dbl_participants *p, struct dblock_error *err)
{
	struct dblock_error why;
	unsigned first_out = 0;
	int rc = 0, why_rc = 0;

	p->n_stay = 0;
	p->known = NULL;
	for (unsigned i = 0; i < p->roll.n && rc == 0; i++) {
		struct dblock_error one;
		int out = i == p->at ? 0 : read_one(p, i, &one);

		p->stays[i] = false;
		if (i != p->at && out == 0)
			rc = add(p, i, err);
		if (out && !why_rc) {
			why = one;
			why_rc = out;
			first_out = i + 1;
		}
	}
	if (rc == 0)
		rc = check_members(p, err);
	if (rc || p->n_stay > p->roll.n / 2)
		return rc;
	return dbl_fail(
		err, why_rc,
		"of the members but that one %u are needed, and %u are there; member %u: %s",
		p->roll.n / 2 + 1, p->n_stay, first_out, why.message);
}

static int read_newcomer(struct dbl_participants *p, struct dblock_error *err)
{
	const struct dbl_membership *is = &p->roll.is[p->at];
	int rc = dbl_roll_read(&p->roll, p->at, err);

	for (unsigned i = 0; i < p->roll.n && rc == 0; i++) {
		if ((p->stays[i] && strcmp(is->newest, p->roll.is[i].newest) == 0) ||
		    (i != p->at && dbl_roster_has(p->known->roster, i + 1, is->newest)))
			return dbl_roll_refuse_same(i, p->at, err);
	}
	if (rc == 0 && is->cluster[0])
		rc = check_place(p, p->at, err);
	if (rc == 0 && is->cluster[0] && is->epoch > p->known->epoch)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"member %u is of a later epoch than the others", p->at + 1);
	return rc;
}

int dbl_participants_read(struct dbl_participants *p, struct dblock_error *err)
{
	int rc = read_stayers(p, err);

	return rc ? rc : read_newcomer(p, err);
}
