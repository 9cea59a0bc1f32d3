/* SPDX-License-Identifier: MIT */
/* File descriptors: what the library opens it closes, and no command that the process executes gets
 * any of them. */
#include <fcntl.h>

#include "support/kit.h"

enum { FDS = 1024 };

struct fds {
	bool open[FDS];
};

static struct fds look_around(void)
{
	struct fds fds = {.open = {false}};

	for (int fd = 0; fd < FDS; fd++)
		fds.open[fd] = fcntl(fd, F_GETFD) != -1;
	return fds;
}

/* Which are open now and were not; each must be closed on exec. */
static int new_since(const struct fds *before)
{
	struct fds now = look_around();
	int n = 0;

	for (int fd = 0; fd < FDS; fd++) {
		if (!now.open[fd] || before->open[fd])
			continue;
		n++;
		if (!(fcntl(fd, F_GETFD) & FD_CLOEXEC))
			fail_msg("descriptor %d would outlive exec()", fd);
	}
	return n;
}

static void nothing_is_left(const struct fds *before)
{
	struct fds now = look_around();

	for (int fd = 0; fd < FDS; fd++) {
		if (now.open[fd] != before->open[fd])
			fail_msg("descriptor %d was %s", fd,
				 before->open[fd] ? "closed" : "left open");
	}
}

static struct dblock_client *open_at(const char *url)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;

	options.timeout_ms = PLENTY_MS;
	options.auto_migrate = 1;
	expect(OK, dblock_open(url, &options, &client, &err));
	return client;
}

/* Locks that are released, and one that is left to the close. */
static void use(const char *url)
{
	struct fds before = look_around();
	struct dblock_client *client = open_at(url);
	struct dblock_lock *lock = take(client, "x");
	struct dblock_error err = {0};
	int fd = -1, n = new_since(&before);

	assert_true(n >= 2);
	expect(OK, dblock_lost_fd(lock, &fd, &err));
	assert_int_equal(new_since(&before), n + 1);
	give(lock);
	assert_int_equal(new_since(&before), n);
	lock = take(client, "y");
	expect(OK, dblock_lost_fd(lock, &fd, &err));
	dblock_close(client, NULL);
	nothing_is_left(&before);
}

static void none_is_left(void **state)
{
	const char *tcp = getenv("DBLOCK_TEST_TCP_URL");

	(void)state;
	/* A client library may keep something of its own from its first use on. */
	dblock_close(open_at(test_url()), NULL);
	for (int i = 0; i < 3; i++)
		use(test_url());
	if (tcp)
		use(tcp);
}

static void none_is_left_by_a_failure(void **state)
{
	static const char *const urls[] = {
		"sqlite:/nowhere/test.db",
		"postgresql://nobody@127.0.0.1:1/none",
		"mysql://nobody@127.0.0.1:1/none",
	};
	struct fds before = look_around();
	struct dblock_client *client;

	(void)state;
	for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++)
		assert_int_not_equal(dblock_open(urls[i], NULL, &client, NULL), DBLOCK_OK);
	nothing_is_left(&before);
}

/* A database whose tables are not there: connected, and given up. */
static void none_is_left_where_tables_are_missing(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct fds before;

	(void)state;
	dblock_close(open_at(test_url()), NULL);
	before = look_around();
	options.prefix = "not_there_";
	expect(E_SCHEMA, dblock_open(test_url(), &options, &client, &err));
	nothing_is_left(&before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none_is_left),
		cmocka_unit_test(none_is_left_by_a_failure),
		cmocka_unit_test(none_is_left_where_tables_are_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
