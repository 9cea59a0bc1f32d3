/* SPDX-License-Identifier: MIT */
#include "lock/tx/histories.h"

#include <stdio.h>
#include <string.h>

#include "driver/value.h"
#include "session/lineage.h"

static int read_tip(struct dblock_tx *tx, struct dbl_tip *tip, struct dblock_error *err)
{
	struct dbl_value none = dbl_text("");
	struct dbl_request request = dbl_lineage_request(tip, &none, dbl_tx_deadline(tx));

	return dbl_db_run(tx->db, &request, err);
}

static int extend(struct dblock_tx *tx, const struct dbl_tip *tip, struct dblock_error *err)
{
	char id[33];
	struct dbl_value args[3];
	struct dbl_request request;

	if (dbl_random_hex(tx->target->env, id))
		return dbl_fail(err, DBLOCK_E_NOMEM, "no random numbers");
	request = dbl_lineage_extension(tip, id, args, dbl_tx_deadline(tx));
	return dbl_db_run(tx->db, &request, err);
}

static int take_first(void *ctx, const struct dbl_value *row)
{
	(void)snprintf(ctx, 33, "%.*s", (int)row[0].len, row[0].text);
	return 0;
}

int dbl_histories_read(struct dblock_tx *tx, bool begins, struct dbl_histories *h,
		       struct dblock_error *err)
{
	struct dbl_tip tip;
	struct dbl_request first = {.op = DBL_OP_history_first,
				    .row = take_first,
				    .ctx = h->first,
				    .deadline = dbl_tx_deadline(tx)};
	int rc = read_tip(tx, &tip, err);

	*h = (struct dbl_histories){.first = ""};
	if (rc == 0 && begins && (tip.n == 0 || tip.moved)) {
		rc = extend(tx, &tip, err);
		if (rc == 0)
			rc = read_tip(tx, &tip, err);
	}
	if (rc)
		return rc;
	if (!tip.moved)
		memcpy(h->newest, tip.id, sizeof(h->newest));
	return dbl_db_run(tx->db, &first, err);
}
