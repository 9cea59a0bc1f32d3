/* SPDX-License-Identifier: MIT */
/* The clients of these tests, one of them spied on, and a connection that reads the tables. */
#ifndef TESTS_DB_FLIGHT_SCENE_H
#define TESTS_DB_FLIGHT_SCENE_H

#include "db/lock/recipes/flight.h"

enum { OTHERS = 4 };

struct scene {
	struct spy *spy; /* the first client's */
	struct dblock_client *first, *others[OTHERS];
	struct raw *raw;
	struct kitchen kitchen;
	struct guest one, many[OTHERS];
};

static struct scene scene;

static inline int set_up(void **state)
{
	(void)state;
	scene = (struct scene){.spy = spy_new(), .raw = raw_open(NULL)};
	scene.first = spy_client(scene.spy, 0);
	for (int i = 0; i < OTHERS; i++)
		scene.others[i] = client_new(0);
	raw_exec(scene.raw, "DELETE FROM dblock_flight");
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	scene.spy->fate = NULL;
	is_free_soon(scene.others[0], "flight:k");
	dblock_close(scene.first, NULL);
	for (int i = 0; i < OTHERS; i++)
		dblock_close(scene.others[i], NULL);
	raw_close(scene.raw);
	spy_free(scene.spy);
	return 0;
}

static inline int64_t rows(void)
{
	return raw_int(scene.raw, "SELECT count(*) FROM dblock_flight");
}

static inline int64_t stored(const char *column)
{
	return raw_int(scene.raw, "SELECT %s FROM dblock_flight WHERE name = 'flight:k'", column);
}

/* Makes one call, from start to end. */
static inline void asks(struct dblock_client *client, int64_t fresh_ms, int got)
{
	scene.one = (struct guest){.fresh_ms = fresh_ms};
	comes(&scene.one, client, &scene.kitchen);
	leaves(&scene.one, 0, got);
}

/* The first client makes the result, the others wait in the queue. */
static inline void first_is_at_it(int others)
{
	scene.kitchen.shut = true;
	comes(&scene.one, scene.first, &scene.kitchen);
	until_true(scene.kitchen.calls == 1);
	for (int i = 0; i < others; i++)
		comes(&scene.many[i], scene.others[i], &scene.kitchen);
	until_true(clients_waiting(scene.raw) == others);
}

#define SCENE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

#endif
