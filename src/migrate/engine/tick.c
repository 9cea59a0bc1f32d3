/* SPDX-License-Identifier: MIT */
/* Tells the caller once a second that a statement is under way, and what it is at. That is asked over
 * a second connection, which is opened when a statement has taken a second. */
#include "driver/value.h"
#include "migrate/engine/job.h"

#define ANSWER_US 2000000

enum { DOING = 160 };

/* Asks what our session is at; "" if that cannot be told. One failure is enough to stop asking. */
static void ask_doing(struct dbl_run *run, char doing[DOING])
{
	int64_t deadline = dbl_add(dbl_now(run->target->env), ANSWER_US);
	struct dbl_runner on;

	*doing = '\0';
	if (run->blind)
		return;
	run->blind = true;
	if (!run->watch &&
	    dbl_db_open(&run->watch, dbl_target_past_pool(run->target), deadline, NULL))
		return;
	on = dbl_runner_db(run->watch, run->target, run->set.scope, deadline);
	run->blind = dbl_ask_text(on, DBL_OP_migrate_progress,
				  DBL_ARGS_OF(dbl_int(dbl_db_backend(run->db))), doing, DOING,
				  NULL) != 0;
}

static void tick(void *ctx)
{
	struct dbl_job *job = ctx;
	char doing[DOING];

	ask_doing(job->run, doing);
	dbl_job_say(job, doing);
}

void dbl_job_say(const struct dbl_job *job, const char *doing)
{
	int64_t took = dbl_now(job->target->env) - job->sent;

	dbl_run_say(job->run, &(struct dblock_migrate_progress){.holder = "",
								.version = job->file->version,
								.name = job->file->name,
								.step = job->at,
								.steps = job->pieces->n,
								.took_ms = took / 1000,
								.doing = doing});
}

void dbl_job_ticks(struct dbl_job *job, bool on)
{
	bool told = on && job->which->progress && !job->own;

	dbl_db_tick(job->run->db, told ? tick : NULL, job);
}
