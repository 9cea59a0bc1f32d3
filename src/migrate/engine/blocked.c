/* SPDX-License-Identifier: MIT */
/* Tells who kept the lock that a statement has waited for in vain, as far as the database says. */
#include "base/err.h"
#include "base/utf8.h"
#include "driver/value.h"
#include "migrate/engine/job.h"

enum { STATEMENT_MAX = 4000 };

static int take_line(void *err, const struct dbl_value *row)
{
	dbl_err_line(err, DBL_LINE_MORE, "%.*s", (int)row[0].len, row[0].text);
	return 0;
}

void dbl_job_blocked(const struct dbl_job *job, struct dblock_error *err)
{
	struct dblock_error ignored;
	char sql[STATEMENT_MAX];
	const char *whole;
	struct dbl_value args[2];
	struct dbl_request request = {
		.op = DBL_OP_migrate_blockers,
		.args = DBL_ARGS(args),
		.row = take_line,
		.ctx = err,
		.deadline = dbl_run_deadline(job->run),
	};

	if (!job->blocked || job->at == 0 || job->at > job->pieces->n || !err)
		return;
	whole = dbl_piece_sql(job->pieces, job->at);
	dbl_utf8_cut(sql, sizeof(sql), whole ? whole : "");
	args[0] = dbl_int(job->which->lock_timeout_ms > 0 ? job->which->lock_timeout_ms : 0);
	args[1] = dbl_text(sql);
	(void)dbl_db_run(job->run->db, &request, &ignored);
}
