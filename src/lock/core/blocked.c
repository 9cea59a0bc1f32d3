/* SPDX-License-Identifier: MIT */
#include "lock/core/blocked.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "lock/core/value.h"
#include "sql/target.h"

/* The time for asking who blocks, once the caller's own time is over. */
#define TELL_US 1000000

/* The first column of blockers. */
enum { ROW, TABLE, NAMELESS };

struct answer {
	struct dbl_blocker *blocker;
	int64_t what;
};

static int take_blocker(void *ctx, const struct dbl_value *row)
{
	struct answer *answer = ctx;

	answer->what = row[0].i;
	answer->blocker->has_table = answer->what == TABLE;
	dbl_copy_text(answer->blocker->text, sizeof(answer->blocker->text), &row[1]);
	return 0;
}

/* The columns of branch_list. Which one of them it is nobody knows. */
static int take_name(void *ctx, const struct dbl_value *row)
{
	struct dbl_blocker *blocker = ctx;
	size_t len = strlen(blocker->text);

	(void)snprintf(blocker->text + len, sizeof(blocker->text) - len, "%s '%.*s'",
		       blocker->text[len - 1] == ')' ? ", of these:" : ",", (int)row[3].len,
		       row[3].text);
	return 0;
}

static void add_names(struct dbl_link *link, int64_t deadline, struct dbl_blocker *blocker)
{
	struct dbl_request request = {
		.op = DBL_OP_branch_list, .row = take_name, .ctx = blocker, .deadline = deadline};

	(void)dbl_link_run(link, &request, NULL);
}

void dbl_blocked_by(struct dbl_link *link, int64_t deadline, struct dbl_blocker *blocker)
{
	const struct dbl_names *names = &dbl_link_target(link)->names;
	struct dbl_value args[] = {dbl_text(names->schema), dbl_text(names->prefix)};
	struct answer answer = {blocker, ROW};
	struct dbl_request request = {.op = DBL_OP_blockers,
				      .args = DBL_ARGS(args),
				      .row = take_blocker,
				      .ctx = &answer,
				      .deadline = deadline};

	*blocker = (struct dbl_blocker){.text = ""};
	if (dbl_link_run(link, &request, NULL) == 0 && answer.what == NAMELESS)
		add_names(link, deadline, blocker);
}

int dbl_blocked_tell(struct dbl_link *link, int64_t deadline, const char *what, int code,
		     struct dblock_error *err)
{
	struct dbl_blocker blocker;

	dbl_blocked_by(link, deadline, &blocker);
	if (blocker.has_table)
		return dbl_fail(err, code, "%s: %s", what, blocker.text);
	return dbl_fail(
		err, code,
		"%s: another connection has a table of dblock locked, or its row (LOCK TABLE, "
		"ALTER TABLE, VACUUM FULL, a backup, or an open transaction); the server's "
		"list of connections shows whose%s%s",
		what, blocker.text[0] ? ", perhaps " : "", blocker.text);
}

int dbl_blocked_at_open(struct dbl_link *link, int64_t deadline, struct dblock_error *err)
{
	return dbl_blocked_tell(link, dbl_add(deadline, TELL_US), "no client could be opened",
				DBLOCK_E_BLOCKED, err);
}
