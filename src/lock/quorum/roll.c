/* SPDX-License-Identifier: MIT */
#include "lock/quorum/roll.h"

#include <string.h>

#include "lock/core/value.h"

enum { SETTING_MAX = 64 };

int dbl_roll_run(const struct dbl_roll *roll, unsigned i, enum dbl_op op, struct dbl_args args,
		 struct dblock_error *err)
{
	struct dbl_locks *member = roll->members[i];
	struct dbl_request request = {
		.op = op, .args = args, .deadline = dbl_locks_deadline(member)};
	int rc = dbl_link_run(member->link, &request, err);

	if (rc)
		dbl_err_prefix(err, "member %u", i + 1);
	return rc;
}

int dbl_roll_read(struct dbl_roll *roll, unsigned i, struct dblock_error *err)
{
	struct dbl_locks *member = roll->members[i];
	int rc = dbl_membership_verify(member->link, dbl_locks_deadline(member), &roll->is[i], err);

	if (rc)
		dbl_err_prefix(err, "member %u", i + 1);
	return rc;
}

static int take_setting(void *ctx, const struct dbl_value *row)
{
	dbl_copy_text(ctx, SETTING_MAX, &row[0]);
	return 0;
}

int dbl_roll_check_durable(const struct dbl_roll *roll, unsigned i, struct dblock_error *err)
{
	struct dbl_locks *member = roll->members[i];
	char setting[SETTING_MAX] = "";
	struct dbl_request request = {.op = DBL_OP_quorum_forgets,
				      .row = take_setting,
				      .ctx = setting,
				      .deadline = dbl_locks_deadline(member)};
	int rc = dbl_link_run(member->link, &request, err);

	if (rc == 0 && setting[0])
		rc = dbl_fail(
			err, DBLOCK_E_INVALID,
			"when its machine crashes it may forget votes, and two could hold one lock "
			"(%s): set that on, or, for tests, allow it (allow_forgetful, "
			"--allow-forgetful)",
			setting);
	if (rc)
		dbl_err_prefix(err, "member %u", i + 1);
	return rc;
}

int dbl_roll_refuse_same(unsigned one, unsigned other, struct dblock_error *err)
{
	return dbl_fail(
		err, DBLOCK_E_INVALID,
		"members %u and %u are one database, or one is a copy of the other: a member is to "
		"be a database of its own",
		one + 1, other + 1);
}

int dbl_roll_check_apart(const struct dbl_roll *roll, unsigned i, struct dblock_error *err)
{
	for (unsigned j = 0; j < i; j++) {
		if (roll->is[i].newest[0] && strcmp(roll->is[i].newest, roll->is[j].newest) == 0)
			return dbl_roll_refuse_same(j, i, err);
	}
	return 0;
}
