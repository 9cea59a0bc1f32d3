/* SPDX-License-Identifier: MIT */
/* Asks holders to let go. It reads who they are, then asks each by its token, so that a copy of the
 * statement that comes late asks nobody else. */
#include "lock/admin/request.h"

#include <stdio.h>

#include "lock/admin/reap.h"
#include "lock/core/name.h"
#include "lock/core/value.h"
#include "lock/notify/notifier.h"

enum { PAGE = 100 };

/* A grant whose holder is to be asked. */
struct target {
	char name[DBL_NAME_MAX + 1];
	int64_t token;
	char host[256];
	int64_t pid;
};

struct targets {
	struct target list[PAGE];
	unsigned n;
};

static int take_target(void *ctx, const struct dbl_value *row)
{
	struct targets *targets = ctx;
	struct target *t = &targets->list[targets->n];

	DBL_ASSERT(targets->n < PAGE && row[1].i > 0, "%u, token %lld", targets->n,
		   (long long)row[1].i);
	targets->n++;
	dbl_copy_text(t->name, sizeof(t->name), &row[0]);
	t->token = row[1].i;
	dbl_copy_text(t->host, sizeof(t->host), &row[2]);
	t->pid = row[3].i;
	return 0;
}

static int fetch(struct dbl_locks *locks, enum dbl_op op, struct dbl_args args,
		 struct targets *targets, struct dblock_error *err)
{
	struct dbl_request request = {.op = op,
				      .args = args,
				      .row = take_target,
				      .ctx = targets,
				      .deadline = dbl_locks_deadline(locks)};

	targets->n = 0;
	return dbl_link_run(locks->link, &request, err);
}

/* *n_asked goes up by one, unless that grant is over. */
static int ask(struct dbl_locks *locks, const struct target *t, const char *reason,
	       int64_t *n_asked, struct dblock_error *err)
{
	const struct dbl_host *host = locks->host;
	struct dbl_value args[] = {dbl_text(t->name),    dbl_int(t->token),  dbl_text(reason),
				   dbl_text(host->name), dbl_int(host->pid), dbl_text(host->app)};
	struct dbl_request request = {.op = DBL_OP_request,
				      .args = DBL_ARGS(args),
				      .deadline = dbl_locks_deadline(locks)};
	int rc = dbl_link_run(locks->link, &request, err);

	*n_asked += rc == 0 && request.changed > 0;
	return rc;
}

/* Notifies holders at the end, as one notification makes a client look for all requests to it. But
 * a process may have several clients, so each token is notified. */
static int ask_all(struct dbl_locks *locks, const struct targets *targets, const char *reason,
		   int64_t *n_asked, struct dblock_error *err)
{
	unsigned n = 0;
	int rc = 0;

	while (n < targets->n && (rc = ask(locks, &targets->list[n], reason, n_asked, err)) == 0)
		n++;
	for (unsigned i = 0; i < n; i++) {
		const struct target *t = &targets->list[i];

		dbl_notifier_asked(locks, t->host, t->pid, t->token);
	}
	return rc;
}

/* Asks all holders. *any: there were some, though *n_asked does not count those that let go. */
static int ask_holders(struct dbl_locks *locks, const char *name, const char *reason,
		       struct targets *targets, int64_t *n_asked, bool *any,
		       struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(name), dbl_int(0), dbl_int(PAGE)};
	int rc;

	*any = false;
	do {
		rc = fetch(locks, DBL_OP_request_grants, DBL_ARGS(args), targets, err);
		if (rc == 0)
			rc = ask_all(locks, targets, reason, n_asked, err);
		if (rc == 0 && targets->n > 0) {
			*any = true;
			args[1] = dbl_int(targets->list[targets->n - 1].token);
		}
	} while (rc == 0 && targets->n == PAGE);
	return rc;
}

/* The lock may change hands between the two statements; then the next holder is asked. */
static int ask_whoever(struct dbl_locks *locks, const char *name, const char *reason,
		       struct targets *targets, struct dblock_error *err)
{
	int64_t deadline = dbl_locks_deadline(locks), n_asked = 0;
	bool any;
	int rc;

	do
		rc = ask_holders(locks, name, reason, targets, &n_asked, &any, err);
	while (rc == 0 && any && n_asked == 0 && dbl_now(locks->env) < deadline);
	if (rc == 0 && n_asked == 0)
		rc = dbl_fail(err, DBLOCK_STALE, "'%s' is not held by anybody", name);
	return rc;
}

static int no_memory(struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
}

int dbl_request(struct dbl_locks *locks, const char *name, const char *reason,
		struct dblock_error *err)
{
	struct targets *targets = dbl_alloc(sizeof(*targets));
	int rc = targets ? ask_whoever(locks, name, reason, targets, err) : no_memory(err);

	dbl_free(targets);
	return rc;
}

/* ---- all of one client ----------------------------------------------------------------------- */

struct client {
	bool found;
	char host[256];
	int64_t pid;
};

static int take_client(void *ctx, const struct dbl_value *row)
{
	struct client *client = ctx;

	client->found = true;
	dbl_copy_text(client->host, sizeof(client->host), &row[0]);
	client->pid = row[1].i;
	return 0;
}

static int find_client(struct dbl_locks *locks, const struct dbl_drain *drain,
		       struct client *client, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(drain->session), dbl_text(drain->host),
				   dbl_int(drain->pid)};
	struct dbl_request request = {.op = DBL_OP_request_client,
				      .args = DBL_ARGS(args),
				      .row = take_client,
				      .ctx = client,
				      .deadline = dbl_locks_deadline(locks)};

	*client = (struct client){.pid = drain->pid};
	(void)snprintf(client->host, sizeof(client->host), "%s", drain->host);
	return dbl_link_run(locks->link, &request, err);
}

static int ask_client(struct dbl_locks *locks, struct dbl_drain *drain, const struct client *client,
		      const char *reason, struct targets *targets, struct dblock_error *err)
{
	struct target last = {.token = 0};
	struct dbl_value args[] = {dbl_text(drain->session), dbl_text(client->host),
				   dbl_int(client->pid),     dbl_text(last.name),
				   dbl_int(last.token),      dbl_int(PAGE)};
	int rc;

	do {
		rc = fetch(locks, DBL_OP_request_grants_of, DBL_ARGS(args), targets, err);
		if (rc == 0)
			rc = ask_all(locks, targets, reason, &drain->n_asked, err);
		if (targets->n > 0)
			last = targets->list[targets->n - 1];
		args[3] = dbl_text(last.name);
		args[4] = dbl_int(last.token);
	} while (rc == 0 && targets->n == PAGE);
	return rc;
}

static int no_client(const struct dbl_drain *drain, struct dblock_error *err)
{
	if (*drain->session)
		return dbl_fail(err, DBLOCK_STALE, "no client with the session %s is known",
				drain->session);
	return dbl_fail(err, DBLOCK_STALE, "no client of process %lld on host '%s' is known",
			(long long)drain->pid, drain->host);
}

int dbl_request_drain(struct dbl_locks *locks, struct dbl_drain *drain, const char *reason,
		      struct dblock_error *err)
{
	struct targets *targets = dbl_alloc(sizeof(*targets));
	struct client client;
	int rc = targets ? find_client(locks, drain, &client, err) : no_memory(err);

	drain->n_asked = 0;
	if (rc == 0 && (client.found || !*drain->session))
		rc = ask_client(locks, drain, &client, reason, targets, err);
	if (rc == 0 && !client.found && drain->n_asked == 0)
		rc = no_client(drain, err);
	dbl_free(targets);
	return rc;
}

/* ---- the reaper ------------------------------------------------------------------------------ */

static int delete_all(struct dbl_locks *locks, struct dbl_reap *reap, const struct targets *targets,
		      int64_t *deleted, struct dblock_error *err)
{
	int rc = 0;

	for (unsigned i = 0; i < targets->n && rc == 0; i++) {
		const struct target *t = &targets->list[i];
		struct dbl_value args[] = {dbl_text(t->host), dbl_int(t->pid), dbl_text(t->name),
					   dbl_int(t->token)};

		rc = dbl_reap_go_on(reap, err);
		if (rc == 0)
			rc = dbl_reap_run(locks, DBL_OP_request_delete, DBL_ARGS(args), deleted,
					  err);
	}
	return rc;
}

/* Deletes requests for grants that are over, as the holder would if it were not gone. */
int dbl_reap_requests(struct dbl_locks *locks, struct dbl_reap *reap, struct dblock_error *err)
{
	struct targets *targets = dbl_alloc(sizeof(*targets));
	struct dbl_value limit = dbl_int(PAGE);
	int64_t deleted;
	int rc = targets ? 0 : no_memory(err);

	while (rc == 0) {
		deleted = 0;
		rc = fetch(locks, DBL_OP_reap_requests, DBL_ARG(limit), targets, err);
		if (rc == 0)
			rc = delete_all(locks, reap, targets, &deleted, err);
		/* Locked rows are left to the next pass. */
		if (targets->n < PAGE || deleted == 0)
			break;
	}
	dbl_free(targets);
	return rc;
}
