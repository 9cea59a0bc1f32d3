/* SPDX-License-Identifier: MIT */
/* Tells the caller once a second that a statement is under way, and what it is at. That is asked over
 * a second connection, which is opened when a statement has taken a second; not where the database is a
 * file, which has nobody to ask. */
#include "driver/value.h"
#include "migrate/engine/job.h"

#define ANSWER_US 2000000

enum { DOING = 160 };

/* In this order, until one has something to say. Not every user may ask the first. */
static const enum dbl_op ways[] = {DBL_OP_migrate_progress, DBL_OP_migrate_state};

enum { WAYS = sizeof(ways) / sizeof(ways[0]), ALL_WAYS = (1 << WAYS) - 1 };

static bool is_watching(struct dbl_run *run, int64_t deadline)
{
	if (run->watch)
		return true;
	return dbl_db_open(&run->watch, dbl_target_past_pool(run->target), deadline, NULL) == 0;
}

/* Asks what our session is at; "" if that cannot be told. What fails once is not asked again. */
static void ask_doing(struct dbl_run *run, char doing[DOING])
{
	int64_t deadline = dbl_add(dbl_now(run->target->env), ANSWER_US);
	struct dbl_runner on;

	*doing = '\0';
	if (run->blind == ALL_WAYS || run->target->dialect->is_file)
		return;
	if (!is_watching(run, deadline)) {
		run->blind = ALL_WAYS;
		return;
	}
	on = dbl_runner_db(run->watch, run->target, run->set.scope, deadline);
	for (unsigned i = 0; i < WAYS && !*doing; i++) {
		if (!(run->blind & (1U << i)) &&
		    dbl_ask_text(on, ways[i], DBL_ARGS_OF(dbl_int(dbl_db_backend(run->db))), doing,
				 DOING, NULL))
			run->blind |= 1U << i;
	}
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
	int64_t took = doing ? dbl_now(job->target->env) - job->sent : 0;

	dbl_run_say(job->run, &(struct dblock_migrate_progress){.holder = "",
								.version = job->file->version,
								.name = job->file->name,
								.step = job->at,
								.steps = job->pieces->n,
								.took_ms = took / 1000,
								.doing = doing,
								.rows = *job->rows});
}

void dbl_job_ticks(struct dbl_job *job, bool on)
{
	bool told = on && job->which->progress && !job->own;

	dbl_db_tick(job->run->db, told ? tick : NULL, job);
}
