/* SPDX-License-Identifier: MIT */
#include <dblock/elect.h>

#include <string.h>

#include "api/client.h"
#include "lock/core/name.h"
#include "lock/lock.h"
#include "lock/recipes/elect.h"

#define EVERY_DEFAULT_MS 1000

int dblock_elect(struct dblock_client *client, const char *name,
		 const struct dblock_elect_options *options, struct dblock_lock **lock,
		 struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_elect_options o;
	struct dbl_acquire_spec spec;
	int rc = dbl_options_read(&o, sizeof(o), options, "DBLOCK_ELECT_OPTIONS", &heard);

	if (!lock)
		return dbl_fail(err, DBLOCK_E_INVALID, "lock is NULL");
	*lock = NULL;
	how.value = o.value;
	how.wait_ms = o.wait_ms;
	how.owner = o.owner;
	how.canceled = o.canceled;
	how.canceled_arg = o.canceled_arg;
	how.lost = o.lost;
	how.lost_arg = o.lost_arg;
	how.waiting = o.waiting;
	how.waiting_arg = o.waiting_arg;
	how.waiting_every_ms = o.waiting_every_ms;
	if (rc == 0)
		rc = dbl_spec_read(&spec, client, name, &how, &heard);
	if (rc)
		return dbl_tell(err, &heard, rc);
	spec.trouble = o.trouble;
	spec.trouble_arg = o.trouble_arg;
	return dbl_tell(err, &heard,
			(spec.wait_until ? dbl_lock_wait : dbl_lock_try)(client->locks, &spec, lock,
									 &heard));
}

int dblock_proclaim(struct dblock_lock *lock, const char *value, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int rc = dbl_lock_check_single(lock, &heard);

	if (rc == 0)
		rc = dbl_value_check(value, &heard);
	if (rc == 0)
		rc = dbl_lock_set_value(lock, value, &heard);
	return dbl_tell(err, &heard, rc);
}

/* Read the leader that the caller has seen; that struct may be larger than ours. */
static int read_seen(struct dblock_leader *seen, const struct dblock_client *client,
		     const char *name, const struct dblock_leader *leader, struct dblock_error *err)
{
	int rc = dbl_client_check_look(client, err);

	if (rc == 0)
		rc = dbl_name_check(name, err);
	if (rc == 0)
		rc = dbl_out_check(leader, "DBLOCK_LEADER", err);
	return rc ? rc : dbl_options_read(seen, sizeof(*seen), leader, "DBLOCK_LEADER", err);
}

/* Write the leader to the caller's struct, as far as that goes. */
static int show(struct dblock_leader *leader, const struct dbl_leader *now, const char *name,
		struct dblock_error *err)
{
	struct dblock_leader told = {.token = now->token, .pid = now->pid, .since_us = now->since};

	memcpy(told.value, now->value, sizeof(told.value));
	memcpy(told.host, now->host, sizeof(told.host));
	memcpy(told.app, now->app, sizeof(told.app));
	dbl_out_write(leader, &told, sizeof(told));
	return now->token ? 0 : dbl_fail(err, DBLOCK_STALE, "'%s': nobody leads", name);
}

int dblock_leader_of(struct dblock_client *client, const char *name, struct dblock_leader *leader,
		     struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dblock_leader seen;
	struct dbl_leader now;
	int rc = read_seen(&seen, client, name, leader, &heard);

	if (rc == 0)
		rc = dbl_leader_look(client->locks, name, &now, &heard);
	if (rc == 0)
		rc = show(leader, &now, name, &heard);
	return dbl_tell(err, &heard, rc);
}

static int read_watch(struct dbl_leader_watch *watch, const struct dblock_client *client,
		      const char *name, const struct dblock_watch_options *options,
		      struct dblock_error *err)
{
	struct dbl_acquire_spec spec = {.wait_until = DBL_NEVER};
	struct dblock_watch_options o;
	int rc = dbl_options_read(&o, sizeof(o), options, "DBLOCK_WATCH_OPTIONS", err);

	if (rc)
		return rc;
	*watch = (struct dbl_leader_watch){
		.name = name, .canceled = o.canceled, .canceled_arg = o.canceled_arg};
	rc = dbl_time_read(&watch->every, "every_ms", o.every_ms, DBLOCK_EVERY_MIN_MS,
			   DBLOCK_TIMEOUT_MAX_MS, EVERY_DEFAULT_MS, err);
	if (rc == 0)
		rc = dbl_wait_read(&spec, o.wait_ms, client->target.env, err);
	watch->until = spec.wait_until;
	return rc;
}

int dblock_leader_watch(struct dblock_client *client, const char *name,
			const struct dblock_watch_options *options, struct dblock_leader *leader,
			struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dbl_leader_watch watch;
	struct dblock_leader seen;
	struct dbl_leader now;
	int rc = read_seen(&seen, client, name, leader, &heard);

	if (rc == 0)
		rc = read_watch(&watch, client, name, options, &heard);
	if (rc == 0) {
		now = (struct dbl_leader){.token = seen.token};
		seen.value[sizeof(seen.value) - 1] = '\0';
		memcpy(now.value, seen.value, sizeof(now.value));
		rc = dbl_leader_await(client->locks, &watch, &now, &heard);
	}
	if (rc == 0)
		rc = show(leader, &now, name, &heard);
	return dbl_tell(err, &heard, rc);
}
