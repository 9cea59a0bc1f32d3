/* SPDX-License-Identifier: MIT */
/* Paths: who has all that is below a node excludes whoever is there. */
#include "support/kit.h"

#include <dblock/group.h>

static struct dblock_lock *gets(struct dblock_client *client, const char *path)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	expect(OK, dblock_try_tree(client, path, NULL, &lock, &err));
	assert_true(dblock_valid(lock, 0));
	return lock;
}

static void is_kept_from(struct dblock_client *client, const char *path, const char *by)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	expect(BUSY, dblock_try_tree(client, path, NULL, &lock, &err));
	assert_null(lock);
	message_has(by);
}

static void those_below_do_not_exclude_each_other(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0), *c = client_new(0);
	struct dblock_lock *one = gets(a, "t7/orders/1"), *two = gets(b, "t7/orders/2"), *all;
	struct dblock_member part = DBLOCK_MEMBER_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *none;

	(void)state;
	is_kept_from(b, "t7/orders/1", "'t7/orders/1'");
	is_kept_from(c, "t7/**", "'t7/**'");
	is_kept_from(c, "t7/orders/**", "'t7/orders/**'");
	all = gets(c, "t8/**");
	give(all);
	all = gets(c, "t7/items/**"); /* beside the two, and under the same node */
	is_kept_from(a, "t7/items/1", "'t7/items/**'");
	is_kept_from(b, "t7/items/x/y", "'t7/items/**'");
	assert_true(dblock_member_of(all, 0, &part));
	assert_string_equal(part.name, "t7/**");
	assert_int_equal(part.mode, DBLOCK_SHARED);
	assert_true(dblock_member_of(all, 1, &part));
	assert_string_equal(part.name, "t7/items/**");
	assert_int_equal(part.mode, DBLOCK_EXCLUSIVE);
	assert_false(dblock_member_of(all, 2, &part));
	give(one);
	give(two);
	is_kept_from(a, "t7/**", "'t7/**'");
	give(all);
	all = gets(a, "t7/**");
	is_kept_from(b, "t7/orders/1", "'t7/**'");
	is_kept_from(b, "t7/orders/**", "'t7/**'");
	/* By another call it is another lock. */
	expect(OK, dblock_try(b, "t7/orders/1", NULL, &none, &err));
	give(none);
	give(all);
	give(gets(b, "t7/orders/1"));
	dblock_close(a, NULL);
	dblock_close(b, NULL);
	dblock_close(c, NULL);
}

static void a_node_is_not_what_is_below_it(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *node = gets(a, "t7"), *below = gets(b, "t7/x"), *none;
	struct dblock_acquire_options shared = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};

	(void)state;
	give(node);
	give(below);
	shared.mode = DBLOCK_SHARED;
	expect(OK, dblock_try_tree(a, "t7/x", &shared, &node, &err));
	expect(OK, dblock_try_tree(b, "t7/x", &shared, &below, &err));
	expect(E_INVALID, dblock_try_tree(b, "t7/**", &shared, &none, &err));
	message_has("cannot be shared");
	give(node);
	give(below);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

struct job {
	struct dblock_client *client;
	struct dblock_lock *_Atomic lock;
	_Atomic int rc;
};

static void *wait_for_all(void *arg)
{
	struct job *job = arg;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	job->rc = dblock_acquire_tree(job->client, "t7/**", NULL, &lock, &err);
	job->lock = lock;
	return NULL;
}

/* Naive: those below go on coming and going beside each other, and who wants all of it never has it. */
static void who_waits_for_all_is_not_starved(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct job job = {.client = client_new(0), .rc = -1};
	struct dblock_lock *one = gets(a, "t7/1"), *more;
	int64_t until = clock_ms() + PLENTY_MS;
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, wait_for_all, &job), 0);
	while (dblock_try_tree(b, "t7/2", NULL, &more, NULL) == 0 && clock_ms() < until) {
		give(more);
		sleep_ms(2);
	}
	is_kept_from(b, "t7/2", "t7/");
	give(one);
	pthread_join(thread, NULL);
	assert_int_equal(job.rc, 0);
	is_kept_from(b, "t7/2", "'t7/**'");
	give(job.lock);
	give(gets(b, "t7/2"));
	dblock_close(job.client, NULL);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void bad_paths(void **state)
{
	static const struct {
		const char *path, *word;
	} bad[] = {{"", "empty"},
		   {"/a", "has an empty name"},
		   {"a//b", "has an empty name"},
		   {"a/", "has an empty name"},
		   {"a/**/b", "in its middle"},
		   {"**/b", "in its middle"},
		   {"1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17", "too many names"}};
	struct dblock_acquire_options lease = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *client = client_new(0);
	char lengthy[DBLOCK_NAME_MAX + 1];
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		expect(E_INVALID, dblock_try_tree(client, bad[i].path, NULL, &lock, &err));
		message_has(bad[i].word);
		assert_null(lock);
	}
	memset(lengthy, 'x', DBLOCK_NAME_MAX);
	lengthy[DBLOCK_NAME_MAX] = '\0';
	lengthy[DBLOCK_NAME_MAX - 2] = '/';
	expect(E_INVALID, dblock_try_tree(client, lengthy, NULL, &lock, &err));
	message_has("too long");
	lease.lease_ms = 1000;
	expect(E_INVALID, dblock_try_tree(client, "a/b", &lease, &lock, &err));
	give(gets(client, "1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16"));
	give(gets(client, "**"));
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_below_do_not_exclude_each_other),
		cmocka_unit_test(a_node_is_not_what_is_below_it),
		cmocka_unit_test(who_waits_for_all_is_not_starved),
		cmocka_unit_test(bad_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
