/* SPDX-License-Identifier: MIT */
#include "lock/cache/posted.h"

#include <string.h>

#include "base/mem.h"
#include "lock/cache/own.h"
#include "lock/core/value.h"
#include "lock/grant/release.h"
#include "lock/handle/handle.h"

/* How long a posted release waits for a request that takes it along. */
#define LINGER_US 1000LL

/* If more than POSTED_MAX are posted, the thread that releases sends some itself. */
enum { POSTED_MAX = 4 * DBL_BATCH_MAX, BUCKETS = 64 };

struct dbl_posted {
	struct dbl_locks *locks;
	dbl_posted_failed *failed;
	void *arg;
	struct dbl_mutex mutex; /* guards what follows, and `next` of these handles */
	struct dbl_cond news;   /* for the release thread */
	struct dblock_lock *buckets[BUCKETS];
	unsigned n;
	struct dblock_lock *left; /* releases that did not succeed: for the release thread */
	bool asleep;              /* the release thread sleeps until it is woken */
	bool stopping;
	struct dbl_thread release_thread;
	_Atomic uint64_t release_thread_id; /* in the end, of the thread that closes */
};

static unsigned bucket_of(const char *name)
{
	return dbl_name_hash(name, strlen(name)) % BUCKETS;
}

static struct dblock_lock **place_of(struct dbl_posted *posted, const struct dblock_lock *lock)
{
	struct dblock_lock **at = &posted->buckets[bucket_of(lock->name)];

	DBL_ASSERT_HELD(&posted->mutex);
	while (*at && *at != lock)
		at = &(*at)->next;
	DBL_ASSERT(*at, "%s", lock->name);
	return at;
}

static void take_out(struct dbl_posted *posted, struct dblock_lock **at)
{
	DBL_ASSERT(posted->n > 0);
	*at = (*at)->next;
	posted->n--;
}

/* ---- posting -------------------------------------------------------------------------------- */

static struct dblock_lock *lock_of(struct dbl_post *post)
{
	return (struct dblock_lock *)((char *)post - offsetof(struct dblock_lock, cached.post));
}

/* The release was sent; the thread that sent it calls this. */
static void over(struct dbl_post *post)
{
	struct dblock_lock *lock = lock_of(post);
	struct dbl_posted *posted = lock->locks->cache->posted;
	bool done = dbl_post_outcome(post) == 0 && post->request.changed > 0;

	dbl_lock(&posted->mutex);
	take_out(posted, place_of(posted, lock));
	if (!done) {
		lock->next = posted->left;
		posted->left = lock;
		dbl_cond_wake(&posted->news);
	}
	dbl_unlock(&posted->mutex);
	if (done)
		dbl_handle_free(lock);
}

bool dbl_posted_takes(struct dblock_lock *lock)
{
	return lock->locks->cache->posted && lock->n_parts == 0 && !dbl_has_queue_row(lock) &&
	       !lock->grant.rests && !lock->grant.has_lease && !lock->grant.handed &&
	       !lock->cached.unsure && !lock->slot[0] && dbl_grant_left(lock) > 0;
}

/* True: so many are posted that the caller has to send some. */
static bool note(struct dbl_posted *posted, struct dblock_lock *lock)
{
	struct dblock_lock **first = &posted->buckets[bucket_of(lock->name)];
	bool many;

	DBL_ASSERT(!lock->before, "%s", lock->name); /* it is not out: `next` is free for us */
	dbl_lock(&posted->mutex);
	lock->next = *first;
	*first = lock;
	many = ++posted->n > POSTED_MAX;
	if (posted->asleep) {
		posted->asleep = false;
		dbl_cond_wake(&posted->news);
	}
	dbl_unlock(&posted->mutex);
	return many;
}

void dbl_posted_release(struct dblock_lock *lock)
{
	struct dbl_request request = {.op = DBL_OP_release,
				      .args = DBL_ARGS(lock->cached.post_args)};
	struct dbl_locks *locks = lock->locks;
	bool many;

	dbl_grant_done(lock);
	lock->cached.post_args[0] = dbl_text(lock->name);
	lock->cached.post_args[1] = dbl_int(dbl_row_token(lock));
	lock->cached.post_args[2] = dbl_int(lock->grant.nonce);
	request.deadline = dbl_locks_deadline(locks);
	dbl_post_init(&lock->cached.post, &request, over);
	many = note(locks->cache->posted, lock);
	dbl_link_post(locks->link, &lock->cached.post);
	if (many)
		dbl_link_flush(locks->link, dbl_locks_deadline(locks));
}

struct dblock_lock *dbl_posted_recall(struct dbl_locks *locks, const char *name)
{
	struct dbl_posted *posted = locks->cache->posted;
	struct dblock_lock **at, *lock;

	if (!posted)
		return NULL;
	dbl_lock(&posted->mutex);
	at = &posted->buckets[bucket_of(name)];
	while (*at && (strcmp((*at)->name, name) != 0 || !dbl_link_recall(&(*at)->cached.post)))
		at = &(*at)->next;
	lock = *at;
	if (lock)
		take_out(posted, at);
	dbl_unlock(&posted->mutex);
	return lock;
}

void dbl_posted_flush(struct dbl_locks *locks, const char *name, int64_t deadline)
{
	struct dbl_posted *posted = locks->cache->posted;
	const struct dblock_lock *lock;

	if (!posted)
		return;
	dbl_lock(&posted->mutex);
	lock = posted->buckets[bucket_of(name)];
	while (lock && strcmp(lock->name, name) != 0)
		lock = lock->next;
	dbl_unlock(&posted->mutex);
	if (lock)
		dbl_link_flush(locks->link, deadline);
}

/* ---- what is left over ---------------------------------------------------------------------- */

/* Release it once more, and wait for that. */
static int finish(struct dblock_lock *lock, enum dbl_release_before before)
{
	const struct dbl_posted *posted = lock->locks->cache->posted;
	struct dblock_error err = {0};
	int rc = dbl_release_again(lock, before, &err);

	if (rc && posted->failed)
		posted->failed(posted->arg, lock->name, lock->grant.token, &err);
	dbl_handle_free(lock);
	return rc;
}

void dbl_posted_replaced(struct dblock_lock *lock, int rc, bool unsure)
{
	if (rc && rc != DBLOCK_E_UNSURE) {
		(void)finish(lock, unsure ? DBL_RELEASE_UNSURE : DBL_RELEASE_NOT_SENT);
		return;
	}
	if (rc)
		dbl_handle_give_back(lock, dbl_row_token(lock));
	dbl_handle_free(lock);
}

static struct dblock_lock *take_left(struct dbl_posted *posted)
{
	struct dblock_lock *lock = posted->left;

	DBL_ASSERT(!lock || dbl_sm_now(&lock->state) == DBL_DONE, "%s", lock->name);
	if (lock)
		posted->left = lock->next;
	return lock;
}

static enum dbl_release_before what_came(const struct dblock_lock *lock)
{
	int rc = dbl_post_outcome(&lock->cached.post);

	if (rc == 0)
		return DBL_RELEASE_FOUND_NOTHING;
	return rc == DBLOCK_E_UNSURE ? DBL_RELEASE_UNSURE : DBL_RELEASE_NOT_SENT;
}

/* Sleep until there is something to do. Under the mutex, which is given up meanwhile. */
static void rest(struct dbl_posted *posted)
{
	const struct dbl_env *env = posted->locks->env;

	if (posted->n == 0) {
		posted->asleep = true;
		dbl_cond_wait(&posted->news, &posted->mutex, env, DBL_NEVER);
		return;
	}
	dbl_cond_wait(&posted->news, &posted->mutex, env, dbl_now(env) + LINGER_US);
}

/* Send what has waited for LINGER_US. */
static void send_late(struct dbl_locks *locks)
{
	if (dbl_link_posted_since(locks->link) <= dbl_now(locks->env) - LINGER_US)
		dbl_link_flush(locks->link, dbl_locks_deadline(locks));
}

static void *release_thread(void *arg)
{
	struct dbl_posted *posted = arg;

	posted->release_thread_id = dbl_thread_id();
	dbl_lock(&posted->mutex);
	while (!posted->stopping) {
		struct dblock_lock *lock = take_left(posted);

		if (!lock)
			rest(posted);
		dbl_unlock(&posted->mutex);
		if (lock)
			(void)finish(lock, what_came(lock));
		else
			send_late(posted->locks);
		dbl_lock(&posted->mutex);
	}
	dbl_unlock(&posted->mutex);
	return NULL;
}

/* ---- start and end -------------------------------------------------------------------------- */

static void posted_free(struct dbl_locks *locks)
{
	DBL_ASSERT(locks->cache->posted->n == 0 && !locks->cache->posted->left);
	dbl_cond_fini(&locks->cache->posted->news);
	dbl_mutex_fini(&locks->cache->posted->mutex);
	dbl_free(locks->cache->posted);
	locks->cache->posted = NULL;
}

int dbl_posted_start(struct dbl_locks *locks, dbl_posted_failed *failed, void *arg)
{
	struct dbl_posted *posted = dbl_alloc(sizeof(*posted));

	if (posted && dbl_mutex_init(&posted->mutex)) {
		dbl_free(posted);
		posted = NULL;
	}
	if (posted && dbl_cond_init(&posted->news)) {
		dbl_mutex_fini(&posted->mutex);
		dbl_free(posted);
		posted = NULL;
	}
	if (!posted)
		return -1;
	posted->locks = locks;
	posted->failed = failed;
	posted->arg = arg;
	locks->cache->posted = posted;
	if (dbl_thread_start(&posted->release_thread, release_thread, posted) == 0)
		return 0;
	posted_free(locks);
	return -1;
}

bool dbl_posted_is_told_here(const struct dbl_locks *locks)
{
	return locks->cache->posted && locks->cache->posted->release_thread_id == dbl_thread_id();
}

/* Free those that there was no time to send: their grants end with the session. */
static bool drop_rest(struct dbl_posted *posted)
{
	bool none = true;

	for (unsigned i = 0; i < BUCKETS; i++) {
		while (posted->buckets[i]) {
			struct dblock_lock *lock = posted->buckets[i];

			(void)dbl_link_recall(&lock->cached.post);
			take_out(posted, &posted->buckets[i]);
			dbl_handle_free(lock);
			none = false;
		}
	}
	return none;
}

bool dbl_posted_stop(struct dbl_locks *locks)
{
	struct dbl_posted *posted = locks->cache->posted;
	struct dblock_lock *lock;
	bool all = true;

	if (!posted)
		return true;
	dbl_lock(&posted->mutex);
	posted->stopping = true;
	dbl_cond_wake(&posted->news);
	dbl_unlock(&posted->mutex);
	dbl_thread_join(&posted->release_thread);
	posted->release_thread_id = dbl_thread_id();
	if (posted->n)
		dbl_link_flush(locks->link, locks->until);
	while ((lock = take_left(posted)))
		all = finish(lock, what_came(lock)) >= 0 && all;
	all = drop_rest(posted) && all;
	posted_free(locks);
	return all;
}
