/* SPDX-License-Identifier: MIT */
/* Past a pooler, by direct= in the URL, go heartbeats and what tells of grants; all else goes through
 * it. A proxy plays the pooler, of which the URL tells. */
#include "base/url.h"
#include "support/proxy.h"
#include "support/raw.h"
#include "support/server.h"
#include "support/waiting.h"

enum { TTL_MS = 3000 };

struct scene {
	struct proxy *pooler;
	char url[1200];
};

/* Through the pooler, and past it at the host and port of that server. */
static void set_url(struct scene *s, const char *server)
{
	struct dblock_error err = {0};
	struct dbl_url to;

	expect(OK, dbl_url_parse(&to, server, &err));
	snprintf(s->url, sizeof(s->url), "%s?pool=transaction&direct=%s:%s", proxy_url(s->pooler),
		 to.host, to.port);
	dbl_url_free(&to);
}

static int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	dblock_close(client_new(0), NULL); /* the tables */
	s->pooler = proxy_new();
	set_url(s, getenv("DBLOCK_TEST_TCP_URL"));
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	proxy_free(s->pooler);
	free(s);
	return 0;
}

static int open_at(const char *url, int64_t ttl_ms, unsigned wake_off,
		   struct dblock_client **client, struct dblock_error *err)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.ttl_ms = ttl_ms;
	options.timeout_ms = PLENTY_MS;
	TUNE(options, .wake_off = wake_off);
	return dblock_open(url, &options, client, err);
}

static struct dblock_client *open_past(const struct scene *s, int64_t ttl_ms, unsigned wake_off)
{
	struct dblock_error err = {0};
	struct dblock_client *client;

	expect(OK, open_at(s->url, ttl_ms, wake_off, &client, &err));
	return client;
}

/* Naive: heartbeats wait in the pool, and the lock is lost after a ttl. */
static void heartbeats_need_no_place_in_the_pool(void **state)
{
	struct scene *s = *state;
	int64_t ttl_ms = SLOWLY_MS(TTL_MS), until;
	struct dblock_client *client = open_past(s, ttl_ms, 0);
	struct dblock_lock *lock = take(client, "x");

	proxy_set(s->pooler, PROXY_SILENT);
	until = clock_ms() + 2 * ttl_ms;
	while (clock_ms() < until) {
		assert_true(dblock_valid(lock, 0));
		sleep_ms(20);
	}
	proxy_set(s->pooler, PROXY_PASS);
	give(lock);
	dblock_close(client, NULL);
}

/* Naive: who waits behind a pooler polls. */
static void who_waits_is_told_by_the_server(void **state)
{
	struct scene *s = *state;
	struct dblock_client *client = open_past(s, 0, DBLOCK_WAKE_SOCKET), *other = client_new(0);
	struct dblock_lock *lock = take(other, "x");
	struct raw *raw = raw_open(NULL);
	struct waiting w;

	waiting_start(&w, client, "x");
	wait_until(in_queue(raw) == 1);
	wait_until(count_doorbells(raw) == 1);
	give(lock);
	give(waiting_join(&w));
	raw_close(raw);
	dblock_close(client, NULL);
	dblock_close(other, NULL);
}

/* Makes a database of the same name at the test's own server. */
static void make_another(void)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct dbl_url here, there;
	struct raw *raw;
	char url[1200];

	server_start();
	expect(OK, dbl_url_parse(&here, getenv("DBLOCK_TEST_TCP_URL"), &err));
	expect(OK, dbl_url_parse(&there, server_url(), &err));
	raw = raw_open_url(server_url(), NULL);
	raw_exec(raw, "CREATE DATABASE %s", here.path);
	raw_close(raw);
	snprintf(url, sizeof(url), "postgresql://postgres@%s:%s/%s", there.host, there.port,
		 here.path);
	options.auto_migrate = 1;
	expect(OK, dblock_open(url, &options, &client, &err));
	dblock_close(client, NULL);
	dbl_url_free(&here);
	dbl_url_free(&there);
}

/* Naive: each acquire finds its session dead, until the time is over. */
static void another_database_is_refused(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};
	struct dblock_client *client;

	make_another();
	set_url(s, server_url());
	expect(E_INVALID, open_at(s->url, 0, 0, &client, &err));
	message_has("two databases");
	server_stop();
}

static void a_host_that_is_none_is_named(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};
	struct dblock_client *client;
	char *direct = strstr(s->url, "direct=") + strlen("direct=");

	strcpy(direct, "127.0.0.1:66000");
	expect(E_INVALID, open_at(s->url, 0, 0, &client, &err));
	message_has("direct=127.0.0.1:66000");
	strcpy(direct, "");
	expect(E_INVALID, open_at(s->url, 0, 0, &client, &err));
	message_has("direct= is empty");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(heartbeats_need_no_place_in_the_pool),
		CASE(who_waits_is_told_by_the_server),
		CASE(another_database_is_refused),
		CASE(a_host_that_is_none_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
