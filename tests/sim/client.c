/* SPDX-License-Identifier: MIT */
#include "sim/client.h"

#include <stdio.h>
#include <string.h>

#include "api/client.h"
#include "sim/schedule.h"

static const char *const names[NAMES_MAX] = {"a", "b", "c"};

const char *client_name(int index)
{
	return names[index];
}

int client_name_index(const char *text, size_t len)
{
	for (int i = 0; i < NAMES_MAX; i++) {
		if (len == 1 && text[0] == names[i][0])
			return i;
	}
	return 0;
}

void client_sleep(struct process *p, int64_t us)
{
	p->env.sleep_until(p, process_clock(p) + us);
}

void client_expect(struct process *p, const char *call, int rc, const struct dblock_error *err)
{
	switch (rc) {
	case DBLOCK_OK:
	case DBLOCK_BUSY:
	case DBLOCK_TIMEOUT:
	case DBLOCK_LOST:
	case DBLOCK_STALE:
	case DBLOCK_CANCELED:
		return;
	case DBLOCK_E_UNSURE:
		COUNT(p->world, unsure);
		return;
	case DBLOCK_E_UNAVAILABLE:
	case DBLOCK_E_NO_ANSWER:
	case DBLOCK_E_BLOCKED:
		COUNT(p->world, failed);
		return;
	default:
		world_break(p->world, "API", "%s: %s: %s", call, dblock_outcome_name(rc),
			    err->message);
	}
}

static int open_client(struct process *p)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_tuning tuning = DBLOCK_TUNING_INIT;
	int rc;

	tuning.post_releases = p->posts;
	options.tuning = &tuning;
	options.ttl_ms = p->ttl_ms;
	options.timeout_ms = p->timeout_ms;
	/* The database stands for a server, so its durability is a server's. */
	options.durability = DBLOCK_DURABLE;
	COUNT(p->world, opens);
	rc = dbl_client_open(database_url, &options, &p->env, &p->client, &err);
	client_expect(p, "open", rc, &err);
	/* Some clients use two connections; that is not drawn by chance, so that seeds stay what
	 * they were. */
	if (rc == DBLOCK_OK && (p->world->seed + (uint64_t)p->number) % 3 == 0)
		dbl_link_part(p->client->locks->link, dbl_now(&p->env) + 1000000);
	world_tell(p->world, p, "open: %s", dblock_outcome_name(rc));
	return rc;
}

static void close_client(struct process *p)
{
	dblock_close(p->client, NULL);
	p->client = NULL;
	world_tell(p->world, p, "close");
	if (p->memory)
		world_break(p->world, "C13", "process %d: a closed client leaves memory behind",
			    p->number);
}

static void *helper(void *arg)
{
	struct process *p = arg;

	client_work(p);
	p->helpers--;
	schedule_wake(p, &p->helpers);
	return NULL;
}

/* Starts all threads, and waits until all are done. */
static void work(struct process *p)
{
	p->helpers = p->threads_asked;
	for (int i = 0; i < p->threads_asked; i++)
		schedule_thread(p->world, p, helper, p);
	client_work(p);
	while (p->helpers > 0)
		schedule_wait(&p->helpers, SCHEDULE_NEVER);
}

void *client_main(void *arg)
{
	struct process *p = arg;
	struct world *w = p->world;

	client_sleep(p, rng_between(&w->rng, 0, 500000));
	while (!w->closing) {
		if (open_client(p)) {
			client_sleep(p, rng_between(&w->rng, 10000, 200000));
			continue;
		}
		work(p);
		p->idle = true;
		while (w->ending && !w->closing)
			client_sleep(p, 200000);
		p->idle = false;
		close_client(p);
	}
	p->alive = false;
	return NULL;
}
