/* SPDX-License-Identifier: MIT */
/* Two paths to one file are two sets of locks, unless both end in the same folder. These tests
 * check which paths are refused, so that nobody holds what another holds, and which are one file,
 * whatever its name. */
#include <errno.h>
#include <sched.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <dblock/sqlite.h>

#include "base/fs.h"
#include "support/kit.h"

static char *in_tmp(const char *name)
{
	static char paths[16][500];
	static unsigned next;
	char *path = paths[next++ % 16];

	snprintf(path, 500, "%s/%s", test_env("DBLOCK_TEST_TMP"), name);
	return path;
}

static int open_path(const char *path, struct dblock_client **client, struct dblock_error *err)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	char url[600];

	options.timeout_ms = PLENTY_MS;
	snprintf(url, sizeof(url), "sqlite:%s", path);
	return dblock_open(url, &options, client, err);
}

static struct dblock_client *must_open(const char *path)
{
	struct dblock_error err = {0};
	struct dblock_client *client;

	expect(OK, open_path(path, &client, &err));
	return client;
}

static void make_folder(const char *path)
{
	if (mkdir(path, 0700))
		assert_int_equal(errno, EEXIST);
}

/* Makes a database with its tables, which nobody has open. */
static const char *make_file(const char *path)
{
	dblock_close(must_open(path), NULL);
	return path;
}

static bool is_there(const char *path, const char *tail)
{
	char name[600];
	struct stat st;

	snprintf(name, sizeof(name), "%s%s", path, tail);
	return stat(name, &st) == 0;
}

/* The file is refused by that path, and nothing has been touched. */
static void is_refused(const char *path, const char *says)
{
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct stat before, after;

	assert_int_equal(stat(path, &before), 0);
	expect(E_INVALID, open_path(path, &client, &err));
	assert_null(client);
	message_has(path);
	message_has(says);
	assert_int_equal(stat(path, &after), 0);
	assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof(before.st_mtim));
	assert_int_equal(before.st_size, after.st_size);
	assert_false(is_there(path, "-wal"));
	assert_false(is_there(path, "-shm"));
}

/* A lock that is held by the one path is held by the other. */
static void are_one(const char *a, const char *b)
{
	struct dblock_client *here = must_open(a), *there = must_open(b);
	struct dblock_lock *lock = take(here, "x");

	busy(there, "x");
	give(lock);
	give(take(there, "x"));
	dblock_close(here, NULL);
	dblock_close(there, NULL);
}

static void hard_links_are_refused(void **state)
{
	const char *a = make_file(in_tmp("linked.db")), *b, *c;

	(void)state;
	make_folder(in_tmp("other"));
	b = in_tmp("linked2.db");
	c = in_tmp("other/linked.db");
	assert_int_equal(link(a, b), 0);
	is_refused(a, "2 names");
	is_refused(b, "-samefile");
	assert_int_equal(unlink(b), 0);
	/* It makes no difference that the file lies in another folder. */
	assert_int_equal(link(a, c), 0);
	is_refused(a, "2 names");
	is_refused(c, "2 names");
	assert_int_equal(unlink(a), 0);
	dblock_close(must_open(c), NULL);
}

/* A newcomer by the new path is refused, and so are those who have the file open, until the link is
 * gone. */
static void a_link_that_is_made_later(void **state)
{
	const char *a = in_tmp("later.db"), *b = in_tmp("later2.db");
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client, *other;
	struct dblock_lock *lock, *none;
	struct dblock_error err = {0};
	char url[600];

	(void)state;
	options.timeout_ms = 3000;
	snprintf(url, sizeof(url), "sqlite:%s", a);
	expect(OK, dblock_open(url, &options, &client, &err));
	lock = take(client, "x");
	assert_int_equal(link(a, b), 0);
	sleep_ms(5);
	expect(E_UNAVAILABLE, dblock_try(client, "y", NULL, &none, &err));
	message_has("2 names");
	expect(E_INVALID, open_path(b, &other, &err));
	expect(E_INVALID, open_path(a, &other, &err));
	assert_int_equal(unlink(b), 0);
	give(take(client, "y"));
	assert_true(dblock_valid(lock, 0));
	give(lock);
	dblock_close(client, NULL);
}

static void symbolic_links_are_one_file(void **state)
{
	const char *a = make_file(in_tmp("target.db")), *b = in_tmp("other/by_link.db");

	(void)state;
	make_folder(in_tmp("other"));
	assert_int_equal(symlink("../target.db", b), 0);
	are_one(a, b);
	assert_int_equal(symlink(test_env("DBLOCK_TEST_TMP"), in_tmp("folder_link")), 0);
	are_one(b, in_tmp("folder_link/target.db"));
}

/* A sqlite3 of the application's own is opened by another name of the file. */
static void an_adopted_connection_by_another_name_is_refused(void **state)
{
	const char *a = make_file(in_tmp("theirs.db")), *b = in_tmp("theirs2.db");
	struct dblock_error err = {0};
	struct dblock_tx *tx;
	sqlite3 *db;

	(void)state;
	assert_int_equal(link(a, b), 0);
	assert_int_equal(sqlite3_open(b, &db), SQLITE_OK);
	expect(E_INVALID, dblock_tx_from_sqlite(db, NULL, &tx, &err));
	assert_null(tx);
	message_has(b);
	message_has("2 names");
	assert_int_equal(unlink(a), 0);
	expect(OK, dblock_tx_from_sqlite(db, NULL, &tx, &err));
	dblock_tx_close(tx);
	sqlite3_close(db);
}

/* ---- mounts: each test in a mount namespace of its own process ------------------------------- */

static void may_mount(void)
{
	if (unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
		return;
	print_message("not run: this user may not mount (%s)\n", strerror(errno));
	skip();
}

static void bind_to(const char *from, const char *to)
{
	if (mount(from, to, NULL, MS_BIND, NULL))
		fail_msg("mount %s at %s: %s", from, to, strerror(errno));
}

static int unmount(const char *at)
{
	return umount2(at, MNT_DETACH);
}

static void a_mount_of_the_file_alone_is_refused(void **state)
{
	const char *a = make_file(in_tmp("mounted.db")), *b, *odd;
	struct dblock_error err = {0};
	struct dblock_tx *tx;
	sqlite3 *db;

	(void)state;
	may_mount();
	make_folder(in_tmp("inside"));
	b = in_tmp("inside/odd \\ name.db");
	fclose(fopen(b, "wb"));
	bind_to(a, b);
	is_refused(b, "mount the folder");
	assert_true(dbl_fs_is_listed_mount(b));
	assert_false(dbl_fs_is_listed_mount(a));
	/* The same is refused through a link, and for a connection of the application's own. */
	odd = in_tmp("to_mounted");
	assert_int_equal(symlink(b, odd), 0);
	is_refused(odd, "mount the folder");
	assert_int_equal(sqlite3_open(b, &db), SQLITE_OK);
	expect(E_INVALID, dblock_tx_from_sqlite(db, NULL, &tx, &err));
	sqlite3_close(db);
	/* The original file, which was copied to the overlay, can be used as before. */
	dblock_close(must_open(a), NULL);
	assert_int_equal(unmount(b), 0);
}

static void mounts_of_the_folder_are_one_file(void **state)
{
	const char *folder = in_tmp("volume"), *at = in_tmp("volume_elsewhere");
	const char *a = in_tmp("volume/v.db"), *b = in_tmp("volume_elsewhere/v.db");

	(void)state;
	may_mount();
	make_folder(folder);
	make_folder(at);
	bind_to(folder, at);
	are_one(a, b);
	assert_int_equal(unmount(at), 0);
}

/* A container sees its image like this: two names below become two files as soon as one is written.
 */
static void a_file_on_an_overlay_is_a_file(void **state)
{
	const char *at = in_tmp("merged");
	char how[2000];

	(void)state;
	may_mount();
	make_folder(in_tmp("lower"));
	make_folder(in_tmp("upper"));
	make_folder(in_tmp("work"));
	make_folder(at);
	make_file(in_tmp("lower/o.db"));
	snprintf(how, sizeof(how), "lowerdir=%s,upperdir=%s,workdir=%s", in_tmp("lower"),
		 in_tmp("upper"), in_tmp("work"));
	if (mount("overlay", at, "overlay", 0, how)) {
		print_message("not run: no overlay here (%s)\n", strerror(errno));
		skip();
	}
	are_one(in_tmp("merged/o.db"), in_tmp("merged/./o.db"));
	assert_int_equal(unmount(in_tmp("merged")), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hard_links_are_refused),
		cmocka_unit_test(a_link_that_is_made_later),
		cmocka_unit_test(symbolic_links_are_one_file),
		cmocka_unit_test(an_adopted_connection_by_another_name_is_refused),
		cmocka_unit_test(a_mount_of_the_file_alone_is_refused),
		cmocka_unit_test(mounts_of_the_folder_are_one_file),
		cmocka_unit_test(a_file_on_an_overlay_is_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
