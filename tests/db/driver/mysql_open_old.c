/* SPDX-License-Identifier: MIT */
/* Servers that are too old tell so as they greet: a fake server stands for them, which greets as
 * they do and lets everybody in. It knows no statements: opening and adopting send none. */
#include <arpa/inet.h>
#include <mysql.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "db/driver/driver_kit.h"

enum { PACKET_MAX = 4 + 255 };

struct fake {
	const char *version;
	char url[100];
	unsigned port;
	int listener;
	pthread_t thread;
	bool heard_more; /* more than the log-in, and the good-bye */
};

/* The greeting has, behind the version, a number, half of a salt, what the server can (no TLS),
 * utf8mb4, and the other half. A user without a password needs none of it. */
static size_t make_greeting(const char *version, char *out)
{
	static const char rest[] = "\x07\0\0\0"
				   "abcdefgh\0\xff\xf7\xff\x02\0\xff\xdf\x15\0\0\0\0\0\0\0\0\0\0"
				   "ijklmnopqrst\0"
				   "caching_sha2_password";
	size_t len = strlen(version) + 1, all = 1 + len + sizeof(rest);

	memcpy(out, (const char[]){(char)all, 0, 0, 0, 10}, 5);
	memcpy(out + 5, version, len);
	memcpy(out + 5 + len, rest, sizeof(rest));
	return 4 + all;
}

/* Returns the first byte of the next packet, or -1 if none comes any more. */
static int read_packet(int fd)
{
	unsigned char bytes[PACKET_MAX];

	if (recv(fd, bytes, 4, MSG_WAITALL) != 4 ||
	    recv(fd, bytes + 4, bytes[0], MSG_WAITALL) != bytes[0])
		return -1;
	return bytes[4];
}

static void *run_fake(void *arg)
{
	static const char ok[] = "\x07\0\0\x02\0\0\0\x02\0\0";
	struct fake *fake = arg;
	char bytes[PACKET_MAX];
	size_t len = make_greeting(fake->version, bytes);
	int fd = accept(fake->listener, NULL, NULL);

	assert_int_equal(send(fd, bytes, len, MSG_NOSIGNAL), len);
	if (read_packet(fd) >= 0)
		assert_int_equal(send(fd, ok, sizeof(ok), MSG_NOSIGNAL), sizeof(ok));
	for (int what; (what = read_packet(fd)) >= 0;)
		fake->heard_more = fake->heard_more || what != COM_QUIT;
	close(fd);
	return NULL;
}

static void fake_start(struct fake *fake, const char *version)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	struct sockaddr *address = (struct sockaddr *)&in;
	socklen_t len = sizeof(in);

	*fake = (struct fake){.version = version};
	fake->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(fake->listener, address, len), 0);
	assert_int_equal(listen(fake->listener, 1), 0);
	assert_int_equal(getsockname(fake->listener, address, &len), 0);
	fake->port = ntohs(in.sin_port);
	snprintf(fake->url, sizeof(fake->url), "mysql://u:@127.0.0.1:%u/d", fake->port);
	assert_int_equal(pthread_create(&fake->thread, NULL, run_fake, fake), 0);
}

static void fake_stop(struct fake *fake)
{
	pthread_join(fake->thread, NULL);
	close(fake->listener);
	assert_false(fake->heard_more);
}

/* refused_as NULL: the server is accepted. */
static void opens(const char *version, const char *refused_as)
{
	struct dblock_error err = {0};
	struct dbl_conn *conn;
	struct fake fake;
	int rc;

	fake_start(&fake, version);
	rc = open_url(fake.url, in_ms(PLENTY_MS), &conn, &err);
	if (rc != (refused_as ? DBLOCK_E_INVALID : 0))
		fail_msg("'%s': %s, %s", version, dblock_outcome_name(rc), err.message);
	if (rc == 0)
		this_driver()->close(conn);
	fake_stop(&fake);
	if (refused_as && (!strstr(err.message, refused_as) || !strstr(err.message, "127.0.0.1")))
		fail_msg("'%s' does not say '%s'", err.message, refused_as);
}

/* Adopting leaves the caller's own handle as it is. */
static void is_adopted(const char *version, const char *refused_as)
{
	MYSQL *lib = mysql_init(NULL);
	struct dblock_error err = {0};
	struct dbl_conn *conn;
	struct fake fake;
	int rc;

	fake_start(&fake, version);
	assert_non_null(mysql_real_connect(lib, "127.0.0.1", "u", "", "d", fake.port, NULL, 0));
	rc = this_driver()->adopt(&conn, lib, dbl_env_system(), &err);
	if (rc != (refused_as ? DBLOCK_E_INVALID : 0))
		fail_msg("'%s': %s, %s", version, dblock_outcome_name(rc), err.message);
	if (rc == 0)
		this_driver()->close(conn);
	mysql_close(lib);
	fake_stop(&fake);
	assert_true(!refused_as || strstr(err.message, refused_as));
}

static const struct {
	const char *version, *refused_as;
} all[] = {
	{"5.7.44", "MySQL 5.7.44 is too old for dblock, which needs 8.0.22 or newer; update the"},
	{"8.0.21", "MySQL 8.0.21 is too old"},
	{"5.5.5-10.5.9-MariaDB", "MariaDB 10.5.9-MariaDB is too old for dblock, which needs 10.6"},
	{"10.5.9-MariaDB", "MariaDB 10.5.9-MariaDB is too old"},
	{"8.0.22", NULL},
	{"9.0.0", NULL},
	{"5.5.5-10.6.0-MariaDB", NULL},
	{"11.4.2-MariaDB", NULL},
	{"nonsense", NULL},
	{"", NULL},
};

static void who_opens(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		opens(all[i].version, all[i].refused_as);
}

static void who_adopts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		is_adopted(all[i].version, all[i].refused_as);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_opens),
		cmocka_unit_test(who_adopts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
