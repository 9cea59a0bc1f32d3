/* SPDX-License-Identifier: MIT */
/* A host's name with several addresses: who is silent at one of them is passed over. */
#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>

#include "support/kit.h"

static int port;

int __real_getaddrinfo(const char *, const char *, const struct addrinfo *, struct addrinfo **);
int __wrap_getaddrinfo(const char *, const char *, const struct addrinfo *, struct addrinfo **);

/* "many" is a name of three addresses: at the first somebody is silent, at the second nobody
 * listens. */
int __wrap_getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
		       struct addrinfo **out)
{
	static const char *const addresses[] = {"127.0.0.2", "127.0.0.3", "127.0.0.1"};

	if (strcmp(name, "many") != 0)
		return __real_getaddrinfo(name, service, hints, out);
	for (int i = 0; i < 3; i++, out = &(*out)->ai_next)
		assert_int_equal(__real_getaddrinfo(addresses[i], service, hints, out), 0);
	return 0;
}

static int be_silent(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, "127.0.0.2", &at.sin_addr);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(fd, 64), 0);
	return fd;
}

static void each_address_has_its_time(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	const char *database = strrchr(test_env("DBLOCK_TEST_TCP_URL"), '/');
	struct dblock_error err = {0};
	struct dblock_client *client;
	char url[300];
	int silent = be_silent();

	(void)state;
	options.timeout_ms = SLOWLY_MS(3000);
	options.auto_migrate = 1;
	snprintf(url, sizeof(url), "postgresql://postgres@many:%d%s", port, database);
	dblock_close(client_new(0), NULL);
	expect(OK, dblock_open(url, &options, &client, &err));
	dblock_close(client, NULL);
	snprintf(url, sizeof(url), "postgresql://postgres@many:1%s", database);
	expect(E_UNAVAILABLE, dblock_open(url, &options, &client, &err));
	assert_non_null(strstr(err.message, "127.0.0.2"));
	assert_non_null(strstr(err.message, "127.0.0.1"));
	close(silent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_address_has_its_time),
	};

	port = atoi(strrchr(test_env("DBLOCK_TEST_TCP_URL"), ':') + 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
