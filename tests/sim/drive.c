/* SPDX-License-Identifier: MIT */
/* A wait that its thread drives itself; another thread may cancel it, or it is ended before it is
 * over. */
#include "base/alarm.h"
#include "sim/client.h"
#include "sim/schedule.h"

static void *canceler(void *arg)
{
	struct drive *d = arg;

	client_sleep(d->process, d->patience);
	dblock_wait_cancel(d->wait);
	d->canceled = true;
	return NULL;
}

/* Some event loops have other things to do first. */
static void sleep_until_due(struct drive *d, int fd)
{
	struct rng *rng = &d->process->world->rng;

	dbl_alarm_wait(fd);
	if (rng_one_in(rng, 8))
		client_sleep(d->process, rng_between(rng, 1000, 400000));
}

static int steps(struct drive *d, struct dblock_lock **lock, struct dblock_error *err)
{
	struct world *w = d->process->world;
	int rc, fd = -1;

	for (;;) {
		bool canceled = d->canceled;

		rc = dblock_wait_step(d->wait, lock, err);
		if (rc == DBLOCK_OK && canceled)
			world_break(w, "API", "a step after its cancel got the lock");
		if (rc != DBLOCK_WAITING || rng_one_in(&w->rng, 32))
			return rc;
		if (fd < 0 && dblock_wait_fd(d->wait, &fd, err))
			world_break(w, "API", "a wait without a descriptor");
		sleep_until_due(d, fd);
	}
}

int client_drive(struct drive *d, const char *name, const struct dblock_acquire_options *options,
		 struct dblock_lock **lock, struct dblock_error *err)
{
	struct world *w = d->process->world;
	int rc = dblock_acquire_begin(d->process->client, name, options, &d->wait, err);

	*lock = NULL;
	if (rc)
		return rc;
	d->patience = rng_between(&w->rng, 0, 200000);
	if (rng_one_in(&w->rng, 2))
		(void)dbl_thread_start(&d->canceler, canceler, d);
	rc = steps(d, lock, err);
	COUNT(w, drives);
	if (rc == DBLOCK_CANCELED)
		COUNT(w, cancels);
	return rc == DBLOCK_WAITING ? DBLOCK_CANCELED : rc;
}

void client_drive_end(struct drive *d)
{
	dbl_thread_join(&d->canceler);
	dblock_wait_end(d->wait);
}
