/* SPDX-License-Identifier: MIT */
#include "lock/locks.h"

#include "base/mem.h"
#include "lock/handle.h"

int64_t dbl_locks_deadline(const struct dbl_locks *locks)
{
	return dbl_now(locks->env) + locks->timeout;
}

static struct dbl_locks *locks_new(const struct dbl_target *target, int64_t timeout)
{
	struct dbl_locks *locks = dbl_alloc(sizeof(*locks));

	if (!locks)
		return NULL;
	locks->target = target;
	locks->env = target->env;
	locks->timeout = timeout;
	if (dbl_mutex_init(&locks->mutex)) {
		dbl_free(locks);
		return NULL;
	}
	if (dbl_thread_ids_init(&locks->threads)) {
		dbl_mutex_fini(&locks->mutex);
		dbl_free(locks);
		return NULL;
	}
	return locks;
}

static void locks_free(struct dbl_locks *locks)
{
	dbl_link_free(locks->link);
	dbl_thread_ids_fini(&locks->threads);
	dbl_mutex_fini(&locks->mutex);
	dbl_free(locks);
}

int dbl_locks_open(struct dbl_locks **out, const struct dbl_target *target,
		   const struct dbl_session_options *options, struct dblock_error *err)
{
	struct dbl_locks *locks = locks_new(target, options->timeout);
	struct dbl_session_options with_news = *options;
	int rc;

	*out = NULL;
	if (!locks)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory, or too many clients");
	with_news.beaten = dbl_handle_write_counts;
	with_news.ctx = locks;
	rc = dbl_link_new(&locks->link, target, err);
	if (rc == 0)
		rc = dbl_link_connect(locks->link, dbl_locks_deadline(locks), err);
	if (rc == 0)
		rc = dbl_session_open(&locks->session, target, &with_news, err);
	if (rc)
		locks_free(locks);
	else
		*out = locks;
	return rc;
}

/* Release everything that lives by the session; true if the database confirmed all of it. */
static bool release_all(struct dbl_locks *locks)
{
	bool all = true;

	while (locks->held) {
		struct dblock_lock *lock = locks->held;

		lock->count = 1;
		if (lock->has_lease) {
			dbl_handle_leave(lock);
			dbl_handle_free(lock);
		} else if (dbl_lock_release(lock, NULL) < 0) {
			all = false;
		}
	}
	return all;
}

void dbl_locks_close(struct dbl_locks *locks)
{
	bool nothing_held = release_all(locks);

	dbl_session_close(locks->session, nothing_held);
	locks_free(locks);
}
