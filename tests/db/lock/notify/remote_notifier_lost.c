/* SPDX-License-Identifier: MIT */
/* Channels whose server goes away come back, and a close does not wait for them. */
#include "support/proxy.h"
#include "support/server.h"
#include "support/waiting.h"

static struct dblock_client *open_at(const char *url, unsigned wake_off, int64_t timeout_ms)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;

	options.ttl_ms = DBLOCK_TTL_MAX_MS;
	options.timeout_ms = timeout_ms;
	TUNE(options, .wake_off = wake_off);
	expect(OK, dblock_open(url, &options, &client, &err));
	return client;
}

static void it_comes_back_after_a_restart(void **state)
{
	struct dblock_client *client, *other;
	struct dblock_lock *lock;
	struct waiting w;
	struct raw *raw;

	(void)state;
	server_start();
	client = open_at(server_url(), DBLOCK_WAKE_SOCKET, PLENTY_MS);
	other = open_at(server_url(), 0, PLENTY_MS);
	lock = take(other, "x");
	raw = raw_open_url(server_url(), NULL);
	waiting_start(&w, client, "x");
	wait_until(in_queue(raw) == 1);
	wait_until(count_doorbells(raw) == 1);
	raw_close(raw);
	server_signal(SIGKILL);
	server_restart();
	raw = raw_open_url(server_url(), NULL);
	/* The place is still there, or again, if the crash has forgotten it. */
	wait_until(in_queue(raw) == 1);
	wait_until(count_doorbells(raw) == 1);
	assert_false(w.done);
	give(lock);
	give(waiting_join(&w));
	raw_close(raw);
	dblock_close(client, NULL);
	dblock_close(other, NULL);
	server_stop();
}

static void *close_body(void *arg)
{
	struct waiting *w = arg;

	dblock_close(w->client, NULL);
	w->done = true;
	return NULL;
}

/* Closes a client that has waited: its channel exists, or is being opened, and nothing answers any
 * more. */
static void close_in(enum proxy_mode mode, int64_t timeout_ms)
{
	struct dblock_client *other = client_new(0);
	struct dblock_lock *lock = take(other, "x"), *none;
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct proxy *proxy = proxy_new();
	struct raw *raw = raw_open(NULL);
	struct dblock_error err = {0};
	struct waiting w = {.client = open_at(proxy_url(proxy), DBLOCK_WAKE_SOCKET, timeout_ms)};
	int64_t begun;

	options.wait_ms = 200;
	do
		expect(TIMEOUT, dblock_acquire(w.client, "x", &options, &none, &err));
	while (on_backend("postgresql") && count_doorbells(raw) == 0);
	proxy_set(proxy, mode);
	begun = clock_ms();
	assert_int_equal(pthread_create(&w.thread, NULL, close_body, &w), 0);
	wait_until(w.done);
	pthread_join(w.thread, NULL);
	/* A listener would go on for a minute, on any machine: on a quiet machine this fails then.
	 */
	assert_true(clock_ms() - begun < SLOWLY_MS(30000));
	proxy_free(proxy);
	give(lock);
	raw_close(raw);
	dblock_close(other, NULL);
}

static void closing_does_not_wait_for_a_ring(void **state)
{
	(void)state;
	close_in(PROXY_PASS, PLENTY_MS);
}

static void closing_is_bounded_though_the_server_hangs(void **state)
{
	(void)state;
	close_in(PROXY_SILENT, 3000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_comes_back_after_a_restart),
		cmocka_unit_test(closing_does_not_wait_for_a_ring),
		cmocka_unit_test(closing_is_bounded_though_the_server_hangs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
