/* SPDX-License-Identifier: MIT */
/* A file that goes on in the middle does so in another session: what the statements before have
 * set there is gone. Settings are made again; what cannot be made again, a person has to say. */
#include <string.h>

#include "migrate/engine/job.h"

static int check_session(struct dbl_job *job, int64_t done, struct dblock_error *err)
{
	for (unsigned k = 1; k <= done; k++) {
		if (job->pieces.list[k - 1].statement.session == DBL_SESSION_THING)
			return dbl_job_stop(job, dbl_report_session(&job->about, k, err));
	}
	return 0;
}

int dbl_resume_check(struct dbl_job *job, const struct dbl_past *row, struct dblock_error *err)
{
	bool repeatable = dbl_job_repeatable(job);
	char sum[DBL_SHA256_HEX + 1];

	if (!repeatable && row->state != DBL_ROW_FAILED && row->begun != row->done)
		return dbl_job_stop(job, dbl_report_in_doubt(&job->about, err));
	if (row->done > job->pieces.n)
		return dbl_job_stop(job, dbl_report_edited(&job->about, err));
	if (!dbl_pieces_sum(&job->pieces, (unsigned)row->done, sum))
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	if (strcmp(sum, row->prefix) != 0)
		return dbl_job_stop(job, dbl_report_edited(&job->about, err));
	return repeatable ? 0 : check_session(job, row->done, err);
}

bool dbl_resume_wants(const struct dbl_job *job, unsigned k)
{
	return k <= job->row.done &&
	       job->pieces.list[k - 1].statement.session == DBL_SESSION_SETTING;
}

int dbl_resume_settings(struct dbl_job *job, struct dblock_error *err)
{
	int rc = 0;

	for (unsigned k = 1; rc == 0 && k <= job->row.done; k++) {
		if (dbl_resume_wants(job, k))
			rc = dbl_job_send(job, k, err);
	}
	if (rc == 0)
		job->about.at = 0;
	return rc;
}
