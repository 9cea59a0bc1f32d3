/* SPDX-License-Identifier: MIT */
/* Many clients at once go for a name that nobody has used before: no row is there to wait for. One
 * gets it, the others are told so; nobody meets a deadlock. */
#include "support/kit.h"

enum { CLIENTS = 16, NAMES = 30 };

struct scene {
	struct dblock_client *clients[CLIENTS];
	pthread_barrier_t start;
	_Atomic int problems, holders[NAMES];
};

struct rival {
	struct scene *scene;
	int number;
};

static void *go_for_all(void *arg)
{
	const struct rival *rival = arg;
	struct scene *scene = rival->scene;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	char name[32];

	for (int i = 0; i < NAMES; i++) {
		int rc;

		snprintf(name, sizeof(name), "fresh %d", i);
		pthread_barrier_wait(&scene->start);
		rc = dblock_try(scene->clients[rival->number], name, NULL, &lock, &err);
		if (rc == 0)
			scene->holders[i]++;
		else if (rc != DBLOCK_BUSY)
			note_problem(&scene->problems, "try", &err);
		pthread_barrier_wait(&scene->start);
		if (rc == 0 && dblock_release(lock, &err))
			note_problem(&scene->problems, "release", &err);
	}
	return NULL;
}

static void one_of_many_gets_a_fresh_name(void **state)
{
	struct scene scene = {.problems = 0};
	struct rival rivals[CLIENTS];
	struct crew crew = {.n = 0};

	(void)state;
	pthread_barrier_init(&scene.start, NULL, CLIENTS);
	for (int i = 0; i < CLIENTS; i++) {
		scene.clients[i] = client_new(0);
		rivals[i] = (struct rival){&scene, i};
	}
	for (int i = 0; i < CLIENTS; i++)
		crew_add(&crew, go_for_all, &rivals[i]);
	crew_join(&crew);
	assert_int_equal(scene.problems, 0);
	for (int i = 0; i < NAMES; i++)
		assert_int_equal(scene.holders[i], 1);
	for (int i = 0; i < CLIENTS; i++)
		dblock_close(scene.clients[i], NULL);
	pthread_barrier_destroy(&scene.start);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_of_many_gets_a_fresh_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
