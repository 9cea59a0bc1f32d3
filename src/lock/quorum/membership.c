/* SPDX-License-Identifier: MIT */
#include "lock/quorum/membership.h"

#include <string.h>

#include "lock/core/value.h"
#include "session/lineage.h"

/* The columns of quorum_read. */
enum { CLUSTER, IDENTITY, EPOCH, MEMBERS, NUMBER, STATE, HISTORY, ROSTER, MAX_TTL, NEWEST };

static int take(void *ctx, const struct dbl_value *row)
{
	struct dbl_membership *is = ctx;

	dbl_copy_text(is->cluster, sizeof(is->cluster), &row[CLUSTER]);
	dbl_copy_text(is->identity, sizeof(is->identity), &row[IDENTITY]);
	dbl_copy_text(is->history, sizeof(is->history), &row[HISTORY]);
	dbl_copy_text(is->roster, sizeof(is->roster), &row[ROSTER]);
	dbl_copy_text(is->newest, sizeof(is->newest), &row[NEWEST]);
	is->epoch = row[EPOCH].i;
	is->members = row[MEMBERS].i;
	is->number = row[NUMBER].i;
	is->state = row[STATE].i;
	is->max_ttl = row[MAX_TTL].i;
	return 0;
}

int dbl_membership_read(struct dbl_link *link, int64_t deadline, struct dbl_membership *is,
			struct dblock_error *err)
{
	struct dbl_request request = {
		.op = DBL_OP_quorum_read, .row = take, .ctx = is, .deadline = deadline};

	*is = (struct dbl_membership){.epoch = 0};
	return dbl_link_run(link, &request, err);
}

int dbl_membership_verify(struct dbl_link *link, int64_t deadline, struct dbl_membership *is,
			  struct dblock_error *err)
{
	struct dbl_lineage lineage = {.is_read = false};
	enum dbl_branch branch;
	int rc = dbl_lineage_read(&lineage, link, deadline, &branch, err);

	return rc ? rc : dbl_membership_read(link, deadline, is, err);
}

bool dbl_membership_is_copy(const struct dbl_membership *is)
{
	return is->cluster[0] && strcmp(is->history, is->newest) != 0;
}

bool dbl_membership_votes(const struct dbl_membership *is, const char *identity, int64_t epoch)
{
	return is->state == DBL_MEMBER_VOTES && strcmp(is->identity, identity) == 0 &&
	       is->epoch == epoch && !dbl_membership_is_copy(is);
}

int dbl_membership_refuse(const struct dbl_membership *is, struct dblock_error *err)
{
	if (!is->cluster[0])
		return dbl_fail(err, DBLOCK_E_INVALID,
				"it is no member of a cluster: run 'dblock quorum init', or, if it "
				"was one, 'dblock quorum replace'");
	if (dbl_membership_is_copy(is))
		return dbl_fail(
			err, DBLOCK_E_INVALID,
			"it was member %lld of the cluster '%s', but was restored, or failed "
			"over, since, and may have forgotten votes: run 'dblock quorum "
			"replace'",
			(long long)is->number, is->cluster);
	if (is->state == DBL_MEMBER_NEW)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"the cluster '%s' is not complete: run 'dblock quorum init' again",
				is->cluster);
	if (is->state == DBL_MEMBER_CLOSED)
		return dbl_fail(
			err, DBLOCK_E_UNAVAILABLE,
			"a member of the cluster '%s' is being replaced: run 'dblock quorum "
			"replace' again if that was broken off",
			is->cluster);
	return dbl_fail(err, DBLOCK_E_INVALID,
			"it is member %lld of %lld of the cluster '%s', epoch %lld, and the others "
			"are not: "
			"'dblock quorum status' tells",
			(long long)is->number, (long long)is->members, is->cluster,
			(long long)is->epoch);
}
