/* SPDX-License-Identifier: MIT */
/* A `dblock run` inside another one's command. The outer one holds its lock while the inner one
 * waits, which the database cannot know: so the inner client's name tells it, as "dblock in
 * PID,PID": the keepers that it runs under, on the same host. A nested wait adds to the graph of
 * waits that these keepers wait for it, and looks for a cycle through itself. */
#include "cli/lock/take.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dblock/admin.h>
#include <dblock/graph.h>
#include <dblock/wait.h>

#include "cli/ui/print.h"

#define APP "dblock in "

enum { FIRST_LOOK_US = 1000000, PAUSE_MAX_US = 8000000, PARTIES_MAX = 256, LINKS_MAX = 2048 };

/* A process that waits or is waited for. */
struct party {
	char host[256];
	int64_t pid;
	char app[DBL_NESTED_TEXT]; /* if it waits inside others */
	int64_t since;
	int from; /* the party before it on the path; -1: not reached */
};

struct graph {
	struct party party[PARTIES_MAX];
	int n;
	struct {
		int from, to;
	} link[LINKS_MAX];
	int links;
};

/* Read /proc/PID/status: is it a keeper, and who is its parent? */
static bool read_process(pid_t pid, bool *keeper, pid_t *parent)
{
	char path[64], line[256];
	FILE *file;

	*keeper = false;
	*parent = 0;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	while (file && *parent == 0 && fgets(line, sizeof(line), file)) {
		if (strcmp(line, "Name:\tdblock-keeper\n") == 0)
			*keeper = true;
		if (strncmp(line, "PPid:", 5) == 0)
			*parent = (pid_t)strtol(line + 5, NULL, 10);
	}
	if (file)
		fclose(file);
	return *parent > 0;
}

void dbl_nested_look(struct dbl_nested *nested)
{
	size_t used = (size_t)snprintf(nested->app, sizeof(nested->app), APP);
	pid_t pid = getppid(), parent;
	bool keeper;

	nested->n = 0;
	while (nested->n < DBL_NESTED_MAX && read_process(pid, &keeper, &parent)) {
		if (keeper && used + 12 < sizeof(nested->app))
			used += (size_t)snprintf(nested->app + used, sizeof(nested->app) - used,
						 "%s%d", nested->n++ ? "," : "", (int)pid);
		pid = parent;
	}
}

static int find(struct graph *g, const char *host, int64_t pid)
{
	int i = 0;

	while (i < g->n && (g->party[i].pid != pid || strcmp(g->party[i].host, host) != 0))
		i++;
	if (i == PARTIES_MAX)
		return -1;
	if (i == g->n) {
		g->party[g->n++] = (struct party){.pid = pid, .from = -1};
		snprintf(g->party[i].host, sizeof(g->party[i].host), "%s", host);
	}
	return i;
}

static void add_link(struct graph *g, int from, int to)
{
	if (from < 0 || to < 0 || g->links == LINKS_MAX)
		return;
	g->link[g->links].from = from;
	g->link[g->links++].to = to;
}

static int add_edge(void *arg, const struct dblock_edge *edge)
{
	struct graph *g = arg;
	int from = find(g, edge->from.host, edge->from.pid);

	/* A lease ends by itself, so waiting for it is no deadlock. */
	if (edge->lease || from < 0)
		return 0;
	add_link(g, from, find(g, edge->to.host, edge->to.pid));
	g->party[from].since = edge->since_us;
	if (strncmp(edge->from.app, APP, strlen(APP)) == 0)
		snprintf(g->party[from].app, sizeof(g->party[from].app), "%s", edge->from.app);
	return 0;
}

/* Add a link from each outer keeper to the nested wait that it waits for. */
static void add_outer(struct graph *g)
{
	for (int i = 0, n = g->n; i < n; i++) {
		const char *at = g->party[i].app + (g->party[i].app[0] ? strlen(APP) : 0);

		while (*at) {
			add_link(g, find(g, g->party[i].host, strtol(at, NULL, 10)), i);
			at += strcspn(at, ",");
			at += *at == ',';
		}
	}
}

/* Search breadth first for a cycle through `me`. Each round looks at each link once. */
static bool close_ring(struct graph *g, int me)
{
	bool more = true;

	while (more && g->party[me].from < 0) {
		more = false;
		for (int i = 0; i < g->links; i++) {
			int from = g->link[i].from, to = g->link[i].to;

			if ((from != me && g->party[from].from < 0) || g->party[to].from >= 0)
				continue;
			g->party[to].from = from;
			more = true;
		}
	}
	return g->party[me].from >= 0;
}

/* Did that wait begin after ours? If at the same time, the order of the list decides. */
static bool came_later(const struct graph *g, int other, int me)
{
	int64_t then = g->party[me].since, since = g->party[other].since;

	return since == then ? other > me : since > then;
}

/* Is ours the wait to give up? That is the youngest of those on the cycle that can know of it. */
static bool is_youngest(const struct graph *g, int me)
{
	for (int i = g->party[me].from; i != me; i = g->party[i].from)
		if (g->party[i].app[0] && came_later(g, i, me))
			return false;
	return true;
}

/* Write the message, from the end of the cycle: who waits for me, for whom, ... */
static void tell(const struct graph *g, int me, const char *name, struct dblock_error *err)
{
	size_t used = (size_t)snprintf(
		err->message, sizeof(err->message),
		"deadlock; '%s' is not waited for any longer, as it would be for ever: this run "
		"(pid %" PRId64 ")",
		name, g->party[me].pid);
	int i = me;

	err->code = DBLOCK_DEADLOCK;
	do {
		i = g->party[i].from;
		if (used < sizeof(err->message))
			used += (size_t)snprintf(err->message + used, sizeof(err->message) - used,
						 " is waited for by %s %s:%" PRId64 "%s",
						 i == me ? "this one," : "host", g->party[i].host,
						 g->party[i].pid, i == me ? "" : ", which");
	} while (i != me);
}

/* Are we on a cycle, and the one to give up? */
static bool look(const struct dbl_nested *nested, struct dblock_client *client, const char *name,
		 struct dblock_error *err)
{
	struct graph *g = calloc(1, sizeof(*g));
	bool ring = false;
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	if (g && dblock_graph(client, NULL, add_edge, g, NULL) == DBLOCK_OK) {
		int me = find(g, host, getpid());

		add_outer(g);
		ring = me >= 0 && strcmp(g->party[me].app, nested->app) == 0 && close_ring(g, me) &&
		       is_youngest(g, me);
		if (ring)
			tell(g, me, name, err);
	}
	free(g);
	return ring;
}

/* A cycle counts once it has been seen twice. */
static int wait_and_look(const struct dbl_nested *nested, struct dblock_client *client,
			 const char *name, struct dblock_wait *wait, struct dblock_lock **lock,
			 struct dblock_error *err)
{
	int64_t pause = FIRST_LOOK_US, next = dbl_now_us() + pause;
	struct pollfd poll_it = {.events = POLLIN};
	bool seen = false;
	int rc = dblock_wait_fd(wait, &poll_it.fd, err);

	while (rc == DBLOCK_OK || rc == DBLOCK_WAITING) {
		rc = dblock_wait_step(wait, lock, err);
		if (rc != DBLOCK_WAITING)
			return rc;
		poll(&poll_it, 1, 1000);
		if (dbl_now_us() < next)
			continue;
		if (look(nested, client, name, err)) {
			if (seen)
				return DBLOCK_DEADLOCK;
			seen = true;
		} else {
			seen = false;
			pause = 2 * pause < PAUSE_MAX_US ? 2 * pause : PAUSE_MAX_US;
		}
		next = dbl_now_us() + (seen ? FIRST_LOOK_US / 5 : pause);
	}
	return rc;
}

/* ---- what the runs around us hold ------------------------------------------------------------ */

/* Is that lock in $DBLOCK_TOKENS? token 0: with any token. */
static bool is_listed(const char *name, int64_t token)
{
	const char *line = getenv("DBLOCK_TOKENS");
	size_t len = strlen(name);

	while (line) {
		char *text;
		int64_t theirs = strtoll(line, &text, 10);
		const char *end = strchrnul(line, '\n');

		if (*text == ' ' && (size_t)(end - text) == len + 1 &&
		    memcmp(text + 1, name, len) == 0 && (token == 0 || token == theirs))
			return true;
		line = *end ? end + 1 : NULL;
	}
	return false;
}

struct listed {
	bool exclusive; /* so it is wanted */
	bool found;
};

static int note_if_listed(void *arg, const struct dblock_holder *h)
{
	struct listed *listed = arg;
	bool excludes = listed->exclusive || h->mode == DBLOCK_EXCLUSIVE;

	if (h->hold != DBLOCK_HOLD_FREE && excludes && h->mode != DBLOCK_PERMITS &&
	    is_listed(h->name, h->token))
		listed->found = true;
	return 0;
}

bool dbl_nested_holds(struct dblock_client *client, const char *name, bool exclusive)
{
	struct listed listed = {.exclusive = exclusive};

	return is_listed(name, 0) &&
	       dblock_show(client, name, note_if_listed, &listed, NULL) == DBLOCK_OK &&
	       listed.found;
}

int dbl_nested_acquire(const struct dbl_nested *nested, struct dblock_client *client,
		       const char *name, const struct dblock_acquire_options *o,
		       struct dblock_lock **lock, struct dblock_error *err)
{
	struct dblock_wait *wait;
	int rc = dblock_acquire_begin(client, name, o, &wait, err);

	if (rc != DBLOCK_OK)
		return rc;
	rc = wait_and_look(nested, client, name, wait, lock, err);
	dblock_wait_end(wait);
	return rc;
}
