/* SPDX-License-Identifier: MIT */
/* The file is replaced while clients have it open: there are two files of one name then, and two
 * sets of locks. A client that holds something in the old one must learn that it counts no more. */
#include <sys/stat.h>

#include "support/kit.h"

#define TTL_MS SLOWLY_MS(900)

static char path[500], aside[520], copy[520];

static void name_files(void)
{
	snprintf(path, sizeof(path), "%s", strstr(test_url(), "//") + 2);
	snprintf(aside, sizeof(aside), "%s.aside", path);
	snprintf(copy, sizeof(copy), "%s.copy", path);
}

/* Each test begins without a file. */
static int clean_up(void **state)
{
	static const char *const tails[] = {"", "-wal", "-shm"};
	char name[600];

	(void)state;
	name_files();
	for (size_t i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "%s%s", path, tails[i]);
		unlink(name);
		snprintf(name, sizeof(name), "%s%s", aside, tails[i]);
		unlink(name);
		snprintf(name, sizeof(name), "%s%s", copy, tails[i]);
		unlink(name);
	}
	return 0;
}

/* Makes a backup: a whole file, as `sqlite3 .backup` makes it. */
static void back_up(void)
{
	FILE *from, *to;
	int c;

	/* When the last connection is closed, SQLite moves everything into the file. */
	dblock_close(client_new(0), NULL);
	from = fopen(path, "rb");
	to = fopen(copy, "wb");
	assert_non_null(from);
	assert_non_null(to);
	while ((c = getc(from)) != EOF)
		putc(c, to);
	fclose(from);
	fclose(to);
}

/* Moves the file away with its log and index: whoever restores a backup has to do that. */
static void put_aside(void)
{
	static const char *const tails[] = {"", "-wal", "-shm"};
	char from[600], to[600];

	for (size_t i = 0; i < 3; i++) {
		snprintf(from, sizeof(from), "%s%s", path, tails[i]);
		snprintf(to, sizeof(to), "%s%s", aside, tails[i]);
		(void)rename(from, to);
	}
}

static void restore(void)
{
	put_aside();
	assert_int_equal(rename(copy, path), 0);
}

/* Nobody calls the client meanwhile: its heartbeat notices, in less than a ttl. */
static void wait_until_lost(struct dblock_lock *lock)
{
	int64_t until = clock_ms() + PLENTY_MS;

	while (dblock_valid(lock, 0) && clock_ms() < until)
		sleep_ms(5);
	assert_false(dblock_valid(lock, 0));
}

static void a_restored_backup_ends_what_was_held(void **state)
{
	struct dblock_client *client, *newcomer;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	back_up();
	client = client_new(TTL_MS);
	lock = take(client, "x");
	restore();
	wait_until_lost(lock);
	/* The client has gone on to the new file by itself, and sees what others do there. */
	newcomer = client_new(0);
	give(take(client, "x"));
	(void)take(client, "y");
	busy(newcomer, "y");
	expect(LOST, dblock_release(lock, &err));
	dblock_close(client, NULL);
	is_free(newcomer, "y");
	dblock_close(newcomer, NULL);
}

/* With a ttl of an hour no heartbeat comes to help: the request itself notices. */
static void a_request_goes_to_the_new_file(void **state)
{
	struct dblock_client *client, *newcomer;
	struct dblock_error err = {0};
	struct dblock_lock *lock, *next;

	(void)state;
	back_up();
	client = client_new(3600 * 1000);
	lock = take(client, "x");
	restore();
	newcomer = client_new(0);
	next = take(client, "y");
	busy(newcomer, "y");
	/* The session was in the old file only, so its lock is not held. */
	assert_false(dblock_valid(lock, 0));
	expect(LOST, dblock_release(lock, &err));
	give(next);
	dblock_close(client, NULL);
	dblock_close(newcomer, NULL);
}

static void a_release_finds_out_too(void **state)
{
	struct dblock_client *client;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	back_up();
	client = client_new(3600 * 1000);
	lock = take(client, "x");
	restore();
	expect(LOST, dblock_release(lock, &err));
	is_free(client, "x");
	dblock_close(client, NULL);
}

/* No file takes its place: the one that SQLite makes anew has no tables, and the client says so. */
static void a_deleted_file_ends_what_was_held(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client, *newcomer;
	struct dblock_lock *lock, *next;
	struct dblock_error err = {0};

	(void)state;
	options.ttl_ms = TTL_MS;
	options.timeout_ms = 2000;
	client = client_with(&options);
	lock = take(client, "x");
	put_aside();
	wait_until_lost(lock);
	expect(E_SCHEMA, dblock_try(client, "y", NULL, &next, &err));
	message_has("no such table");
	assert_null(next);
	/* A newcomer makes the tables in the empty file, and then everybody goes on. */
	newcomer = client_new(0);
	give(take(newcomer, "y"));
	give(take(client, "y"));
	expect(LOST, dblock_release(lock, &err));
	dblock_close(client, NULL);
	dblock_close(newcomer, NULL);
}

/* Returns false if the machine was too busy for the first heartbeat to come long before the
 * deadline. */
static bool is_told_before_the_deadline(int64_t ttl_ms)
{
	struct dblock_client *client = client_new(ttl_ms);
	struct dblock_lock *lock = take(client, "x");
	int64_t left = 0, now;

	put_aside();
	while ((now = dblock_remaining_ms(lock)) > 0) {
		left = now;
		sleep_ms(5);
	}
	(void)dblock_release(lock, NULL);
	dblock_close(client, NULL);
	return left > ttl_ms / 4;
}

/* An empty file has no session of ours, so the lock is certainly lost, and that is told at once. */
static void a_deleted_file_is_told_early(void **state)
{
	int64_t ttl_ms = 1200;

	(void)state;
	while (!is_told_before_the_deadline(ttl_ms)) {
		clean_up(NULL);
		ttl_ms *= 2;
		assert_true(ttl_ms < PLENTY_MS);
	}
}

/* A link that now leads to another file is another file, too. */
static void a_link_that_was_turned_is_noticed(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct dblock_lock *lock;
	char url[700], link[600];

	(void)state;
	back_up();
	snprintf(link, sizeof(link), "%s.link", path);
	snprintf(url, sizeof(url), "sqlite:%s", link);
	unlink(link);
	assert_int_equal(symlink(path, link), 0);
	options.ttl_ms = TTL_MS;
	options.timeout_ms = PLENTY_MS;
	expect(OK, dblock_open(url, &options, &client, &err));
	lock = take(client, "x");
	assert_int_equal(unlink(link), 0);
	assert_int_equal(symlink(copy, link), 0);
	wait_until_lost(lock);
	expect(LOST, dblock_release(lock, &err));
	dblock_close(client, NULL);
	unlink(link);
}

static void in_name(char name[600], const char *tail)
{
	snprintf(name, 600, "%s%s", path, tail);
}

/* A script that "cleans up" may do this: a newcomer begins a new log, or index, and knows nothing
 * of what was locked. If nobody else uses the file, the client goes on by itself. */
static void a_side_file_goes(const char *tail, bool another_comes)
{
	struct dblock_client *client;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	char side[600];

	in_name(side, tail);
	back_up();
	client = client_new(TTL_MS);
	lock = take(client, "x");
	assert_int_equal(unlink(side), 0);
	if (another_comes)
		fclose(fopen(side, "wb"));
	wait_until_lost(lock);
	expect(LOST, dblock_release(lock, &err));
	give(take(client, "x"));
	dblock_close(client, NULL);
}

static void a_deleted_log_ends_what_was_held(void **state)
{
	(void)state;
	a_side_file_goes("-wal", false);
}

static void a_replaced_log_ends_what_was_held(void **state)
{
	(void)state;
	a_side_file_goes("-wal", true);
}

static void a_deleted_index_ends_what_was_held(void **state)
{
	(void)state;
	a_side_file_goes("-shm", false);
}

/* Nobody may begin with a new log or index while somebody has the old one: two would write to one
 * place. (Within a process a new index is refused. Another process begins a new one, and the client
 * that has the old one notices before its next statement.) */
static void nobody_opens_beside_an_old_one(void **state, const char *tail)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client, *newcomer;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	char side[600];

	(void)state;
	in_name(side, tail);
	back_up();
	options.timeout_ms = 2000; /* also for its close, which cannot reach the file any more */
	client = client_with(&options);
	lock = take(client, "x");
	assert_int_equal(unlink(side), 0);
	expect(E_UNAVAILABLE, dblock_open(test_url(), &options, &newcomer, &err));
	message_has("was deleted while it was in use");
	(void)dblock_release(lock, NULL);
	dblock_close(client, NULL);
	newcomer = client_new(0);
	give(take(newcomer, "y"));
	dblock_close(newcomer, NULL);
}

static void nobody_opens_beside_an_old_log(void **state)
{
	nobody_opens_beside_an_old_one(state, "-wal");
}

static void nobody_opens_beside_an_old_index(void **state)
{
	nobody_opens_beside_an_old_one(state, "-shm");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_restored_backup_ends_what_was_held, clean_up),
		cmocka_unit_test_setup(a_request_goes_to_the_new_file, clean_up),
		cmocka_unit_test_setup(a_release_finds_out_too, clean_up),
		cmocka_unit_test_setup(a_deleted_file_ends_what_was_held, clean_up),
		cmocka_unit_test_setup(a_deleted_file_is_told_early, clean_up),
		cmocka_unit_test_setup(a_link_that_was_turned_is_noticed, clean_up),
		cmocka_unit_test_setup(a_deleted_log_ends_what_was_held, clean_up),
		cmocka_unit_test_setup(a_replaced_log_ends_what_was_held, clean_up),
		cmocka_unit_test_setup(a_deleted_index_ends_what_was_held, clean_up),
		cmocka_unit_test_setup(nobody_opens_beside_an_old_log, clean_up),
		cmocka_unit_test_setup(nobody_opens_beside_an_old_index, clean_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
