/* SPDX-License-Identifier: MIT */
/*
 * A disk is full, or becomes read-only. A lock that was not written is not held; one that is held
 * stays held as long as its heartbeat was in time, and not longer; and the client goes on by itself
 * when there is room again.
 *
 * Each scene is played twice: on a file system that is told to fail, and on a real, small one that
 * is filled up, if the system lets us mount one (as root, or in a user namespace). If it does not,
 * the second is skipped, and its name says so.
 */
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "support/kit.h"
#include "support/sqlite_frail.h"

/* Where the database of this test lies, and how its disk is filled. */
static struct disk {
	bool can_mount;
	bool real;
	char folder[500], balloon[520], url[540];
} disk;

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		perror(path);
	if (fd >= 0)
		close(fd);
}

/* Makes our own mount namespace: nothing that is mounted outlives the process. */
static bool own_mounts(void)
{
	char map[64];
	unsigned uid = getuid(), gid = getgid();

	if (unshare(CLONE_NEWNS)) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
			return false;
		write_file("/proc/self/setgroups", "deny");
		snprintf(map, sizeof(map), "%u %u 1", uid, uid);
		write_file("/proc/self/uid_map", map);
		snprintf(map, sizeof(map), "%u %u 1", gid, gid);
		write_file("/proc/self/gid_map", map);
	}
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

static void choose(bool real)
{
	static int number;

	disk.real = real && disk.can_mount;
	frail.fault = FRAIL_NONE;
	snprintf(disk.folder, sizeof(disk.folder), "%s/disk%d", test_env("DBLOCK_TEST_TMP"),
		 ++number);
	snprintf(disk.balloon, sizeof(disk.balloon), "%s/balloon", disk.folder);
	snprintf(disk.url, sizeof(disk.url), "sqlite:%s/x.db", disk.folder);
	assert_int_equal(mkdir(disk.folder, 0700), 0);
	if (disk.real)
		assert_int_equal(mount("none", disk.folder, "tmpfs", 0, "size=4m"), 0);
}

static int on_a_frail_disk(void **state)
{
	(void)state;
	choose(false);
	return 0;
}

static int on_a_small_disk(void **state)
{
	(void)state;
	choose(true);
	return 0;
}

static int leave_disk(void **state)
{
	(void)state;
	frail.fault = FRAIL_NONE;
	return disk.real ? umount2(disk.folder, MNT_DETACH) : 0;
}

static void fill_up(void)
{
	static const char bytes[4096];
	size_t size = sizeof(bytes);
	int fd;

	if (!disk.real) {
		frail.fault = FRAIL_FULL;
		return;
	}
	fd = open(disk.balloon, O_WRONLY | O_CREAT | O_APPEND, 0600);
	assert_true(fd >= 0);
	while (size > 0) {
		if (write(fd, bytes, size) <= 0)
			size /= 2;
	}
	close(fd);
}

static void make_room(void)
{
	frail.fault = FRAIL_NONE;
	if (disk.real)
		assert_int_equal(unlink(disk.balloon), 0);
}

static struct dblock_client *client_there(int64_t ttl_ms)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;

	options.ttl_ms = ttl_ms;
	options.timeout_ms = PLENTY_MS;
	expect(OK, dblock_open(disk.url, &options, &client, &err));
	return client;
}

static void an_acquire_is_refused(void **state)
{
	struct dblock_client *client = client_there(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	fill_up();
	expect(E_FULL, dblock_try(client, "x", NULL, &lock, &err));
	message_has(disk.folder);
	message_has("make room");
	assert_null(lock);
	expect(E_FULL, dblock_acquire(client, "x", NULL, &lock, &err));
	assert_null(lock);
	make_room();
	/* Nothing of the lock is left, and the connection is as good as before. */
	is_free(client, "x");
	dblock_close(client, NULL);
}

/* The other client learns that x is free by waiting for it: the holder's session lives on. */
static void a_release_is_made_up_for(void **state)
{
	struct dblock_client *client = client_there(6000), *other = client_there(0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *x = take(client, "x"), *y = take(client, "y"), *next;
	struct dblock_error err = {0};

	(void)state;
	options.wait_ms = PLENTY_MS;
	fill_up();
	expect(E_FULL, dblock_release(x, &err));
	make_room();
	expect(OK, dblock_acquire(other, "x", &options, &next, &err));
	assert_true(dblock_valid(y, 0));
	busy(other, "y");
	give(next);
	give(y);
	dblock_close(client, NULL);
	dblock_close(other, NULL);
}

static void a_heartbeat_that_finds_no_room(void **state)
{
	const int64_t ttl_ms = SLOWLY_MS(1200);
	struct dblock_client *client = client_there(ttl_ms);
	struct dblock_lock *lock = take(client, "x");
	struct dblock_error err = {0};
	int64_t filled, now;

	(void)state;
	fill_up();
	filled = clock_ms();
	/* A heartbeat before the disk was full may have been in time; none after it was. */
	do {
		now = clock_ms();
		sleep_ms(5);
	} while (dblock_valid(lock, 0) && now - filled <= ttl_ms);
	assert_false(dblock_valid(lock, 0));
	make_room();
	assert_false(dblock_valid(lock, 0));
	expect(LOST, dblock_release(lock, &err));
	is_free(client, "x");
	lock = take(client, "y");
	sleep_ms(ttl_ms + 200);
	give(lock);
	dblock_close(client, NULL);
}

/* The disk is full for less than a ttl: nobody notices. */
static void a_short_shortage_is_survived(void **state)
{
	struct dblock_client *client = client_there(SLOWLY_MS(6000));
	struct dblock_lock *lock = take(client, "x");
	int64_t left;

	(void)state;
	fill_up();
	/* The first heartbeat comes after a third of the ttl, and fails. */
	sleep_ms(SLOWLY_MS(2500));
	left = dblock_remaining_ms(lock);
	assert_true(left < SLOWLY_MS(6000 - 600 - 2000));
	make_room();
	while (dblock_valid(lock, 0) && dblock_remaining_ms(lock) <= left)
		sleep_ms(20);
	give(lock);
	dblock_close(client, NULL);
}

/* These failures have no result code of SQLite's: the system's error tells them apart. */
static void a_quota_is_named(void **state)
{
	struct dblock_client *client = client_there(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	frail.fault = FRAIL_QUOTA;
	expect(E_FULL, dblock_try(client, "x", NULL, &lock, &err));
	message_has("quota");
	frail.fault = FRAIL_NONE;
	is_free(client, "x");
	dblock_close(client, NULL);
}

static void a_file_system_that_turns_read_only(void **state)
{
	struct dblock_client *client = client_there(1200);
	struct dblock_lock *lock = take(client, "x"), *next;
	struct dblock_error err = {0};
	int64_t turned, now;

	(void)state;
	frail.fault = FRAIL_READONLY;
	turned = clock_ms();
	expect(E_READONLY, dblock_try(client, "y", NULL, &next, &err));
	message_has("has become read-only");
	assert_null(next);
	do {
		now = clock_ms();
		sleep_ms(5);
	} while (dblock_valid(lock, 0) && now - turned <= 1200);
	assert_false(dblock_valid(lock, 0));
	frail.fault = FRAIL_NONE;
	expect(LOST, dblock_release(lock, &err));
	is_free(client, "y");
	dblock_close(client, NULL);
}

static void remount(unsigned long flags)
{
	assert_int_equal(mount(NULL, disk.folder, NULL, MS_REMOUNT | flags, "size=4m"), 0);
}

/* The file system is read-only, for root as well; the file may be there, or not. */
static void a_read_only_file_system_is_named(void **state)
{
	struct dblock_client *client;
	struct dblock_error err = {0};

	(void)state;
	if (!disk.real) {
		dblock_close(client_there(0), NULL);
		frail.fault = FRAIL_READONLY;
		expect(E_READONLY, dblock_open(disk.url, NULL, &client, &err));
		message_has(disk.folder);
		return;
	}
	remount(MS_RDONLY);
	expect(E_READONLY, dblock_open(disk.url, NULL, &client, &err));
	message_has(disk.folder);
	remount(0);
	dblock_close(client_there(0), NULL);
	remount(MS_RDONLY);
	expect(E_READONLY, dblock_open(disk.url, NULL, &client, &err));
	message_has(disk.folder);
	remount(0);
	client = client_there(0);
	is_free(client, "x");
	dblock_close(client, NULL);
}

#define FRAIL(name) cmocka_unit_test_setup_teardown(name, on_a_frail_disk, leave_disk)
#define SMALL_TOO(name)                                                                            \
	FRAIL(name),                                                                               \
	{                                                                                          \
		"small disk: " #name, name, on_a_small_disk, leave_disk, NULL                      \
	}

int main(void)
{
	struct CMUnitTest tests[] = {
		SMALL_TOO(an_acquire_is_refused),
		SMALL_TOO(a_release_is_made_up_for),
		SMALL_TOO(a_heartbeat_that_finds_no_room),
		FRAIL(a_short_shortage_is_survived),
		FRAIL(a_quota_is_named),
		FRAIL(a_file_system_that_turns_read_only),
		{"small disk: read-only", a_read_only_file_system_is_named, on_a_small_disk,
		 leave_disk, NULL},
	};

	disk.can_mount = own_mounts();
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]) && !disk.can_mount; i++) {
		if (tests[i].setup_func == on_a_small_disk)
			tests[i].name = "(may not mount: on the frail disk once more)";
	}
	frail_install();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
