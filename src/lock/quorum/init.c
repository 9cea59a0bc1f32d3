/* SPDX-License-Identifier: MIT */
#include "lock/quorum/init.h"

#include <stdio.h>
#include <string.h>

#include "driver/value.h"

struct init {
	struct dbl_locks *const *members;
	unsigned n;
	const char *cluster;
	int64_t max_ttl;
	char identity[33];
	char roster[DBL_ROSTER_SIZE];
	struct dbl_membership is[DBL_QUORUM_MAX];
	unsigned joined; /* so many of them are, or were, told what they are to be */
};

static int run(const struct init *init, unsigned i, enum dbl_op op, struct dbl_args args,
	       struct dblock_error *err)
{
	struct dbl_locks *member = init->members[i];
	struct dbl_request request = {
		.op = op, .args = args, .deadline = dbl_locks_deadline(member)};
	int rc = dbl_link_run(member->link, &request, err);

	if (rc)
		dbl_err_prefix(err, "member %u", i + 1);
	return rc;
}

static int read_all(struct init *init, struct dblock_error *err)
{
	for (unsigned i = 0; i < init->n; i++) {
		struct dbl_locks *member = init->members[i];
		int rc = dbl_membership_read(member->link, dbl_locks_deadline(member), &init->is[i],
					     err);

		if (rc) {
			dbl_err_prefix(err, "member %u", i + 1);
			return rc;
		}
	}
	return 0;
}

/* Each is another database, and none is a member of another cluster, or as another number. */
static int check_all(const struct init *init, struct dblock_error *err)
{
	for (unsigned i = 0; i < init->n; i++) {
		const struct dbl_membership *is = &init->is[i];

		for (unsigned j = 0; j < i; j++) {
			if (strcmp(is->newest, init->is[j].newest) == 0)
				return dbl_fail(
					err, DBLOCK_E_INVALID,
					"members %u and %u are one database, or one is a copy of "
					"the other: a member is to be a database of its own",
					j + 1, i + 1);
		}
		if (is->cluster[0] &&
		    (strcmp(is->cluster, init->cluster) != 0 || is->members != init->n ||
		     is->number != i + 1 || strcmp(is->identity, init->identity) != 0))
			return dbl_fail(
				err, DBLOCK_E_INVALID,
				"member %u is already member %lld of %lld of the cluster '%s'",
				i + 1, (long long)is->number, (long long)is->members, is->cluster);
	}
	return 0;
}

/* Votes are given only when all members have a row: who has none beside one that votes has forgotten what it
 * voted for, and two majorities could meet nowhere but there. */
static int check_forgotten(const struct init *init, struct dblock_error *err)
{
	const struct dbl_membership *votes = NULL, *blank = NULL;

	for (unsigned i = 0; i < init->n; i++) {
		if (!init->is[i].cluster[0])
			blank = blank ? blank : &init->is[i];
		else if (init->is[i].state != DBL_MEMBER_NEW)
			votes = &init->is[i];
	}
	if (!votes || !blank)
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID,
			"member %u is blank, though the cluster '%s' is complete: it may have "
			"forgotten votes: run 'dblock quorum replace'",
			(unsigned)(blank - init->is) + 1, votes->cluster);
}

/* What was begun is completed, by the number that it began with. */
static int choose_identity(struct init *init, struct dblock_error *err)
{
	for (unsigned i = 0; i < init->n; i++) {
		if (init->is[i].cluster[0]) {
			memcpy(init->identity, init->is[i].identity, sizeof(init->identity));
			return 0;
		}
	}
	if (dbl_random_hex(init->members[0]->env, init->identity))
		return dbl_fail(err, DBLOCK_E_NOMEM, "no random numbers");
	return 0;
}

static int join_all(struct init *init, struct dblock_error *err)
{
	int rc = 0;

	for (; init->joined < init->n && rc == 0; init->joined += rc == 0) {
		unsigned i = init->joined;
		struct dbl_value args[] = {dbl_text(init->cluster),
					   dbl_text(init->identity),
					   dbl_int(init->n),
					   dbl_int(i + 1),
					   dbl_text(init->is[i].newest),
					   dbl_int(init->max_ttl)};

		rc = run(init, i, DBL_OP_quorum_join, DBL_ARGS(args), err);
	}
	return rc;
}

/* None has voted yet. The first error is the one that is told. */
static void leave_all(struct init *init)
{
	struct dbl_value args[] = {dbl_text(init->identity)};

	for (unsigned i = 0; i <= init->joined && i < init->n; i++)
		(void)run(init, i, DBL_OP_quorum_leave, DBL_ARGS(args), NULL);
}

static int open_all(struct init *init, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(init->identity), dbl_int(1), dbl_text(init->roster)};
	size_t len = 0;
	int rc = 0;

	for (unsigned i = 0; i < init->n; i++)
		len += (size_t)snprintf(init->roster + len, sizeof(init->roster) - len, "%s%s",
					i ? " " : "", init->is[i].newest);
	args[2] = dbl_text(init->roster);
	for (unsigned i = 0; i < init->n && rc == 0; i++)
		rc = run(init, i, DBL_OP_quorum_open, DBL_ARGS(args), err);
	if (rc)
		dbl_err_suffix(err, "; do it again, to complete the cluster");
	return rc;
}

int dbl_quorum_init(struct dbl_locks *const members[], unsigned n, const char *cluster,
		    int64_t max_ttl, struct dblock_error *err)
{
	struct init init = {.members = members, .n = n, .cluster = cluster, .max_ttl = max_ttl};
	int rc = read_all(&init, err);

	if (rc == 0)
		rc = choose_identity(&init, err);
	if (rc == 0)
		rc = check_all(&init, err);
	if (rc == 0)
		rc = check_forgotten(&init, err);
	if (rc)
		return rc;
	rc = join_all(&init, err);
	/* Somebody else may have been faster. */
	if (rc == 0)
		rc = read_all(&init, err);
	if (rc == 0)
		rc = check_all(&init, err);
	if (rc == 0)
		return open_all(&init, err);
	leave_all(&init);
	return rc;
}
