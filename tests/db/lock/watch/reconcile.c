/* SPDX-License-Identifier: MIT */
/* The database has forgotten something in a crash, and the client finds it: see
 * src/lock/watch/reconcile.c. Rows are set back by hand here; in postgresql_crash.c a server
 * crashes. */
#include "db/lock/watch/reconcile_kit.h"

static void what_stands_stays(void **state)
{
	struct dblock_acquire_options shared = DBLOCK_ACQUIRE_OPTIONS_INIT,
				      lease = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *locks[3];
	struct scene s;

	(void)state;
	begin(&s);
	shared.mode = DBLOCK_SHARED;
	lease.lease_ms = 600000;
	locks[0] = hold(&s, "x", NULL);
	locks[1] = hold(&s, "shared", &shared);
	locks[2] = hold(&s, "lease", &lease);
	reconcile(&s);
	for (int i = 0; i < 3; i++) {
		assert_true(dblock_valid(locks[i], 0));
		give(locks[i]);
	}
	assert_int_equal(s.lost, 0);
	end(&s);
}

/* ---- forgotten grants ----------------------------------------------------------------------- */

static void a_forgotten_grant_is_lost(void **state)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *lock, *stays;
	struct scene s;

	(void)state;
	begin(&s);
	stays = hold(&s, "stays", NULL);
	lock = hold(&s, "x", NULL);
	raw_exec(s.raw, "UPDATE dblock_lock SET session = NULL, nonce = 0 WHERE name = 'x'");
	is_lost(&s, lock);
	is_free(s.other, "x");
	/* The database has no row of the lock at all. */
	lock = hold(&s, "y", NULL);
	raw_exec(s.raw, "DELETE FROM dblock_lock WHERE name = 'y'");
	is_lost(&s, lock);
	/* Somebody else has the lock. */
	lock = hold(&s, "x", NULL);
	raw_exec(s.raw, "UPDATE dblock_lock SET session = NULL, nonce = 0 WHERE name = 'x'");
	take(s.other, "x");
	is_lost(&s, lock);
	busy(s.client, "x");
	how.lease_ms = 600000;
	lock = hold(&s, "lease", &how);
	raw_exec(s.raw, "UPDATE dblock_lock SET expires = NULL, nonce = 0 WHERE name = 'lease'");
	is_lost(&s, lock);
	how = (struct dblock_acquire_options)DBLOCK_ACQUIRE_OPTIONS_INIT;
	how.mode = DBLOCK_SHARED;
	lock = hold(&s, "shared", &how);
	raw_exec(s.raw, "DELETE FROM dblock_queue WHERE name = 'shared'");
	is_lost(&s, lock);
	assert_true(dblock_valid(stays, 0));
	give(stays);
	end(&s);
}

/* The grant is one of several that are held together, by a row of the queue, as b is shared. (By that of
 * the lock: group_at_once.c.) */
static void a_forgotten_part(void **state)
{
	static const struct dblock_lock_spec wants[] = {{.name = "a"},
							{.name = "b", .mode = DBLOCK_SHARED}};
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct scene s;

	(void)state;
	begin(&s);
	how.lost = told;
	how.lost_arg = &s;
	expect(OK, dblock_try_all(s.client, wants, 2, &how, &lock, &err));
	reconcile(&s);
	assert_true(dblock_valid(lock, 0));
	raw_exec(s.raw, "DELETE FROM dblock_queue WHERE name = 'b'");
	is_lost(&s, lock);
	is_free_soon(s.other, "a");
	end(&s);
}

/* ---- forgotten releases --------------------------------------------------------------------- */

static void a_forgotten_release_is_done_again(void **state)
{
	struct dblock_lock *anchor;
	struct scene s;

	(void)state;
	begin(&s);
	anchor = hold(&s, "anchor", NULL);
	give(hold(&s, "x", NULL));
	raw_exec(s.raw, "UPDATE dblock_lock SET session = '%s', nonce = 4711 WHERE name = 'x'",
		 show(s.other, "anchor").session);
	busy(s.other, "x");
	reconcile(&s);
	is_free_soon(s.other, "x");
	/* A call has left the queue, and by the rows stands there again. */
	raw_exec(s.raw, "INSERT INTO dblock_queue (name, ticket, nonce, session, thread, bell, "
			"since) SELECT "
			"'x', 9000000000000000, 4712, session, 0, '', 0 FROM dblock_lock "
			"WHERE name = 'anchor'");
	reconcile(&s);
	wait_until(in_queue(s.raw) == 0);
	assert_true(dblock_valid(anchor, 0));
	give(anchor);
	end(&s);
}

/* Leases of another client of this process, and one that was left on purpose, stay. */
static void leases_of_others_stay(void **state)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct scene s;

	(void)state;
	begin(&s);
	how.lease_ms = 600000;
	expect(OK, dblock_try(s.other, "lease", &how, &lock, &err));
	reconcile(&s);
	sleep_ms(20);
	reconcile(&s);
	busy(s.client, "lease");
	assert_true(dblock_valid(lock, 0));
	give(lock);
	end(&s);
}

/* ---- while everything goes on --------------------------------------------------------------- */

struct storm {
	struct scene *scene;
	_Atomic bool over;
	_Atomic int problems, done;
};

static void check(struct storm *storm, const char *what, int rc, const struct dblock_error *err)
{
	if (rc)
		note_problem(&storm->problems, what, err);
}

static void *takes_and_gives(void *arg)
{
	struct storm *storm = arg;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	for (int i = 0; !storm->over; i++, storm->done++) {
		struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;

		how.mode = i % 3 == 2 ? DBLOCK_SHARED : DBLOCK_EXCLUSIVE;
		how.wait_ms = PLENTY_MS;
		if (dblock_acquire(storm->scene->client, "hot", &how, &lock, &err)) {
			note_problem(&storm->problems, "acquire", &err);
			continue;
		}
		if (!dblock_valid(lock, 0))
			note_problem(&storm->problems, "not valid", &err);
		check(storm, "release", dblock_release(lock, &err), &err);
	}
	return NULL;
}

static void *up_and_down(void *arg)
{
	struct storm *storm = arg;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	for (; !storm->over; storm->done++) {
		if (dblock_acquire(storm->scene->client, "mine", NULL, &lock, &err)) {
			note_problem(&storm->problems, "acquire", &err);
			continue;
		}
		check(storm, "downgrade", dblock_downgrade(lock, DBLOCK_SHARED, &err), &err);
		check(storm, "upgrade", dblock_upgrade(lock, NULL, &err), &err);
		check(storm, "release", dblock_release(lock, &err), &err);
	}
	return NULL;
}

static void *reconciles(void *arg)
{
	struct storm *storm = arg;

	while (!storm->over) {
		dbl_reconcile_soon(storm->scene->client->locks);
		sleep_ms(1);
	}
	return NULL;
}

static void nobody_is_disturbed(void **state)
{
	struct crew crew = {.n = 0};
	struct storm storm = {.over = false};
	struct scene s;
	int64_t until;

	(void)state;
	begin(&s);
	storm.scene = &s;
	crew_add(&crew, reconciles, &storm);
	for (int i = 0; i < 3; i++)
		crew_add(&crew, takes_and_gives, &storm);
	crew_add(&crew, up_and_down, &storm);
	until = clock_ms() + 700;
	while (clock_ms() < until || storm.done < 100)
		sleep_ms(10);
	storm.over = true;
	crew_join(&crew);
	assert_int_equal(storm.problems, 0);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_stands_stays),
		cmocka_unit_test(a_forgotten_grant_is_lost),
		cmocka_unit_test(a_forgotten_part),
		cmocka_unit_test(a_forgotten_release_is_done_again),
		cmocka_unit_test(leases_of_others_stay),
		cmocka_unit_test(nobody_is_disturbed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
