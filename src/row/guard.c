/* SPDX-License-Identifier: MIT */
#include "row/guard.h"

#include "driver/value.h"

static int take_token(void *ctx, const struct dbl_value *row)
{
	*(int64_t *)ctx = row[0].i;
	return 0;
}

int dbl_guard(struct dblock_tx *tx, const char *name, int64_t token, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(name), dbl_int(token)};
	int64_t seen = -1;
	struct dbl_request request = {.op = DBL_OP_guard_raise,
				      .args = DBL_ARGS(args),
				      .row = take_token,
				      .ctx = &seen,
				      .deadline = dbl_tx_deadline(tx)};
	int rc = dbl_tx_check_open(tx, err);

	if (rc == 0)
		rc = dbl_tx_run_guarded(tx, dbl_tx_patience(tx), &request, err);
	if (rc || seen == token)
		return rc;
	return dbl_fail(err, DBLOCK_STALE,
			"'%s': its guard has seen a larger token than %lld; roll back", name,
			(long long)token);
}
