/* SPDX-License-Identifier: MIT */
#include "lock/quorum/init.h"

#include <stdio.h>
#include <string.h>

#include "driver/value.h"
#include "lock/quorum/roll.h"

#define MAX_TTL_DEFAULT_US 300000000

struct init {
	struct dbl_roll roll;
	const char *cluster;
	int64_t max_ttl;
	char identity[33];
	char roster[DBL_ROSTER_SIZE];
	unsigned joined; /* so many of them are, or were, told what they are to be */
};

static int read_all(struct init *init, struct dblock_error *err)
{
	int rc = 0;

	for (unsigned i = 0; i < init->roll.n && rc == 0; i++)
		rc = dbl_roll_read(&init->roll, i, err);
	return rc;
}

static int64_t newest_epoch(const struct init *init)
{
	int64_t newest = 0;

	for (unsigned i = 0; i < init->roll.n; i++)
		newest = init->roll.is[i].epoch > newest ? init->roll.is[i].epoch : newest;
	return newest;
}

/* It is one for which init has nothing to do, or which is to be completed by it. */
static bool is_in_order(const struct dbl_membership *is, int64_t epoch)
{
	return !is->cluster[0] || (is->state != DBL_MEMBER_CLOSED && is->epoch == epoch &&
				   !dbl_membership_is_copy(is));
}

/* Each is another database, and none is a member of another cluster, or as another number, or was
 * replaced. */
static int check_all(const struct init *init, struct dblock_error *err)
{
	int64_t epoch = newest_epoch(init);

	for (unsigned i = 0; i < init->roll.n; i++) {
		const struct dbl_membership *is = &init->roll.is[i];

		if (dbl_roll_check_apart(&init->roll, i, err))
			return DBLOCK_E_INVALID;
		if (is->cluster[0] &&
		    (strcmp(is->cluster, init->cluster) != 0 || is->members != init->roll.n ||
		     is->number != i + 1 || strcmp(is->identity, init->identity) != 0))
			return dbl_fail(
				err, DBLOCK_E_INVALID,
				"member %u is already member %lld of %lld of the cluster '%s'",
				i + 1, (long long)is->number, (long long)is->members, is->cluster);
		if (!is_in_order(is, epoch)) {
			int rc = dbl_membership_refuse(is, err);

			dbl_err_prefix(err, "member %u", i + 1);
			return rc;
		}
	}
	return 0;
}

/* Votes are given only when all members have a row: who has none beside one that votes has
 * forgotten what it voted for, and two majorities could meet nowhere but there. */
static int check_forgotten(const struct init *init, struct dblock_error *err)
{
	const struct dbl_membership *votes = NULL, *blank = NULL;

	for (unsigned i = 0; i < init->roll.n; i++) {
		if (!init->roll.is[i].cluster[0])
			blank = blank ? blank : &init->roll.is[i];
		else if (init->roll.is[i].state != DBL_MEMBER_NEW)
			votes = &init->roll.is[i];
	}
	if (!votes || !blank)
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID,
			"member %u is blank, though the cluster '%s' is complete: it may have "
			"forgotten votes: run 'dblock quorum replace'",
			(unsigned)(blank - init->roll.is) + 1, votes->cluster);
}

/* What was begun is completed, by the number and the max_ttl that it began with. */
static int go_on_with(struct init *init, const struct dbl_membership *is, struct dblock_error *err)
{
	memcpy(init->identity, is->identity, sizeof(init->identity));
	if (init->max_ttl && init->max_ttl != is->max_ttl)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"max_ttl_ms is %lld; the cluster '%s' was made with %lld",
				(long long)init->max_ttl / 1000, is->cluster,
				(long long)is->max_ttl / 1000);
	init->max_ttl = is->max_ttl;
	return 0;
}

static int choose_identity(struct init *init, struct dblock_error *err)
{
	for (unsigned i = 0; i < init->roll.n; i++) {
		if (init->roll.is[i].cluster[0])
			return go_on_with(init, &init->roll.is[i], err);
	}
	init->max_ttl = init->max_ttl ? init->max_ttl : MAX_TTL_DEFAULT_US;
	if (dbl_random_hex(init->roll.members[0]->env, init->identity))
		return dbl_fail(err, DBLOCK_E_NOMEM, "no random numbers");
	return 0;
}

static int join_all(struct init *init, struct dblock_error *err)
{
	int rc = 0;

	for (; init->joined < init->roll.n && rc == 0; init->joined += rc == 0) {
		unsigned i = init->joined;
		struct dbl_value args[] = {dbl_text(init->cluster),
					   dbl_text(init->identity),
					   dbl_int(1),
					   dbl_int(init->roll.n),
					   dbl_int(i + 1),
					   dbl_int(DBL_MEMBER_NEW),
					   dbl_text(init->roll.is[i].newest),
					   dbl_text(""),
					   dbl_int(init->max_ttl)};

		rc = dbl_roll_run(&init->roll, i, DBL_OP_quorum_join, DBL_ARGS(args), err);
	}
	return rc;
}

/* None has voted yet. The first error is the one that is told. */
static void leave_all(struct init *init)
{
	struct dbl_value args[] = {dbl_text(init->identity)};

	for (unsigned i = 0; i <= init->joined && i < init->roll.n; i++)
		(void)dbl_roll_run(&init->roll, i, DBL_OP_quorum_leave, DBL_ARGS(args), NULL);
}

static int open_all(struct init *init, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(init->identity), dbl_int(1), dbl_text(init->roster)};
	size_t len = 0;
	int rc = 0;

	for (unsigned i = 0; i < init->roll.n; i++)
		len += (size_t)snprintf(init->roster + len, sizeof(init->roster) - len, "%s%s",
					i ? " " : "", init->roll.is[i].newest);
	args[2] = dbl_text(init->roster);
	for (unsigned i = 0; i < init->roll.n && rc == 0; i++)
		rc = dbl_roll_run(&init->roll, i, DBL_OP_quorum_open, DBL_ARGS(args), err);
	if (rc)
		dbl_err_suffix(err, "; do it again, to complete the cluster");
	return rc;
}

int dbl_quorum_init(struct dbl_locks *const members[], unsigned n, const char *cluster,
		    int64_t max_ttl, bool allow_forgetful, struct dblock_error *err)
{
	struct init init = {
		.roll = {.members = members, .n = n}, .cluster = cluster, .max_ttl = max_ttl};
	int rc = read_all(&init, err);

	for (unsigned i = 0; i < n && rc == 0 && !allow_forgetful; i++)
		rc = dbl_roll_check_durable(&init.roll, i, err);
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
