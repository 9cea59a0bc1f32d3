/* SPDX-License-Identifier: MIT */
#include "api/client.h"

#include "api/quorum.h"
#include "base/mem.h"
#include "lock/cache/cache.h"
#include "lock/cache/posted.h"
#include "lock/client.h"
#include "lock/core/blocked.h"
#include "lock/notify/notifier.h"
#include "lock/quorum/quorum.h"

int dbl_client_check_look(const struct dblock_client *client, struct dblock_error *err)
{
	if (!client)
		return dbl_fail(err, DBLOCK_E_INVALID, "client is NULL");
	if (dbl_host_pid() != client->pid)
		return dbl_fail(
			err, DBLOCK_E_FORKED,
			"the client was opened by process %lld; after a fork the child opens "
			"its own",
			(long long)client->pid);
	if (client->limits == DBL_LOCKS_ONLY)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"a client of several databases acquires exclusive locks, one at a "
				"time, and nothing else: for this, open one of a single database");
	return 0;
}

int dbl_client_refuse(const struct dblock_client *client, struct dblock_error *err)
{
	int rc = dbl_client_check_look(client, err);

	return rc ? rc
		  : dbl_fail(err, DBLOCK_E_INVALID,
			     "the client was opened only to look (observe): open another one");
}

/* A file has no connections to save. */
static void limit_connections(const struct dbl_target *target, struct dbl_client_config *config)
{
	if (target->dialect->is_file)
		config->connections = 0;
	config->parks = config->parks && config->connections == 1 && !target->direct &&
			target->durability != DBLOCK_RELAXED;
	if (config->connections)
		config->wake_off |= DBLOCK_WAKE_DOORBELL;
}

/* A statement on our tables was refused: the server says which, but not what to do. */
static int denied(const struct dbl_client_config *config, int rc, struct dblock_error *err)
{
	if (rc == DBLOCK_E_DENIED)
		dbl_err_suffix(err,
			       "; 'dblock doctor' says which rights this user lacks, and "
			       "docs/operator/sql.md has the grants%s",
			       config->observes ? ""
						: "; who only looks needs but the right to read "
						  "(dblock ls, show; a client's option observe)");
	return rc;
}

/* Connect, check the tables, begin the session. */
static int connect_client(struct dblock_client *client, const struct dbl_client_config *config,
			  struct dblock_error *err)
{
	struct dbl_session_options session = {.ttl = config->ttl,
					      .timeout = config->timeout,
					      .app = config->app,
					      .alive_fd = config->alive_fd};
	int64_t deadline = dbl_now(client->target.env) + config->timeout;
	struct dbl_link *link;
	int rc = dbl_link_new(&link, &client->target, err);

	if (rc)
		return rc;
	if (config->connections)
		dbl_link_single(link);
	if (config->connections == 1 && !client->target.direct)
		session.lender = link;
	session.parks = config->parks;
	rc = dbl_link_connect(link, deadline, err);
	if (rc == 0)
		rc = denied(
			config,
			dbl_migrate_check(link, config->bring_up, deadline, &client->tables, err),
			err);
	/* Only now may commits be less than durable: migrations are always durable. */
	if (rc == 0)
		rc = dbl_link_relax(link, deadline, err);
	if (rc == DBLOCK_E_BLOCKED)
		(void)dbl_blocked_at_open(link, deadline, err);
	if (rc) {
		dbl_link_free(link);
		return rc;
	}
	client->limits = config->observes ? DBL_LOOKS_ONLY : DBL_DOES_ALL;
	rc = config->observes ? dbl_locks_observe(&client->locks, link, config->timeout, err)
			      : dbl_locks_open(&client->locks, link, &session, deadline, err);
	if (rc || config->observes)
		return denied(config, rc, err);
	dbl_notifier_without(client->locks, config->wake_off, config->connections > 0);
	dbl_cache_turns(client->locks, config->local_turns);
	if (!config->post_releases || dbl_posted_start(client->locks, config->release_failed,
						       config->release_failed_arg) == 0)
		return 0;
	dbl_locks_close(client->locks);
	return dbl_fail(err, DBLOCK_E_NOMEM, "the release thread cannot be started");
}

static int open_client(struct dblock_client *client, const char *url,
		       const struct dblock_client_options *options, const struct dbl_env *env,
		       struct dblock_error *err)
{
	struct dbl_client_config config;
	int rc = dbl_config_read(&config, options, err);

	if (rc == 0 && !url)
		rc = dbl_fail(err, DBLOCK_E_INVALID, "the URL is NULL");
	if (rc == 0)
		rc = dbl_target_init(&client->target, url, config.schema, config.prefix, env, err);
	if (rc == 0)
		rc = dbl_target_endure(&client->target, config.durability, err);
	if (rc)
		return rc;
	limit_connections(&client->target, &config);
	dbl_target_writes(&client->target, !config.observes);
	client->tally.trace = config.trace;
	client->tally.listener = config.listener;
	dbl_target_count(&client->target, client->connections);
	if (dbl_pool_init(&client->pool, &client->target))
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	rc = connect_client(client, &config, err);
	client->pool.locks = client->locks;
	if (rc)
		dbl_pool_fini(&client->pool);
	return rc;
}

/* tally: NULL: its own. */
static int open_counted(const char *url, const struct dblock_client_options *options,
			const struct dbl_env *env, struct dbl_tally *tally,
			struct dblock_client **out, struct dblock_error *err)
{
	struct dblock_error heard = {0};
	struct dblock_client *client;
	int rc;

	if (!out)
		return dbl_fail(err, DBLOCK_E_INVALID, "client is NULL");
	*out = NULL;
	client = dbl_alloc(sizeof(*client));
	if (!client)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	client->pid = dbl_host_pid();
	client->connections = tally ? tally : &client->tally;
	rc = open_client(client, url, options, env, &heard);
	if (rc) {
		dbl_target_free(&client->target);
		dbl_free(client);
	} else {
		*out = client;
	}
	return dbl_tell(err, &heard, rc);
}

int dbl_client_open(const char *url, const struct dblock_client_options *options,
		    const struct dbl_env *env, struct dblock_client **out, struct dblock_error *err)
{
	return open_counted(url, options, env, NULL, out, err);
}

int dbl_client_open_member(const char *url, const struct dblock_client_options *options,
			   const struct dbl_env *env, struct dbl_tally *tally,
			   struct dblock_client **out, struct dblock_error *err)
{
	return open_counted(url, options, env, tally, out, err);
}

int dblock_open(const char *url, const struct dblock_client_options *options,
		struct dblock_client **client, struct dblock_error *err)
{
	DBL_UNCANCELED;

	return dbl_client_open(url, options, dbl_env_system(), client, err);
}

int64_t dblock_tables_version(const struct dblock_client *client, int64_t *known)
{
	if (known)
		*known = client ? client->tables.known : 0;
	return client ? client->tables.applied : 0;
}

void dblock_shutdown(struct dblock_client *client)
{
	if (!client || dbl_host_pid() != client->pid)
		return;
	if (client->limits == DBL_LOCKS_ONLY)
		dbl_quorum_shutdown(client->locks);
	else
		dbl_shutdown(client->locks);
}

/* In a child process the connections and the session are the parent's: nothing is closed, and the
 * memory goes with the process. */
static int check_closable(struct dblock_client *client, struct dblock_error *err)
{
	int rc;

	if (dbl_host_pid() != client->pid)
		return dbl_fail(err, DBLOCK_E_FORKED,
				"the client was opened by the parent process, which closes it");
	if (client->limits == DBL_LOCKS_ONLY)
		return 0;
	rc = dbl_locks_check_unused(client->locks, err);
	if (rc == 0 && atomic_load(&client->pool.n_taken) > 0)
		return dbl_fail(
			err, DBLOCK_E_INVALID,
			"the client cannot be closed: a transaction of it is open; end it by "
			"dblock_tx_close()");
	return rc;
}

int dblock_close(struct dblock_client *client, struct dblock_error *err)
{
	DBL_UNCANCELED;
	int rc = client ? check_closable(client, err) : 0;

	if (!client || rc)
		return rc;
	if (client->limits == DBL_LOCKS_ONLY)
		return dbl_client_quorum_close(client, err);
	dbl_pool_fini(&client->pool);
	dbl_locks_close(client->locks);
	dbl_target_free(&client->target);
	dbl_free(client);
	return DBLOCK_OK;
}
