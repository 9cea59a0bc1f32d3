/* SPDX-License-Identifier: MIT */
#include "lock/recipes/elect.h"

#include "lock/cache/local.h"
#include "lock/core/cancel.h"
#include "lock/core/retry.h"
#include "lock/core/value.h"
#include "lock/handle/loss.h"
#include "lock/tx/attachment.h"
#include <string.h>

/* ---- what the leader says -------------------------------------------------------------------- */

/* A grant that is looked for among the holders of a name. */
struct search {
	int64_t token, nonce;
	bool found;
};

static int compare(void *ctx, const struct dbl_holder *h)
{
	struct search *search = ctx;

	if (h->token == search->token && h->nonce == search->nonce)
		search->found = h->by_time || (h->session_found && !h->session_dead);
	return 0;
}

/* The write has changed nothing: the value is the same, or an earlier copy of the request, whose
 * reply was lost, has written it; or the grant is over. */
static int look_again(struct dblock_lock *lock, struct dblock_error *err)
{
	struct search search = {.token = lock->grant.token, .nonce = lock->grant.nonce};
	int rc = dbl_holders_show(lock->locks, lock->name, compare, &search, err);

	if (search.found || (rc && rc != DBLOCK_STALE))
		return rc;
	/* Somebody broke the lock, or was granted it: the holder has to be told. */
	return dbl_lost_before(lock, err);
}

int dbl_lock_set_value(struct dblock_lock *lock, const char *value, struct dblock_error *err)
{
	struct dbl_locks *locks = lock->locks;
	struct dbl_value args[] = {dbl_text(lock->name), dbl_null(), dbl_int(lock->grant.nonce),
				   dbl_text(value)};
	struct dbl_request request = {.op = lock->grant.carrier->value,
				      .args = DBL_ARGS(args),
				      .deadline = dbl_locks_deadline(locks)};
	int rc;

	if (dbl_grant_left(lock) == 0)
		return dbl_lost_before(lock, err);
	rc = dbl_attachment_check(lock, err);
	if (rc)
		return rc;
	dbl_local_use_row_token(lock);
	args[1] = dbl_int(lock->grant.token);
	rc = dbl_retry_while_locked(locks, &request, err);
	if (rc == 0 && request.changed == 0)
		rc = look_again(lock, err);
	return rc == 0 && dbl_grant_left(lock) == 0 ? dbl_lost_before(lock, err) : rc;
}

/* ---- who leads ------------------------------------------------------------------------------- */

static void copy(char *to, size_t size, const char *text)
{
	struct dbl_value value = dbl_text(text);

	dbl_copy_text(to, size, &value);
}

/* A session that is dead, or missing, or late by its whole ttl leads no more: the client of a late
 * one knows that by its own clock, and opens another. Nor does the rest of a minimum hold. */
static bool leads(const struct dbl_holder *h)
{
	if (h->by_session)
		return h->session_found && !h->session_dead &&
		       (h->left > 0 || h->left == INT64_MIN);
	return h->by_time && h->nonce != 0;
}

static int take_leader(void *ctx, const struct dbl_holder *h)
{
	struct dbl_leader *leader = ctx;

	if (h->mode != DBLOCK_EXCLUSIVE || !leads(h))
		return 0;
	leader->token = h->token;
	leader->pid = h->pid;
	leader->since = h->acquired;
	copy(leader->value, sizeof(leader->value), h->value);
	copy(leader->host, sizeof(leader->host), h->host);
	copy(leader->app, sizeof(leader->app), h->app);
	return 0;
}

int dbl_leader_look(struct dbl_locks *locks, const char *name, struct dbl_leader *leader,
		    struct dblock_error *err)
{
	int rc;

	*leader = (struct dbl_leader){.token = 0};
	rc = dbl_holders_show(locks, name, take_leader, leader, err);
	return rc == DBLOCK_STALE ? 0 : rc; /* nobody ever led: the name is unknown */
}

static bool differ(const struct dbl_leader *a, const struct dbl_leader *b)
{
	return a->token != b->token || strcmp(a->value, b->value) != 0;
}

int dbl_leader_await(struct dbl_locks *locks, const struct dbl_leader_watch *watch,
		     struct dbl_leader *leader, struct dblock_error *err)
{
	DBL_INSIDE(locks);
	const struct dbl_env *env = locks->env;
	struct dbl_acquire_spec spec = {.canceled = watch->canceled,
					.canceled_arg = watch->canceled_arg};

	for (;;) {
		struct dbl_leader now;
		int64_t next;
		int rc;

		if (dbl_is_shut_to(locks, &spec))
			return dbl_tell_canceled(locks, watch->name, "the watch", err);
		rc = dbl_leader_look(locks, watch->name, &now, err);
		next = dbl_add(dbl_now(env), dbl_jitter(env, watch->every));
		if (rc)
			return rc;
		if (differ(leader, &now)) {
			*leader = now;
			return 0;
		}
		if (dbl_now(env) >= watch->until)
			return dbl_fail(err, DBLOCK_TIMEOUT, "'%s': nothing has changed",
					watch->name);
		if (!dbl_sleep_asking(locks, &spec, dbl_least(next, watch->until)))
			return dbl_tell_canceled(locks, watch->name, "the watch", err);
	}
}
