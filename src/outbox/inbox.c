/* SPDX-License-Identifier: MIT */
/*
 * A message has come: a row for each key of a source has the number of the last one, which is compared and set in one
 * statement, and kept for good. So nothing has to be purged, and no window of time is trusted. It has that one's random
 * id, too: another message of the same number is none that was had.
 */
#include "outbox/outbox.h"

#include "driver/value.h"

struct noted {
	int64_t prior, id; /* the number before it came; the id of the last one, now */
};

static int take(void *ctx, const struct dbl_value *row)
{
	*(struct noted *)ctx = (struct noted){row[0].i, row[1].i};
	return 0;
}

static int judge(const struct dbl_letter *l, const struct noted *noted, struct dblock_error *err)
{
	if (noted->prior < l->number)
		return 0;
	if (noted->prior == l->number && noted->id != l->id)
		return dbl_fail(
			err, DBLOCK_E_RESTORED,
			"'%s', key '%s': another message of number %lld was had before: the "
			"source was restored, or is another one",
			l->source, l->key, (long long)l->number);
	return dbl_fail(err, DBLOCK_DONE,
			"'%s', key '%s': number %lld was had before; %lld is the last", l->source,
			l->key, (long long)l->number, (long long)noted->prior);
}

int dbl_inbox_seen(struct dblock_tx *tx, const struct dbl_letter *l, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(l->source), dbl_text(l->key), dbl_int(l->number),
				   dbl_int(l->id)};
	struct noted noted;
	struct dbl_request request = {.op = DBL_OP_inbox_seen,
				      .args = DBL_ARGS(args),
				      .row = take,
				      .ctx = &noted,
				      .deadline = dbl_tx_deadline(tx)};
	int rc = dbl_tx_check_open(tx, err);

	if (rc == 0)
		rc = dbl_tx_run_guarded(tx, dbl_tx_patience(tx), &request, err);
	return rc ? rc : judge(l, &noted, err);
}
