/* SPDX-License-Identifier: MIT */
#include "session/lineage.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "driver/value.h"

/* The columns of history_tip. */
enum { NUMBER, ID, NOTED, FACTS, KNOWN };

static void copy(char *to, size_t size, const struct dbl_value *text)
{
	(void)snprintf(to, size, "%.*s", (int)text->len, text->text);
}

static int take_tip(void *ctx, const struct dbl_value *row)
{
	struct dbl_tip *tip = ctx;
	char noted[sizeof(tip->facts)];

	tip->n = row[NUMBER].i;
	copy(tip->id, sizeof(tip->id), &row[ID]);
	copy(tip->facts, sizeof(tip->facts), &row[FACTS]);
	copy(noted, sizeof(noted), &row[NOTED]);
	tip->moved = strcmp(noted, tip->facts) != 0;
	tip->known = row[KNOWN].i != 0;
	return 0;
}

struct dbl_request dbl_lineage_request(struct dbl_tip *tip, const struct dbl_value *id,
				       int64_t deadline)
{
	*tip = (struct dbl_tip){.n = 0};
	return (struct dbl_request){.op = DBL_OP_history_tip,
				    .args = {id, 1},
				    .row = take_tip,
				    .ctx = tip,
				    .deadline = deadline};
}

static int read_tip(const struct dbl_lineage *lineage, struct dbl_link *link, int64_t deadline,
		    struct dbl_tip *tip, struct dblock_error *err)
{
	struct dbl_value id = dbl_text(lineage->id);
	struct dbl_request request = dbl_lineage_request(tip, &id, deadline);

	return dbl_link_run(link, &request, err);
}

struct dbl_request dbl_lineage_extension(const struct dbl_tip *tip, const char *id,
					 struct dbl_value args[3], int64_t deadline)
{
	args[0] = dbl_int(tip->n + 1);
	args[1] = dbl_text(id);
	args[2] = dbl_text(tip->facts);
	return (struct dbl_request){
		.op = DBL_OP_history_extend, .args = {args, 3}, .deadline = deadline};
}

/* Another client may be the first, which does as well. */
static int extend(const struct dbl_tip *tip, struct dbl_link *link, int64_t deadline,
		  struct dblock_error *err)
{
	char id[33];
	struct dbl_value args[3];
	struct dbl_request request;

	if (dbl_random_hex(dbl_link_target(link)->env, id))
		return dbl_fail(err, DBLOCK_E_NOMEM, "no random numbers");
	request = dbl_lineage_extension(tip, id, args, deadline);
	return dbl_link_run(link, &request, err);
}

bool dbl_lineage_may_differ(const struct dbl_lineage *lineage, const struct dbl_link *link)
{
	return !lineage->is_read || lineage->losses != dbl_link_losses(link);
}

int dbl_lineage_read(struct dbl_lineage *lineage, struct dbl_link *link, int64_t deadline,
		     enum dbl_branch *branch, struct dblock_error *err)
{
	int64_t losses = dbl_link_losses(link);
	struct dbl_tip tip = {.n = 0};
	int rc = read_tip(lineage, link, deadline, &tip, err);

	if (rc == 0 && (tip.n == 0 || tip.moved)) {
		rc = extend(&tip, link, deadline, err);
		/* Who may not write it goes by what others write. */
		if (rc == 0 || rc == DBLOCK_E_DENIED)
			rc = read_tip(lineage, link, deadline, &tip, err);
	}
	if (rc)
		return rc;
	if (lineage->id[0] && !tip.known) {
		*branch = DBL_BRANCH_OTHER;
		return 0;
	}
	*branch = !lineage->id[0] || strcmp(lineage->id, tip.id) == 0 ? DBL_BRANCH_SAME
								      : DBL_BRANCH_NEWER;
	lineage->newer = lineage->newer || *branch == DBL_BRANCH_NEWER;
	memcpy(lineage->id, tip.id, sizeof(lineage->id));
	lineage->is_read = true;
	lineage->losses = losses;
	return 0;
}
