/* SPDX-License-Identifier: MIT */
/* Hosts of every kind, for URLs that name several: one that works, one that takes no writes, one that
 * says nothing, one whose machine is gone, and one that refuses. */
#ifndef TESTS_DB_HOSTS_KIT_H
#define TESTS_DB_HOSTS_KIT_H

#include <arpa/inet.h>
#include <sys/socket.h>

#include "support/proxy.h"
#include "support/raw.h"
#include "support/server.h"

/* Long enough that nobody is taken for silent who is only slow; a silent one costs a third. */
#define TIMEOUT_MS SLOWLY_MS(3000)

enum { FILLERS = 4 };

/* Hosts as a URL names them. */
static char good[64], readonly[64], silent[64], deaf[64];
static const char refusing[] = "127.0.0.1:1";

/* What stands around them. */
static char login[64], database[128];

static struct proxy *proxy; /* before the good one */
static int listener = -1, fillers[FILLERS];

static inline const char *url_of(const char *hosts)
{
	static char url[1000];

	snprintf(url, sizeof(url), "%s%s%s", login, hosts, database);
	return url;
}

static inline const char *url_of_three(const char *a, const char *b, const char *c)
{
	char hosts[300];

	snprintf(hosts, sizeof(hosts), "%s,%s,%s", a, b, c);
	return url_of(hosts);
}

static inline int open_at(const char *url, int64_t timeout_ms, struct dblock_client **client,
			  struct dblock_error *err)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	*err = (struct dblock_error){0};
	options.timeout_ms = timeout_ms;
	options.auto_migrate = 1;
	return dblock_open(url, &options, client, err);
}

static inline struct dblock_client *must_open(const char *url, int64_t timeout_ms)
{
	struct dblock_client *client;
	struct dblock_error err;

	if (open_at(url, timeout_ms, &client, &err))
		fail_msg("%s: %s", url, err.message);
	return client;
}

/* Only the good one can be written. */
static inline void works(struct dblock_client *client)
{
	give(take(client, "hosts"));
	dblock_close(client, NULL);
}

/* ---- making them ------------------------------------------------------------------------------- */

/* A host whose machine is gone: what is sent to it is lost, as a queue is that is full. */
static inline void make_deaf(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);

	listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(listener, (struct sockaddr *)&at, len), 0);
	assert_int_equal(listen(listener, 0), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &len), 0);
	for (int i = 0; i < FILLERS; i++) {
		fillers[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		(void)!connect(fillers[i], (struct sockaddr *)&at, len);
	}
	snprintf(deaf, sizeof(deaf), "127.0.0.1:%d", ntohs(at.sin_port));
}

/* It accepts, and says nothing. */
static inline void make_silent(struct proxy **mute)
{
	const char *host;

	*mute = proxy_new();
	proxy_set(*mute, PROXY_SILENT);
	host = strchr(proxy_url(*mute), '@') + 1;
	snprintf(silent, sizeof(silent), "%.*s", (int)strcspn(host, "/"), host);
}

static inline void set_place(const char *url)
{
	const char *host = strchr(url, '@') + 1, *slash = strchr(host, '/');

	snprintf(login, sizeof(login), "%.*s", (int)(host - url), url);
	snprintf(good, sizeof(good), "%.*s", (int)(slash - host), host);
	/* TLS would take a slow machine more of its share than all the rest. */
	snprintf(database, sizeof(database), "%s%s", slash,
		 on_backend("mysql") ? "?ssl-mode=DISABLED" : "");
	proxy = proxy_new_to(url);
}

/* Of the same login and database. */
static inline void set_readonly(void)
{
	struct raw *raw = raw_open_url(server_url(), NULL);

	if (on_backend("postgresql")) {
		/* The default of these servers is one that a standby refuses to everybody. */
		raw_exec(raw, "ALTER DATABASE postgres SET default_transaction_isolation ="
			      " 'repeatable read'");
		raw_close(raw);
		server_follow();
		snprintf(readonly, sizeof(readonly), "%s", server_standby());
		return;
	}
	snprintf(readonly, sizeof(readonly), "%.*s",
		 (int)strcspn(strchr(server_url(), '@') + 1, "/"), strchr(server_url(), '@') + 1);
	raw_exec(raw, "CREATE DATABASE %.*s", (int)strcspn(database + 1, "?"), database + 1);
	dblock_close(must_open(url_of(readonly), PLENTY_MS), NULL);
	raw_exec(raw, "SET GLOBAL read_only = 1");
	raw_close(raw);
}

static struct proxy *mute;

static inline int set_up(void **state)
{
	(void)state;
	server_start();
	set_place(on_backend("postgresql") ? server_url() : test_env("DBLOCK_TEST_TCP_URL"));
	if (on_backend("mysql"))
		dblock_close(client_new(0), NULL);
	set_readonly();
	make_silent(&mute);
	make_deaf();
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	proxy_free(mute);
	proxy_free(proxy);
	for (int i = 0; i < FILLERS; i++)
		close(fillers[i]);
	close(listener);
	server_stop();
	return 0;
}

#endif
