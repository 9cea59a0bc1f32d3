/* SPDX-License-Identifier: MIT */
/* Shared, update, exclusive and permits: who goes together with whom, in order of the line. */
#include "support/kit.h"

static struct dblock_acquire_options in_mode(enum dblock_mode mode)
{
	struct dblock_acquire_options o = DBLOCK_ACQUIRE_OPTIONS_INIT;

	o.mode = mode;
	o.wait_ms = PLENTY_MS;
	return o;
}

static struct dblock_acquire_options permits(int64_t n, int64_t capacity)
{
	struct dblock_acquire_options o = in_mode(DBLOCK_PERMITS);

	o.permits = n;
	o.capacity = capacity;
	return o;
}

static int try_as(struct dblock_client *client, const char *name, struct dblock_acquire_options o,
		  struct dblock_lock **lock)
{
	struct dblock_error err = {0};
	int rc = dblock_try(client, name, &o, lock, &err);

	if (rc < 0)
		print_error("%s\n", err.message);
	return rc;
}

static struct dblock_lock *take_as(struct dblock_client *client, const char *name,
				   struct dblock_acquire_options o)
{
	struct dblock_lock *lock;

	assert_int_equal(try_as(client, name, o, &lock), DBLOCK_OK);
	assert_true(dblock_valid(lock, 0));
	assert_int_equal(dblock_mode_of(lock), o.mode);
	return lock;
}

static void is_busy(struct dblock_client *client, const char *name, struct dblock_acquire_options o)
{
	struct dblock_lock *lock;

	assert_int_equal(try_as(client, name, o, &lock), DBLOCK_BUSY);
	assert_null(lock);
}

/* What goes together, by the table in dblock/lock.h. */
static void each_pair(void **state)
{
	static const bool together[3][3] = {
		{false, false, false}, {false, true, true}, {false, true, false}};
	struct dblock_client *a = client_new(0), *b = client_new(0);

	(void)state;
	for (int held = 0; held < 3; held++) {
		for (int wanted = 0; wanted < 3; wanted++) {
			struct dblock_lock *mine = take_as(a, "p", in_mode(held)), *theirs;

			if (together[held][wanted]) {
				theirs = take_as(b, "p", in_mode(wanted));
				assert_true(dblock_token(theirs) > dblock_token(mine));
				give(theirs);
			} else {
				is_busy(b, "p", in_mode(wanted));
			}
			give(mine);
			give(take_as(b, "p", in_mode(wanted)));
		}
	}
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void as_many_permits_as_there_are(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *three = take_as(a, "s", permits(3, 5));
	struct dblock_lock *two = take_as(b, "s", permits(2, 5)), *one;

	(void)state;
	is_busy(a, "s", permits(1, 5));
	give(two);
	one = take_as(a, "s",
		      permits(1, 5)); /* by the same thread: permits are not entered again */
	assert_ptr_not_equal(one, three);
	is_busy(b, "s", permits(2, 5));
	give(three);
	give(take_as(b, "s", permits(4, 5)));
	give(one);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void a_name_keeps_its_kind_while_in_use(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_acquire_options shared = in_mode(DBLOCK_SHARED), five = permits(1, 5);
	struct dblock_acquire_options six = permits(1, 6);
	struct dblock_lock *held = take_as(a, "k", permits(1, 5)), *lock;
	struct dblock_error err = {0};

	(void)state;
	expect(E_INVALID, dblock_try(b, "k", &shared, &lock, &err));
	message_has("semaphore of 5");
	expect(E_INVALID, dblock_try(b, "k", &six, &lock, &err));
	message_has("semaphore of 5");
	give(held);
	held = take_as(a, "k", shared);
	expect(E_INVALID, dblock_try(b, "k", &five, &lock, &err));
	message_has("without permits");
	give(held);
	held = take(a, "k");
	expect(E_INVALID, dblock_acquire(b, "k", &five, &lock, &err));
	give(held);
	give(take_as(b, "k", six));
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void reentry_in_each_mode(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_acquire_options x = in_mode(DBLOCK_EXCLUSIVE), s = in_mode(DBLOCK_SHARED);
	struct dblock_lock *lock = take_as(client, "r", s), *again;
	struct dblock_error err = {0};

	(void)state;
	expect(OK, dblock_try(client, "r", &s, &again, &err));
	assert_ptr_equal(again, lock);
	expect(E_INVALID, dblock_try(client, "r", &x, &again, &err));
	message_has("dblock_upgrade");
	expect(E_INVALID, dblock_acquire(client, "r", &x, &again, &err));
	give(lock);
	give(lock);
	lock = take(client, "r");
	expect(OK, dblock_try(client, "r", &s, &again, &err));
	assert_ptr_equal(again, lock);
	assert_int_equal(dblock_mode_of(lock), DBLOCK_EXCLUSIVE);
	give(lock);
	give(lock);
	dblock_close(client, NULL);
}

static void up_and_down(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0), *c = client_new(0);
	struct dblock_lock *lock = take_as(a, "u", in_mode(DBLOCK_SHARED)), *theirs;
	struct dblock_error err = {0};
	int64_t token = dblock_token(lock);

	(void)state;
	expect(OK, dblock_upgrade(lock, NULL, &err));
	assert_int_equal(dblock_mode_of(lock), DBLOCK_EXCLUSIVE);
	assert_true(dblock_token(lock) > token);
	is_busy(b, "u", in_mode(DBLOCK_SHARED));
	expect(OK, dblock_downgrade(lock, DBLOCK_SHARED, &err));
	theirs = take_as(b, "u", in_mode(DBLOCK_SHARED));
	is_busy(c, "u", in_mode(DBLOCK_EXCLUSIVE));
	give(theirs);
	give(lock);

	lock = take(a, "u");
	token = dblock_token(lock);
	expect(OK, dblock_downgrade(lock, DBLOCK_UPDATE, &err));
	assert_int_equal(dblock_token(lock), token);
	theirs = take_as(b, "u", in_mode(DBLOCK_SHARED));
	is_busy(c, "u", in_mode(DBLOCK_UPDATE));
	expect(OK, dblock_downgrade(lock, DBLOCK_SHARED, &err));
	expect(E_INVALID, dblock_downgrade(lock, DBLOCK_UPDATE, &err));
	assert_true(dblock_valid(lock, 0));
	give(theirs);
	give(lock);
	is_free(b, "u");
	dblock_close(a, NULL);
	dblock_close(b, NULL);
	dblock_close(c, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_pair),
		cmocka_unit_test(as_many_permits_as_there_are),
		cmocka_unit_test(a_name_keeps_its_kind_while_in_use),
		cmocka_unit_test(reentry_in_each_mode),
		cmocka_unit_test(up_and_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
