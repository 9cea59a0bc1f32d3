/* SPDX-License-Identifier: MIT */
/* Threads of one client that ask for one key, and another client. */
#ifndef TESTS_DB_LOCK_RECIPES_FLIGHT_CROWD_H
#define TESTS_DB_LOCK_RECIPES_FLIGHT_CROWD_H

#include "db/lock/recipes/flight.h"

enum { GUESTS = 16 };

struct scene {
	struct dblock_client *client, *other;
	struct raw *raw;
	struct kitchen kitchen;
	struct guest guests[GUESTS];
};

static struct scene scene;

static inline int set_up(void **state)
{
	(void)state;
	scene = (struct scene){.client = client_new(0), .other = client_new(0)};
	scene.raw = raw_open(NULL);
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	assert_int_equal(callers(scene.client), 0);
	is_free_soon(scene.client, "flight:k");
	raw_close(scene.raw);
	dblock_close(scene.client, NULL);
	dblock_close(scene.other, NULL);
	return 0;
}

#define SCENE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

#endif
