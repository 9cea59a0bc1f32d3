/* SPDX-License-Identifier: MIT */
/* Opening MySQL where something listens that is not a server, or not any more: it says nothing,
 * half of what it should, or no. Each call makes one connection, ends by its deadline, and tells
 * the reason that it was given. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "db/driver/driver_kit.h"

/* TIMES is enough to see a reason that gets lost once in a hundred attempts. */
enum { TIMEOUT_MS = 150, TIMES = 200, HELD_MAX = 64 };

/* A greeting of MySQL 8; capabilities: the low two bytes, of which TLS is 0x0800. */
#define HELLO(capabilities)                                                                        \
	"\x4a\0\0\0\x0a"                                                                           \
	"8.0.40\0"                                                                                 \
	"\x07\0\0\0"                                                                               \
	"abcdefgh\0" capabilities "\xff\x02\0\xff\xdf\x15\0\0\0\0\0\0\0\0\0\0"                     \
	"ijklmnopqrst\0"                                                                           \
	"caching_sha2_password\0"
#define NO(length, number, text) length "\0\0\0\xff" number "#HY000" text

/* What the fake server does to everybody who comes. */
struct manners {
	const char *name;
	const char *says;
	size_t len;
	size_t at_first; /* so many bytes, then after a moment the rest; 0: all at once */
	bool closes;
};

struct fake {
	struct manners manners;
	char url[200], path[100];
	int listener;
	atomic_int came;
	atomic_bool stop;
	pthread_t thread;
};

static void serve(const struct fake *fake, int fd)
{
	const struct manners *m = &fake->manners;
	size_t first = m->at_first ? m->at_first : m->len;

	if (first > 0)
		assert_true(send(fd, m->says, first, MSG_NOSIGNAL) >= 0 || m->at_first);
	if (first == m->len)
		return;
	usleep(2000); /* if this is too short, the client gets all at once */
	(void)!send(fd, m->says + first, m->len - first, MSG_NOSIGNAL);
}

/* Connections that are waiting when it is to stop are counted, too. */
static void *run_fake(void *arg)
{
	struct fake *fake = arg;
	int held[HELD_MAX], n = 0, fd;
	bool last;

	do {
		struct pollfd p = {.fd = fake->listener, .events = POLLIN};

		last = fake->stop;
		poll(&p, 1, last ? 0 : 10);
		while (n < HELD_MAX && (fd = accept(fake->listener, NULL, NULL)) >= 0) {
			fake->came++;
			serve(fake, fd);
			if (fake->manners.closes)
				close(fd);
			else
				held[n++] = fd;
		}
	} while (!last);
	while (n > 0)
		close(held[--n]);
	return NULL;
}

static void listen_on(struct fake *fake, const struct sockaddr *address, socklen_t len)
{
	fake->listener = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	assert_true(fake->listener >= 0);
	assert_int_equal(bind(fake->listener, address, len), 0);
	assert_int_equal(listen(fake->listener, 16), 0);
}

static void listen_on_tcp(struct fake *fake)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t len = sizeof(in);

	listen_on(fake, (struct sockaddr *)&in, sizeof(in));
	assert_int_equal(getsockname(fake->listener, (struct sockaddr *)&in, &len), 0);
	snprintf(fake->url, sizeof(fake->url), "mysql://u:p@127.0.0.1:%u/d", ntohs(in.sin_port));
}

static void listen_on_socket(struct fake *fake)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	char *to = fake->url + sprintf(fake->url, "mysql://u:p@/d?socket=");

	snprintf(fake->path, sizeof(fake->path), "%s/mute", env_text("DBLOCK_TEST_TMP"));
	snprintf(un.sun_path, sizeof(un.sun_path), "%s", fake->path);
	unlink(fake->path);
	listen_on(fake, (struct sockaddr *)&un, sizeof(un));
	for (const char *c = fake->path; *c; c++)
		to += sprintf(to, *c == '/' ? "%%2F" : "%c", *c);
}

static void fake_start(struct fake *fake, const struct manners *manners, bool over_tcp)
{
	*fake = (struct fake){.manners = *manners};
	if (over_tcp)
		listen_on_tcp(fake);
	else
		listen_on_socket(fake);
	assert_int_equal(pthread_create(&fake->thread, NULL, run_fake, fake), 0);
}

/* Returns how many connections came. */
static int fake_stop(struct fake *fake)
{
	fake->stop = true;
	pthread_join(fake->thread, NULL);
	close(fake->listener);
	if (fake->path[0])
		unlink(fake->path);
	return fake->came;
}

static int try_open(const struct fake *fake, int64_t ms, struct dblock_error *err)
{
	struct dbl_conn *conn;
	int rc = open_url(fake->url, in_ms(ms), &conn, err);

	assert_null(conn);
	return rc;
}

static void ends_in_time(const struct manners *manners, bool over_tcp)
{
	int64_t due = in_ms(SLOWLY_MS(TIMEOUT_MS));
	struct dblock_error err = {0};
	struct fake fake;
	int rc, came;

	fake_start(&fake, manners, over_tcp);
	rc = try_open(&fake, SLOWLY_MS(TIMEOUT_MS), &err);
	came = fake_stop(&fake);
	if (rc != DBLOCK_E_NO_ANSWER || came != 1 || !strstr(err.message, "did not answer in time"))
		fail_msg("%s, %s: %s (%s), %d connections", manners->name, fake.url,
			 dblock_outcome_name(rc), err.message, came);
	assert_true(dbl_now(dbl_env_system()) >= due);
}

#define SAYS(text) .says = (text), .len = sizeof(text) - 1

static void who_does_not_answer(void **state)
{
	static const struct manners all[] = {
		{.name = "silence"},
		{.name = "half a greeting",
		 SAYS("\x50\0\0\0\x0a"
		      "8.0.")},
		{.name = "less than a packet's head", SAYS("\x50\0")},
		{.name = "no word after the login", SAYS(HELLO("\xff\xf7"))},
		{.name = "no word of TLS", SAYS(HELLO("\xff\xff"))},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		ends_in_time(&all[i], true);
	ends_in_time(&all[0], false);
	ends_in_time(&all[3], false);
}

static void is_told(const struct manners *manners, bool over_tcp, int outcome, int native,
		    const char *part)
{
	struct dblock_error err;
	struct fake fake;

	fake_start(&fake, manners, over_tcp);
	for (int i = 0; i < TIMES; i++) {
		int rc = try_open(&fake, PLENTY_MS, &err);

		if (rc != outcome || err.native != native || !strstr(err.message, part))
			fail_msg("%s, %s, the %d. time: %s, %s", manners->name, fake.url, i + 1,
				 dblock_outcome_name(rc), err.message);
	}
	assert_int_equal(fake_stop(&fake), TIMES);
}

/* The client reads the server's reason before it sees the end of the stream. */
static void who_says_no_and_closes(void **state)
{
	static const struct manners full = {.name = "full",
					    SAYS(NO("\x1d", "\x10\x04", "Too many connections")),
					    .closes = true};
	static const struct manners halves = {.name = "in two halves",
					      SAYS(NO("\x1d", "\x10\x04", "Too many connections")),
					      .at_first = 9,
					      .closes = true};
	static const struct manners stranger = {
		/* It sends no SQLSTATE: the client has not said yet that it knows of those. */
		.name = "stranger",
		SAYS("\x13\0\0\0\xff\x6a\x04"
		     "Host not allowed"),
		.closes = true};

	(void)state;
	is_told(&full, true, DBLOCK_E_UNAVAILABLE, 1040, "see max_connections");
	is_told(&full, false, DBLOCK_E_UNAVAILABLE, 1040, "Too many connections");
	is_told(&halves, true, DBLOCK_E_UNAVAILABLE, 1040, "see max_connections");
	is_told(&stranger, true, DBLOCK_E_DENIED, 1130, "no account there may come from this host");
}

static void who_closes(void **state)
{
	static const struct manners closes = {.name = "closes", .closes = true};
	struct dblock_error err = {0};
	struct fake fake;

	(void)state;
	fake_start(&fake, &closes, true);
	assert_int_equal(try_open(&fake, PLENTY_MS, &err), DBLOCK_E_UNAVAILABLE);
	assert_int_equal(fake_stop(&fake), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_does_not_answer),
		cmocka_unit_test(who_says_no_and_closes),
		cmocka_unit_test(who_closes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
