/* SPDX-License-Identifier: MIT */
/* bench needs: zookeeper */
/*
 * ZooKeeper's lock recipe through its C client, one session a process: an ephemeral sequential
 * node; a client that is not the first waits until the node before its own is gone. The node's
 * number is the fencing token.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zookeeper/zookeeper.h>

#include "bench.h"

struct process {
	zhandle_t *zh;
	sem_t connected;
};

struct thread {
	struct process *process;
	sem_t gone;
	char parent[80]; /* a node that exists */
	char node[120];
};

static void on_event(zhandle_t *zh, int type, int state, const char *path, void *context)
{
	struct process *p = context;

	(void)zh;
	(void)path;
	if (type == ZOO_SESSION_EVENT && state == ZOO_CONNECTED_STATE)
		sem_post(&p->connected);
}

static void *open_session(const struct bench_place *place)
{
	struct process *p = bench_alloc(sizeof(*p));

	sem_init(&p->connected, 0, 0);
	zoo_set_debug_level(0);
	p->zh = zookeeper_init(place->url, on_event, 30000, NULL, p, 0);
	if (!p->zh)
		bench_fail("zookeeper: no session");
	while (sem_wait(&p->connected) != 0)
		;
	return p;
}

static void close_session(void *process)
{
	struct process *p = process;

	zookeeper_close(p->zh);
}

static void *enter(void *process)
{
	struct thread *t = bench_alloc(sizeof(*t));

	t->process = process;
	sem_init(&t->gone, 0, 0);
	return t;
}

static void must(int rc, const char *what)
{
	if (rc != ZOK)
		bench_fail("zookeeper: %s: %s", what, zerror(rc));
}

static void make_parent(struct thread *t, const char *name)
{
	char parent[80];
	int rc;

	snprintf(parent, sizeof(parent), "/%s", name);
	if (strcmp(parent, t->parent) == 0)
		return;
	rc = zoo_create(t->process->zh, parent, "", 0, &ZOO_OPEN_ACL_UNSAFE, 0, NULL, 0);
	if (rc != ZNODEEXISTS)
		must(rc, "create");
	memcpy(t->parent, parent, sizeof(parent));
}

/* Returns the number at the end of a node's name. */
static long number_of(const char *node)
{
	size_t n = strlen(node);

	return n < 10 ? -1 : strtol(node + n - 10, NULL, 10);
}

/* Finds the child right before ours; false: there is none. */
static bool find_before(struct thread *t, long mine, char *path, size_t size)
{
	struct String_vector children = {0};
	long best = -1;

	must(zoo_get_children(t->process->zh, t->parent, 0, &children), "children");
	for (int i = 0; i < children.count; i++) {
		long number = number_of(children.data[i]);

		if (number < mine && number > best) {
			best = number;
			snprintf(path, size, "%s/%s", t->parent, children.data[i]);
		}
	}
	deallocate_String_vector(&children);
	return best >= 0;
}

static void on_gone(zhandle_t *zh, int type, int state, const char *path, void *context)
{
	(void)zh;
	(void)type;
	(void)state;
	(void)path;
	sem_post(context);
}

static void acquire(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;
	char path[160], before[160];
	struct Stat stat;
	long mine;
	int rc;

	make_parent(t, name);
	snprintf(path, sizeof(path), "%s/l-", t->parent);
	must(zoo_create(t->process->zh, path, "", 0, &ZOO_OPEN_ACL_UNSAFE,
			ZOO_EPHEMERAL | ZOO_SEQUENCE, t->node, sizeof(t->node)),
	     "create");
	mine = number_of(t->node);
	while (find_before(t, mine, before, sizeof(before))) {
		rc = zoo_wexists(t->process->zh, before, on_gone, &t->gone, &stat);
		if (rc == ZNONODE)
			continue;
		must(rc, "exists");
		while (sem_wait(&t->gone) != 0)
			;
	}
	g->token = mine + 1;
	g->handle = strdup(t->node);
}

static void release(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;

	(void)name;
	must(zoo_delete(t->process->zh, g->handle, -1), "delete");
	free(g->handle);
}

static void look(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;
	struct Stat stat;

	(void)name;
	(void)g;
	must(zoo_exists(t->process->zh, "/", 0, &stat), "exists");
}

#define PEER .server = "zookeeper", .open = open_session, .enter = enter, .close = close_session

static const struct bench_subject subjects[] = {
	{PEER, .name = "zookeeper-round-trip", .brief = true, .in = "uncontended", .acquire = look,
	 .release = look},
	{PEER, .name = "zookeeper", .in = "uncontended hand-over takeover threads waiters held",
	 .acquire = acquire, .release = release, .quick = true},
};

BENCH_SUBJECTS(subjects)
