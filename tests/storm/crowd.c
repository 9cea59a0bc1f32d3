/* SPDX-License-Identifier: MIT */
#include "storm/crowd.h"

#include <errno.h>
#include <sys/stat.h>

#include "storm/standstill.h"

const char *storm_folder(void)
{
	static char path[1024];
	const char *keep = getenv("DBLOCK_STORM_KEEP");

	snprintf(path, sizeof(path), "%s/history", test_env("DBLOCK_TEST_TMP"));
	return keep ? keep : path;
}

const char *storm_resource(void)
{
	static char path[1024];

	snprintf(path, sizeof(path), "%s/resource", test_env("DBLOCK_TEST_TMP"));
	return path;
}

uint64_t number_of(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

void crowd_tell(struct crowd *c, int client, enum event_kind kind)
{
	record(&c->recorder, (struct event){.kind = kind, .client = client});
}

/* ---- processes ------------------------------------------------------------------------------- */

static void set_urls(const struct crowd *c, const struct slot *slot)
{
	char urls[4096] = "";
	size_t len = 0;

	for (int i = 0; i < c->n_ways; i++)
		len += (size_t)snprintf(urls + len, sizeof(urls) - len, "%s%s", i ? " " : "",
					proxy_url(slot->ways[i]));
	if (c->n_ways)
		setenv("DBLOCK_TEST_URL", urls, 1);
}

static void become_worker(const struct crowd *c, const struct slot *slot)
{
	char client[20], seed[40], until[40];

	set_urls(c, slot);
	snprintf(client, sizeof(client), "%d", slot->client);
	snprintf(seed, sizeof(seed), "%llu",
		 (unsigned long long)c->seed + (uint64_t)slot->client * 7919);
	snprintf(until, sizeof(until), "%lld", (long long)c->until);
	execl("/proc/self/exe", "storm", "worker", client, seed, until, (char *)NULL);
	_exit(127);
}

static void start(struct crowd *c, struct slot *slot)
{
	slot->client = ++c->clients;
	slot->stopped = false;
	fflush(NULL);
	slot->pid = fork();
	assert_true(slot->pid >= 0);
	if (slot->pid == 0)
		become_worker(c, slot);
}

void crowd_start(struct crowd *c)
{
	for (int i = 0; i < SLOTS; i++)
		start(c, &c->slots[i]);
}

/* Tells whether the process has ended by itself, and well. If it has not, the checker will say what
 * was left open. */
static bool comes_to_its_end(struct slot *slot, int64_t until_ms)
{
	int status;

	while (waitpid(slot->pid, &status, WNOHANG) == 0) {
		if (clock_ms() > until_ms)
			kill(slot->pid, SIGKILL);
		sleep_ms(10);
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	fprintf(stderr, "storm: client %d ended with status %x\n", slot->client, (unsigned)status);
	return false;
}

int crowd_end(struct crowd *c)
{
	int64_t until_ms = clock_ms() + PLENTY_MS;
	int n = 0;

	for (int i = 0; i < SLOTS; i++)
		n += !comes_to_its_end(&c->slots[i], until_ms);
	return n;
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* Of several members some processes lose all, and some lose one. */
static bool is_struck(const struct crowd *c, const struct slot *slot, int way)
{
	return (slot - c->slots) % 2 || way == slot->client % c->n_ways;
}

static void do_join(struct crowd *c, struct slot *slot)
{
	if (!slot->parted)
		return;
	for (int i = 0; i < c->n_ways; i++)
		proxy_set(slot->ways[i], PROXY_PASS);
	crowd_tell(c, slot->client, EVENT_JOINED);
	slot->parted = false;
}

static void do_part(struct crowd *c, struct slot *slot)
{
	if (slot->parted)
		return;
	crowd_tell(c, slot->client, EVENT_PARTED);
	for (int i = 0; i < c->n_ways; i++) {
		if (is_struck(c, slot, i))
			proxy_set(slot->ways[i], PROXY_SILENT);
	}
	slot->parted = true;
}

static void do_kill(struct crowd *c, struct slot *slot)
{
	int64_t before = event_now();

	do_join(c, slot);
	kill(slot->pid, SIGKILL);
	waitpid(slot->pid, NULL, 0);
	record(&c->recorder,
	       (struct event){.kind = EVENT_KILLED, .client = slot->client, .before = before});
	start(c, slot);
}

static void do_stop(struct crowd *c, struct slot *slot)
{
	if (slot->stopped)
		return;
	crowd_tell(c, slot->client, EVENT_STOPPED);
	stand_still(slot->pid);
	slot->stopped = true;
}

/* If the process was killed meanwhile, the next one in its slot was never stopped. */
static void do_cont(struct crowd *c, struct slot *slot)
{
	if (!slot->stopped)
		return;
	kill(slot->pid, SIGCONT);
	crowd_tell(c, slot->client, EVENT_CONTINUED);
	slot->stopped = false;
}

static void do_cut(struct crowd *c, struct slot *slot)
{
	crowd_tell(c, slot->client, EVENT_CUT);
	for (int i = 0; i < c->n_ways; i++) {
		if (is_struck(c, slot, i))
			proxy_cut(slot->ways[i]);
	}
}

static void (*const acts[FAULT_KINDS])(struct crowd *, struct slot *) = {
	[FAULT_KILL] = do_kill, [FAULT_STOP] = do_stop, [FAULT_CONT] = do_cont,
	[FAULT_CUT] = do_cut,   [FAULT_PART] = do_part, [FAULT_JOIN] = do_join,
};

void crowd_strike(struct crowd *c, const struct fault *f)
{
	acts[f->kind](c, &c->slots[f->slot]);
	c->faults[f->kind]++;
}

void crowd_relieve(struct crowd *c)
{
	for (int i = 0; i < SLOTS; i++) {
		do_cont(c, &c->slots[i]);
		do_join(c, &c->slots[i]);
	}
}

/* ---- all of it ------------------------------------------------------------------------------- */

void crowd_open(struct crowd *c, const char *const urls[], int n)
{
	c->n_ways = n;
	for (int i = 0; i < SLOTS; i++) {
		for (int j = 0; j < n; j++)
			c->slots[i].ways[j] = proxy_new_to(urls[j]);
	}
	if (mkdir(storm_folder(), 0777) && errno != EEXIST)
		fail_msg("%s cannot be made", storm_folder());
	assert_true(recorder_open(&c->recorder, storm_folder(), 0));
}

void crowd_close(struct crowd *c)
{
	for (int i = 0; i < SLOTS; i++) {
		for (int j = 0; j < c->n_ways; j++)
			proxy_free(c->slots[i].ways[j]);
	}
	recorder_close(&c->recorder);
}
