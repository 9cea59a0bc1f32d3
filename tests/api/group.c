/* SPDX-License-Identifier: MIT */
/* Several locks at once: all or none. */
#include "support/kit.h"

#include <dblock/group.h>

static const struct dblock_lock_spec abc[] = {{.name = "c"}, {.name = "a"}, {.name = "b"}};

static void all_of_them(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_error err = {0};
	struct dblock_member part = DBLOCK_MEMBER_INIT;
	struct dblock_lock *all, *one;
	int64_t before = is_free(b, "b");

	(void)state;
	expect(OK, dblock_acquire_all(a, abc, 3, NULL, &all, &err));
	assert_true(dblock_valid(all, 0));
	assert_string_equal(dblock_name(all), "a, b, c");
	for (int i = 0; i < 3; i++) {
		assert_true(dblock_member_of(all, i, &part));
		assert_int_equal(part.name[0], 'a' + i);
		assert_true(part.token > 0);
		assert_true(part.token <= dblock_token(all));
		busy(b, part.name);
	}
	assert_true(dblock_member_of(all, 1, &part));
	assert_true(part.token > before);
	assert_false(dblock_member_of(all, 3, &part));
	expect(E_INVALID, dblock_try(a, "b", NULL, &one, &err));
	expect(E_INVALID, dblock_upgrade(all, NULL, &err));
	give(all);
	for (int i = 0; i < 3; i++)
		is_free(b, abc[i].name);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void or_none(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_acquire_options brief = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *held = take(b, "b"), *all;
	struct dblock_error err = {0};

	(void)state;
	expect(BUSY, dblock_try_all(a, abc, 3, NULL, &all, &err));
	assert_null(all);
	message_has("'b'");
	brief.wait_ms = 50;
	expect(TIMEOUT, dblock_acquire_all(a, abc, 3, &brief, &all, &err));
	message_has("'b'");
	is_free(b, "a");
	is_free(b, "c");
	give(held);
	expect(OK, dblock_try_all(a, abc, 3, NULL, &all, &err));
	give(all);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

struct job {
	struct dblock_client *client;
	const struct dblock_lock_spec *wants;
	size_t n;
	_Atomic bool has;
	_Atomic int problems;
	_Atomic bool let_go;
};

static void *take_all(void *arg)
{
	struct job *job = arg;
	struct dblock_error err = {0};
	struct dblock_lock *all;

	if (dblock_acquire_all(job->client, job->wants, job->n, NULL, &all, &err)) {
		note_problem(&job->problems, "acquire_all", &err);
		return NULL;
	}
	job->has = true;
	while (!job->let_go)
		usleep(1000);
	if (dblock_release(all, &err))
		note_problem(&job->problems, "release", &err);
	return NULL;
}

/* Until somebody has it, or stands in line for it. */
static void until_busy(struct dblock_client *client, const char *name)
{
	struct dblock_lock *lock;

	while (dblock_try(client, name, NULL, &lock, NULL) == DBLOCK_OK) {
		give(lock);
		usleep(1000);
	}
}

/* It gets them when the last is free; and keeps nobody from the others before. */
static void it_waits_for_the_last(void **state)
{
	struct job job = {.client = client_new(0), .wants = abc, .n = 3};
	struct dblock_client *b = client_new(0);
	struct dblock_lock *held = take(b, "b");
	struct crew crew = {.n = 0};

	(void)state;
	crew_add(&crew, take_all, &job);
	/* It may be in the way for a moment, when it asks for all at once; only then it joins the lines. */
	until_busy(b, "a");
	until_busy(b, "c");
	assert_false(job.has);
	give(held);
	while (!job.has && !job.problems)
		usleep(1000);
	busy(b, "a");
	job.let_go = true;
	crew_join(&crew);
	assert_int_equal(job.problems, 0);
	is_free_soon(b, "c");
	dblock_close(job.client, NULL);
	dblock_close(b, NULL);
}

/* In whatever order they name them. */
static void crossing_groups(void **state)
{
	static const struct dblock_lock_spec orders[4][3] = {
		{{.name = "x"}, {.name = "y"}, {.name = "z"}},
		{{.name = "z"}, {.name = "x"}},
		{{.name = "y"}, {.name = "z"}},
		{{.name = "y"}, {.name = "x"}, {.name = "z"}},
	};
	static const size_t n[4] = {3, 2, 2, 3};
	struct job jobs[4];
	struct crew crew = {.n = 0};

	(void)state;
	for (int i = 0; i < 4; i++) {
		jobs[i] = (struct job){
			.client = client_new(0), .wants = orders[i], .n = n[i], .let_go = true};
	}
	for (int round = 0; round < 5; round++) {
		for (int i = 0; i < 4; i++)
			crew_add(&crew, take_all, &jobs[i]);
		crew_join(&crew);
	}
	for (int i = 0; i < 4; i++) {
		assert_int_equal(jobs[i].problems, 0);
		dblock_close(jobs[i].client, NULL);
	}
}

static void with_modes(void **state)
{
	static const struct dblock_lock_spec mixed[] = {
		{.name = "read", .mode = DBLOCK_SHARED},
		{.name = "pool", .mode = DBLOCK_PERMITS, .permits = 2, .capacity = 3},
		{.name = "write"}};
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_acquire_options shared = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *all, *one;

	(void)state;
	shared.mode = DBLOCK_SHARED;
	expect(OK, dblock_acquire_all(a, mixed, 3, NULL, &all, &err));
	expect(OK, dblock_try(b, "read", &shared, &one, &err));
	give(one);
	expect(BUSY, dblock_try_all(b, mixed, 3, NULL, &one, &err));
	busy(b, "write");
	give(all);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void bad_wishes(void **state)
{
	static const struct dblock_lock_spec twice[] = {{.name = "a"}, {.name = "a"}};
	struct dblock_acquire_options lease = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *client = client_new(0);
	struct dblock_lock *held = take(client, "a"), *all;
	struct dblock_error err = {0};

	(void)state;
	lease.lease_ms = 1000;
	expect(E_INVALID, dblock_acquire_all(client, twice, 2, NULL, &all, &err));
	message_has("twice");
	expect(E_INVALID, dblock_acquire_all(client, abc, 0, NULL, &all, &err));
	expect(E_INVALID, dblock_acquire_all(client, abc, 3, &lease, &all, &err));
	message_has("lease_ms");
	expect(E_INVALID, dblock_acquire_all(client, abc, 3, NULL, &all, &err));
	message_has("holds it already");
	give(held);
	expect(OK, dblock_acquire_all(client, abc, 1, NULL, &all, &err));
	assert_string_equal(dblock_name(all), "c");
	give(all);
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_them),
		cmocka_unit_test(or_none),
		cmocka_unit_test(it_waits_for_the_last),
		cmocka_unit_test(crossing_groups),
		cmocka_unit_test(with_modes),
		cmocka_unit_test(bad_wishes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
