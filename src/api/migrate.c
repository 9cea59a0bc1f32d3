/* SPDX-License-Identifier: MIT */
#include <dblock/adopt.h>

#include "migrate/command/migrate.h"

#include <stdio.h>

#include "api/client.h"
#include "migrate/report/words.h"
#include "migrate/set/set.h"

enum what { UP, DOWN, STATUS, BASELINE, ADOPT, REPAIR, PLAN, DUMP, VERIFY };

/* One call: which function it is, and its arguments. */
struct call {
	enum what what;
	char command[DBL_COMMAND_TEXT]; /* the program's command, for messages */
	struct dbl_migrate ask;
	bool own; /* the library's own migrations */
	int64_t version;
	enum dblock_migrate_verdict verdict;
	const char *from;
	dblock_migrate_adopt_cb *told;
	dblock_migrate_planned_cb *planned;
	dblock_dump_cb *dumped;
	dblock_migrate_problem_cb *found;
	void *arg; /* for these four */
};

static int run(const struct call *call, struct dblock_error *err)
{
	switch (call->what) {
	case UP:
		return dbl_migrate_up(&call->ask, err);
	case DOWN:
		return dbl_migrate_down(&call->ask, err);
	case STATUS:
		return dbl_migrate_status(&call->ask, err);
	case BASELINE:
		return dbl_migrate_baseline(&call->ask, call->version, err);
	case ADOPT:
		return dbl_migrate_adopt(&call->ask, call->from, call->told, call->arg, err);
	case REPAIR:
		return dbl_migrate_repair(&call->ask, call->version, call->verdict, err);
	case PLAN:
		return dbl_migrate_plan(&call->ask, call->planned, call->arg, err);
	case DUMP:
		return dbl_migrate_dump(&call->ask, call->dumped, call->arg, err);
	case VERIFY:
		break;
	}
	return dbl_migrate_verify(&call->ask, call->found, call->arg, err);
}

static int ask(struct call *call, const char *url, const struct dblock_client_options *options,
	       const struct dblock_migrate_options *which, struct dblock_error *err)
{
	struct dblock_migrate_options ours = DBLOCK_MIGRATE_OPTIONS_INIT;
	struct dbl_client_config config;
	struct dbl_target target;
	int rc = dbl_config_read(&config, options, err);

	if (rc == 0 && !url)
		rc = dbl_fail(err, DBLOCK_E_INVALID, "the URL is NULL");
	if (rc == 0)
		rc = dbl_options_read(&ours, sizeof(ours), which, "DBLOCK_MIGRATE_OPTIONS", err);
	if (rc == 0 && (ours.to < 0 || ours.count < 0))
		rc = dbl_fail(err, DBLOCK_E_INVALID, "`to` and `count` cannot be below 0");
	if (rc == 0 && ours.lock_timeout_ms < 0 && ours.lock_timeout_ms != DBLOCK_FOREVER)
		rc = dbl_fail(err, DBLOCK_E_INVALID,
			      "lock_timeout_ms is %lld; below 0 it can only be DBLOCK_FOREVER",
			      (long long)ours.lock_timeout_ms);
	if (rc == 0)
		rc = dbl_wait_ms_read(&ours.wait_ms, err);
	if (rc)
		return rc;
	call->ask.which = &ours;
	call->own = dbl_set_is_own(&ours);
	if (call->what == UP || call->what == DOWN)
		dbl_words_again(call->command, call->what == DOWN, &ours, 0);
	rc = dbl_target_init(&target, url, config.schema, config.prefix, dbl_env_system(), err);
	call->ask.target = &target;
	call->ask.timeout = config.timeout;
	if (rc == 0)
		rc = run(call, err);
	dbl_target_free(&target);
	return rc;
}

static int migrate(struct call *call, const char *url, const struct dblock_client_options *options,
		   const struct dblock_migrate_options *which, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int rc = ask(call, url, options, which, &heard);

	if (rc)
		dbl_words_next(&heard, rc, call->command);
	if (call->own)
		dbl_words_own(heard.message);
	return dbl_tell(err, &heard, rc);
}

int dblock_migrate_up(const char *url, const struct dblock_client_options *options,
		      const struct dblock_migrate_options *which, dblock_migration_cb *applied,
		      void *arg, struct dblock_error *err)
{
	struct call call = {.what = UP, .command = "up", .ask = {.cb = applied, .arg = arg}};

	return migrate(&call, url, options, which, err);
}

int dblock_migrate_down(const char *url, const struct dblock_client_options *options,
			const struct dblock_migrate_options *which, dblock_migration_cb *undone,
			void *arg, struct dblock_error *err)
{
	struct call call = {.what = DOWN, .command = "down", .ask = {.cb = undone, .arg = arg}};

	return migrate(&call, url, options, which, err);
}

int dblock_migrate_status(const char *url, const struct dblock_client_options *options,
			  const struct dblock_migrate_options *which, dblock_migration_cb *found,
			  void *arg, struct dblock_error *err)
{
	struct call call = {.what = STATUS, .command = "status", .ask = {.cb = found, .arg = arg}};

	if (!found)
		return dbl_fail(err, DBLOCK_E_INVALID, "the callback is NULL");
	return migrate(&call, url, options, which, err);
}

int dblock_migrate_baseline(const char *url, const struct dblock_client_options *options,
			    const struct dblock_migrate_options *which, int64_t version,
			    struct dblock_error *err)
{
	struct call call = {.what = BASELINE, .version = version};

	snprintf(call.command, sizeof(call.command), "baseline %lld", (long long)version);
	return migrate(&call, url, options, which, err);
}

int dblock_migrate_adopt(const char *url, const struct dblock_client_options *options,
			 const struct dblock_migrate_options *which, const char *from,
			 dblock_migrate_adopt_cb *told, void *arg, struct dblock_error *err)
{
	struct call call = {
		.what = ADOPT, .command = "adopt", .from = from, .told = told, .arg = arg};

	if (!which || (!which->dir && !which->files))
		return dbl_fail(
			err, DBLOCK_E_INVALID,
			"the library's own tables are of no other tool: give `dir` or `files`");
	return migrate(&call, url, options, which, err);
}

int dblock_migrate_repair(const char *url, const struct dblock_client_options *options,
			  const struct dblock_migrate_options *which, int64_t version,
			  enum dblock_migrate_verdict verdict, struct dblock_error *err)
{
	static const char *const verdicts[] = {
		[DBLOCK_MIGRATE_DONE] = "--done",
		[DBLOCK_MIGRATE_NOT_DONE] = "--not-done",
		[DBLOCK_MIGRATE_APPLIED] = "--applied",
		[DBLOCK_MIGRATE_FORGET] = "--forget",
		[DBLOCK_MIGRATE_RECHECKSUM] = "--rechecksum",
	};
	struct call call = {.what = REPAIR, .version = version, .verdict = verdict};

	if (verdict < DBLOCK_MIGRATE_DONE || verdict > DBLOCK_MIGRATE_RECHECKSUM)
		return dbl_fail(err, DBLOCK_E_INVALID, "there is no verdict %d", (int)verdict);
	snprintf(call.command, sizeof(call.command), "repair %lld %s", (long long)version,
		 verdicts[verdict]);
	return migrate(&call, url, options, which, err);
}

int dblock_migrate_plan(const char *url, const struct dblock_client_options *options,
			const struct dblock_migrate_options *which,
			dblock_migrate_planned_cb *planned, void *arg, struct dblock_error *err)
{
	struct call call = {.what = PLAN, .command = "plan", .planned = planned, .arg = arg};

	if (!planned)
		return dbl_fail(err, DBLOCK_E_INVALID, "the callback is NULL");
	return migrate(&call, url, options, which, err);
}

int dblock_migrate_verify(const char *url, const struct dblock_client_options *options,
			  const struct dblock_migrate_options *which,
			  dblock_migrate_problem_cb *found, void *arg, struct dblock_error *err)
{
	struct call call = {.what = VERIFY, .command = "verify", .found = found, .arg = arg};

	if (!found)
		return dbl_fail(err, DBLOCK_E_INVALID, "the callback is NULL");
	return migrate(&call, url, options, which, err);
}

int dblock_migrate_dump(const char *url, const struct dblock_client_options *options,
			const struct dblock_migrate_options *which, dblock_dump_cb *dumped,
			void *arg, struct dblock_error *err)
{
	struct call call = {.what = DUMP, .command = "dump", .dumped = dumped, .arg = arg};

	if (!dumped)
		return dbl_fail(err, DBLOCK_E_INVALID, "the callback is NULL");
	return migrate(&call, url, options, which, err);
}
