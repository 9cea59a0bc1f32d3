/* SPDX-License-Identifier: MIT */
/* What a hand asks for. The kind of a name follows from its place: some are always exclusive, as
 * the database handles that otherwise; some are for readers and writers; some are semaphores. */
#include <dblock/pool.h>

#include "storm/hand.h"

/* The last one's capacity is stored; it changes, and who asks for permits of it follows. */
enum {
	ALONE = 6,
	SHARED = 15,
	STORED = NAMES - 1,
	CAPACITY = 4,
	STORED_LEAST = 2,
	STORED_MOST = 6
};

const char *hand_name_of(int name)
{
	static const char names[NAMES][4] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j",
					     "k", "l", "m", "n", "o", "p", "q", "r", "s", "t"};

	return names[name];
}

bool hand_is_shared(int name)
{
	return name >= ALONE && name < SHARED;
}

static int64_t choose_wait(struct rng *rng)
{
	int64_t choice = rng_between(rng, 0, 9);

	if (choice == 0)
		return -1;
	if (choice < 3)
		return rng_between(rng, 1, 300);
	return choice < 6 ? rng_between(rng, 300, 3000) : 0;
}

static enum dblock_mode choose_mode(struct rng *rng, int name)
{
	int64_t choice = rng_between(rng, 0, 9);

	if (name < ALONE)
		return DBLOCK_EXCLUSIVE;
	if (name >= SHARED)
		return DBLOCK_PERMITS;
	if (choice < 6)
		return DBLOCK_SHARED;
	return choice < 8 ? DBLOCK_UPDATE : DBLOCK_EXCLUSIVE;
}

/* Most have none, so that the queues of the hot names are ranked now and then, and not at other times. Of the small
 * ones who waits for long is passed by nobody after a while; the large ones are ever before, or behind. */
static int choose_priority(struct rng *rng)
{
	static const int classes[] = {DBLOCK_PRIORITY_MIN, -1, 1, 1, 1, DBLOCK_PRIORITY_MAX};

	return rng_one_in(rng, 4) ? classes[rng_between(rng, 0, 5)] : 0;
}

/* Many hands want the same one of each kind. */
static const int hot[] = {0, ALONE, SHARED, STORED};

static int choose_name(struct rng *rng)
{
	return rng_one_in(rng, 4) ? hot[rng_between(rng, 0, 3)]
				  : (int)rng_between(rng, 0, NAMES - 1);
}

/* Only an exclusive lock without its own end can be kept idle. */
static struct spec as_is_habit(const struct hand *h, struct spec spec)
{
	if (spec.mode == DBLOCK_EXCLUSIVE && !spec.lease_ms && !spec.at_least_ms)
		spec.idle_ms = h->worker->habits.idle_ms;
	return spec;
}

struct spec hand_choose_alike(struct hand *h)
{
	struct spec spec = {.name = h->worker->recorder.client % ALONE,
			    .wait_ms = choose_wait(&h->rng)};

	return as_is_habit(h, spec);
}

static struct spec choose_for(struct hand *h, int name)
{
	struct rng *rng = &h->rng;
	struct spec spec = {.name = name};

	spec.mode = choose_mode(rng, spec.name);
	spec.wait_ms = choose_wait(rng);
	if (spec.mode == DBLOCK_PERMITS) {
		spec.capacity = CAPACITY;
		spec.permits = rng_between(rng, 1, rng_one_in(rng, 4) ? CAPACITY : 2);
	}
	if (spec.name == STORED) {
		spec.capacity = DBLOCK_CAPACITY_STORED;
		spec.permits = rng_between(rng, 1, STORED_LEAST);
	}
	spec.priority = choose_priority(rng);
	if (rng_one_in(rng, 10))
		spec.lease_ms = rng_between(rng, 500, TTL_MS);
	if (rng_one_in(rng, 10))
		spec.at_least_ms = rng_between(rng, 1, 30);
	return as_is_habit(h, spec);
}

struct spec hand_choose(struct hand *h)
{
	return choose_for(h, choose_name(&h->rng));
}

/* (The checker passes over one whose capacity changes.) */
struct spec hand_choose_hot(struct hand *h)
{
	return choose_for(h, hot[rng_between(&h->rng, 0, 2)]);
}

void hand_make_stored(struct dblock_client *client)
{
	assert_int_equal(dblock_pool_resize(client, hand_name_of(STORED), CAPACITY, NULL), 0);
}

void hand_resize(struct hand *h)
{
	struct event e = {.kind = EVENT_RESIZING, .thread = h->thread};

	snprintf(e.name, sizeof(e.name), "%s", hand_name_of(STORED));
	e.capacity = rng_between(&h->rng, STORED_LEAST, STORED_MOST);
	record(&h->worker->recorder, e);
	e.kind = EVENT_RESIZED;
	e.outcome = dblock_pool_resize(h->worker->client, e.name, e.capacity, &h->err);
	record(&h->worker->recorder, e);
}
