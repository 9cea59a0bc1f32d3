/* SPDX-License-Identifier: MIT */
#include "migrate/command/database.h"

#include "api/client.h"
#include "migrate/report/words.h"

#define WAIT_MS 60000

/* One call: which function it is, and its arguments. */
struct call {
	const char *command; /* the program's, for messages */
	int (*run)(const struct call *, const struct dbl_database *, struct dblock_error *err);
	dblock_database_cb *cb;
	dblock_waiting_cb *waiting;
	void *arg; /* for these two */
	int64_t wait_ms;
	bool force;
};

static int ask(const struct call *call, const char *url,
	       const struct dblock_client_options *options, struct dblock_error *err)
{
	struct dbl_client_config config;
	struct dbl_target target;
	int rc = dbl_config_read(&config, options, err);

	if (rc == 0 && !url)
		rc = dbl_fail(err, DBLOCK_E_INVALID, "the URL is NULL");
	if (rc)
		return rc;
	rc = dbl_target_init(&target, url, config.schema, config.prefix, dbl_env_system(), err);
	if (rc == 0)
		rc = call->run(call,
			       &(struct dbl_database){&target, config.timeout, call->cb, call->arg},
			       err);
	dbl_target_free(&target);
	return rc;
}

static int run(const struct call *call, const char *url,
	       const struct dblock_client_options *options, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int rc = ask(call, url, options, &heard);

	if (rc == DBLOCK_E_DENIED && !dbl_err_has_line(&heard, DBL_LINE_NEXT))
		dbl_err_line(&heard, DBL_LINE_NEXT,
			     "take the URL of a user who may, then run 'dblock migrate %s'",
			     call->command);
	if (rc < 0)
		dbl_words_next(&heard, rc, call->command);
	return dbl_tell(err, &heard, rc);
}

static int wait_for(const struct call *call, const struct dbl_database *database,
		    struct dblock_error *err)
{
	int64_t ms = call->wait_ms ? call->wait_ms : WAIT_MS;

	int rc = dbl_wait_ms_read(&ms, err);

	return rc ? rc
		  : dbl_database_wait(database, ms < 0 ? 0 : dbl_ms(ms), call->waiting, call->arg,
				      err);
}

int dblock_migrate_wait(const char *url, const struct dblock_client_options *options,
			int64_t wait_ms, dblock_waiting_cb *waiting, void *arg,
			struct dblock_error *err)
{
	const struct call call = {.command = "wait",
				  .run = wait_for,
				  .wait_ms = wait_ms,
				  .waiting = waiting,
				  .arg = arg};

	return run(&call, url, options, err);
}

static int create(const struct call *call, const struct dbl_database *database,
		  struct dblock_error *err)
{
	(void)call;
	return dbl_database_create(database, err);
}

int dblock_migrate_create(const char *url, const struct dblock_client_options *options,
			  dblock_database_cb *found, void *arg, struct dblock_error *err)
{
	const struct call call = {.command = "create", .run = create, .cb = found, .arg = arg};

	return run(&call, url, options, err);
}

static int drop(const struct call *call, const struct dbl_database *database,
		struct dblock_error *err)
{
	return dbl_database_drop(database, call->force, err);
}

int dblock_migrate_drop(const char *url, const struct dblock_client_options *options, bool force,
			dblock_database_cb *found, void *arg, struct dblock_error *err)
{
	const struct call call = {
		.command = "drop", .run = drop, .force = force, .cb = found, .arg = arg};

	return run(&call, url, options, err);
}
