/* SPDX-License-Identifier: MIT */
/* Where a SQLite file may lie, and that it stays the same file wherever the program's current
 * folder is. */
#include <errno.h>
#include <sys/stat.h>

#include "api/client.h"
#include "base/fs.h"
#include "support/kit.h"

/* Everything below `from` seems to lie on that file system. */
struct lie {
	const char *from;
	struct dbl_fs fs;
};

static int say(void *ctx, const char *path, struct dbl_fs *fs)
{
	const struct lie *lie = ctx;
	char *real = realpath(path, NULL);

	if (!real)
		return errno;
	if (strncmp(real, lie->from, strlen(lie->from)) == 0)
		*fs = lie->fs;
	free(real);
	return 0;
}

static int open_there(const char *path, const struct lie *lie, struct dblock_error *err)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dbl_env env = *dbl_env_system();
	struct dblock_client *client;
	char url[600];
	int rc;

	env.ctx = (void *)(uintptr_t)lie;
	env.file_system = say;
	options.timeout_ms = PLENTY_MS;
	snprintf(url, sizeof(url), "sqlite:%s", path);
	rc = dbl_client_open(url, &options, &env, &client, err);
	dblock_close(client, NULL);
	return rc;
}

static bool is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static char *in_tmp(const char *name)
{
	static char paths[4][500];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, 500, "%s/%s", test_env("DBLOCK_TEST_TMP"), name);
	return path;
}

static void network_file_systems_are_refused(void **state)
{
	const struct lie nfs = {"/", {0x6969, "nfs4"}}, sshfs = {"/", {0x65735546, "fuse.sshfs"}};
	char *path = in_tmp("far.db");
	struct dblock_error err = {0};

	(void)state;
	/* The file does not exist yet: its folder decides, and the file is not made. */
	expect(E_INVALID, open_there(path, &nfs, &err));
	message_has(path);
	message_has("nfs4");
	message_has("local disk");
	assert_false(is_there(path));
	dblock_close(client_new(0), NULL);
	expect(E_INVALID, open_there(strchr(test_url(), '/') + 2, &sshfs, &err));
	message_has("fuse.sshfs");
}

static void others_are_not(void **state)
{
	const struct lie ext4 = {"/", {0xEF53, "ext4"}},
			 fuse = {"/", {0x65735546, "fuse.mergerfs"}};
	struct dblock_error err = {0};

	(void)state;
	expect(OK, open_there(in_tmp("near.db"), &ext4, &err));
	expect(OK, open_there(in_tmp("perhaps.db"), &fuse, &err));
}

/* The link leads nowhere yet: SQLite makes the file where it points to. */
static void a_link_is_followed(void **state)
{
	const char *folder = in_tmp("far"), *link = in_tmp("link.db");
	const struct lie nfs = {folder, {0x6969, "nfs"}};
	struct dblock_error err = {0};

	(void)state;
	assert_int_equal(mkdir(folder, 0700), 0);
	assert_int_equal(symlink("far/x.db", link), 0);
	expect(E_INVALID, open_there(link, &nfs, &err));
	message_has("nfs");
}

/* Each connection would open the path anew, so the path must not depend on the current folder. */
static void a_relative_path_stays_where_it_was(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client, *other;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	options.ttl_ms = 600;
	options.timeout_ms = PLENTY_MS;
	assert_int_equal(chdir(test_env("DBLOCK_TEST_TMP")), 0);
	expect(OK, dblock_open("sqlite:here.db", &options, &client, &err));
	lock = take(client, "x");
	assert_int_equal(mkdir("elsewhere", 0700), 0);
	assert_int_equal(chdir("elsewhere"), 0);
	assert_true(dblock_token(lock) > 0);
	give(take(client, "y"));
	sleep_ms(700); /* long enough for a heartbeat */
	give(take(client, "y"));
	assert_false(is_there("here.db"));
	expect(OK, dblock_open("sqlite:../here.db", &options, &other, &err));
	dblock_close(other, NULL);
	(void)dblock_release(lock, NULL);
	dblock_close(client, NULL);
	assert_int_equal(chdir("/"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(network_file_systems_are_refused),
		cmocka_unit_test(others_are_not),
		cmocka_unit_test(a_link_is_followed),
		cmocka_unit_test(a_relative_path_stays_where_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
