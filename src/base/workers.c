/* SPDX-License-Identifier: MIT */
#include "base/workers.h"

#include "base/mem.h"
#include "base/thread.h"

struct dbl_workers {
	const struct dbl_env *env;
	struct dbl_mutex mutex; /* guards what follows */
	struct dbl_cond news;
	struct dbl_job *first, **last;
	const void *keys[DBL_WORKERS_MAX]; /* of the jobs that are being done */
	struct dbl_thread threads[DBL_WORKERS_MAX];
	unsigned n, n_busy, n_jobs; /* threads, those that do a job, and jobs that wait */
	bool stopping;
};

static bool is_being_done(const struct dbl_workers *w, const void *key)
{
	for (unsigned i = 0; key && i < DBL_WORKERS_MAX; i++) {
		if (w->keys[i] == key)
			return true;
	}
	return false;
}

/* Under the mutex: take the first job that may begin. One whose key is being done stays before
 * those that came after it. */
static struct dbl_job *take(struct dbl_workers *w)
{
	struct dbl_job **at = &w->first, *job;

	while (*at && is_being_done(w, (*at)->key))
		at = &(*at)->next;
	job = *at;
	if (!job)
		return NULL;
	*at = job->next;
	if (w->last == &job->next)
		w->last = at;
	w->n_jobs--;
	return job;
}

static const void **place(struct dbl_workers *w, const void *key)
{
	const void **at = w->keys;

	while (*at != key)
		at++;
	return at;
}

/* Under the mutex, which is given up meanwhile. */
static void do_job(struct dbl_workers *w, struct dbl_job *job)
{
	const void *key = job->key;

	if (key)
		*place(w, NULL) = key;
	w->n_busy++;
	dbl_unlock(&w->mutex);
	job->run(job);
	dbl_lock(&w->mutex);
	w->n_busy--;
	if (key)
		*place(w, key) = NULL;
}

static void *worker(void *arg)
{
	struct dbl_workers *w = arg;
	struct dbl_job *job;

	dbl_lock(&w->mutex);
	while ((job = take(w)) || w->first || !w->stopping) {
		if (job)
			do_job(w, job);
		else
			dbl_cond_wait(&w->news, &w->mutex, w->env, DBL_NEVER);
	}
	/* The others may have waited for a job of the key that this one had. */
	dbl_cond_wake(&w->news);
	dbl_unlock(&w->mutex);
	return NULL;
}

/* False: no thread can be had. Under the mutex, or before others know of it. */
static bool start_one(struct dbl_workers *w)
{
	if (dbl_thread_start(&w->threads[w->n], worker, w))
		return false;
	w->n++;
	return true;
}

struct dbl_workers *dbl_workers_new(const struct dbl_env *env)
{
	struct dbl_workers *w = dbl_alloc(sizeof(*w));

	if (!w || dbl_mutex_init(&w->mutex)) {
		dbl_free(w);
		return NULL;
	}
	if (dbl_cond_init(&w->news)) {
		dbl_mutex_fini(&w->mutex);
		dbl_free(w);
		return NULL;
	}
	w->env = env;
	w->last = &w->first;
	if (start_one(w))
		return w;
	dbl_workers_free(w);
	return NULL;
}

void dbl_workers_free(struct dbl_workers *w)
{
	if (!w)
		return;
	dbl_lock(&w->mutex);
	w->stopping = true;
	dbl_cond_wake(&w->news);
	dbl_unlock(&w->mutex);
	for (unsigned i = 0; i < w->n; i++)
		dbl_thread_join(&w->threads[i]);
	DBL_ASSERT(!w->first);
	dbl_cond_fini(&w->news);
	dbl_mutex_fini(&w->mutex);
	dbl_free(w);
}

void dbl_workers_add(struct dbl_workers *w, struct dbl_job *job)
{
	DBL_ASSERT(job->run);
	dbl_lock(&w->mutex);
	DBL_ASSERT(w->n > 0);
	job->next = NULL;
	*w->last = job;
	w->last = &job->next;
	/* Without another thread it waits for its turn. */
	if (++w->n_jobs > w->n - w->n_busy && w->n < DBL_WORKERS_MAX && !w->stopping)
		(void)start_one(w);
	dbl_cond_wake_one(&w->news);
	dbl_unlock(&w->mutex);
}
