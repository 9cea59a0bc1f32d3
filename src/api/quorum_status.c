/* SPDX-License-Identifier: MIT */
/* Looking at the members of a cluster: each is opened by a client of its own that only looks. */
#include <stdio.h>
#include <string.h>

#include "api/quorum.h"
#include "lock/quorum/quorum.h"
#include "lock/quorum/status.h"

struct asked {
	const char *const *urls;
	const struct dbl_env *env;
	struct dblock_client_options options;
	struct dblock_tuning tuning;
	const char *name;             /* of the lock, or NULL */
	char there[DBL_NAME_MAX + 1]; /* as members know it */
	struct dbl_seen seen[DBLOCK_QUORUM_MAX];
	struct dblock_holder *holders[DBLOCK_QUORUM_MAX];
};

/* ---- one member ------------------------------------------------------------------------------ */

static int keep(void *arg, const struct dblock_holder *holder)
{
	struct dblock_holder **copy = arg;

	*copy = dbl_holder_copy(holder);
	return *copy ? 1 : DBLOCK_E_NOMEM; /* an exclusive lock has one */
}

static bool is_had(const struct dblock_holder *h)
{
	return h && h->hold != DBLOCK_HOLD_FREE && !h->session_dead && !h->session_missing;
}

static void look_at_lock(struct asked *a, unsigned i, struct dblock_client *client)
{
	struct dbl_seen *seen = &a->seen[i];
	struct dblock_holder *h;
	int rc = dbl_client_show(client, a->there, keep, &a->holders[i], &seen->why);

	if (rc < 0)
		seen->rc = rc;
	if (rc == DBLOCK_E_NOMEM)
		(void)dbl_fail(&seen->why, rc, "out of memory");
	h = a->holders[i];
	if (h)
		h->name = a->name;
	if (!is_had(h))
		return;
	seen->host = h->host;
	seen->pid = h->pid;
	seen->token = h->token;
	seen->is_lease = h->hold != DBLOCK_HOLD_SESSION;
}

static void look(void *ctx, unsigned i)
{
	struct asked *a = ctx;
	struct dbl_seen *seen = &a->seen[i];
	struct dblock_client *client;

	seen->rc = dbl_client_open(a->urls[i], &a->options, a->env, &client, &seen->why);
	if (seen->rc)
		return;
	dbl_quorum_see(client->locks, seen);
	if (seen->rc == 0 && a->name)
		look_at_lock(a, i, client);
	(void)dblock_close(client, NULL);
}

/* ---- and all --------------------------------------------------------------------------------- */

static int tell_members(const struct asked *a, unsigned n, dblock_quorum_member_cb *found,
			void *arg)
{
	int rc = 0;

	for (unsigned i = 0; found && i < n && rc == 0; i++) {
		const struct dbl_seen *s = &a->seen[i];
		struct dblock_quorum_member member = {
			.size = sizeof(member),
			.given = i + 1,
			.state = s->state,
			.why = s->state == DBLOCK_MEMBER_VOTES ? "" : s->why.message,
			.code = s->rc,
			.cluster = s->is.cluster,
			.number = s->is.number,
			.members = s->is.members,
			.epoch = s->is.epoch,
			.max_ttl_ms = s->is.max_ttl / 1000,
			.history = s->is.history,
			.newest = s->is.newest,
			.holder = a->holders[i],
		};

		rc = found(arg, &member);
	}
	return rc;
}

static void tell_state(const struct asked *a, const struct dbl_sight *sight,
		       struct dblock_quorum_state *out)
{
	struct dblock_quorum_state state = {.majority = sight->majority,
					    .answering = sight->answering,
					    .voting = sight->voting,
					    .telling = sight->telling,
					    .granted = sight->granted,
					    .token = sight->token};

	if (sight->cluster) {
		memcpy(state.cluster, sight->cluster->cluster, sizeof(state.cluster));
		state.epoch = sight->cluster->epoch;
		state.max_ttl_ms = sight->cluster->max_ttl / 1000;
	}
	if (sight->holder) {
		(void)snprintf(state.host, sizeof(state.host), "%s", sight->holder->host);
		state.pid = sight->holder->pid;
	}
	for (unsigned i = 0; i < sight->n; i++)
		state.waiting += a->holders[i] ? a->holders[i]->waiting : 0;
	dbl_out_write(out, &state, sizeof(state));
}

int dbl_client_quorum_status(const char *const urls[], size_t n, const char *name,
			     const struct dblock_client_options *clients, const struct dbl_env *env,
			     dblock_quorum_member_cb *found, void *arg,
			     struct dblock_quorum_state *state, struct dblock_error *err)
{
	struct asked a = {.urls = urls, .env = env, .name = name};
	struct dbl_sight sight;
	int rc = state ? dbl_out_check(state, "DBLOCK_QUORUM_STATE", err) : 0;

	if (rc == 0)
		rc = dbl_quorum_options_read(&a.options, &a.tuning, urls, n, clients, err);
	if (rc == 0 && name)
		rc = dbl_name_check(name, err);
	if (rc == 0 && name)
		rc = dbl_quorum_name(a.there, name, err);
	if (rc)
		return rc;
	a.options.observe = true;
	a.options.auto_migrate = false;
	a.tuning.connections = 1;
	dbl_quorum_look(env, (unsigned)n, look, &a);
	dbl_quorum_judge(a.seen, (unsigned)n, &sight);
	if (state)
		tell_state(&a, &sight, state);
	rc = tell_members(&a, (unsigned)n, found, arg);
	for (size_t i = 0; i < n; i++)
		dblock_holder_free(a.holders[i]);
	return rc;
}

int dblock_quorum_status(const char *const urls[], size_t n, const char *name,
			 const struct dblock_client_options *clients,
			 dblock_quorum_member_cb *found, void *arg,
			 struct dblock_quorum_state *state, struct dblock_error *err)
{
	DBL_ENTRY(heard);

	return dbl_tell(err, &heard,
			dbl_client_quorum_status(urls, n, name, clients, dbl_env_system(), found,
						 arg, state, &heard));
}
