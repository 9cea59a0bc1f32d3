/* SPDX-License-Identifier: MIT */
/* The server is away for longer than a request may take, refuses all who come, ends connections by
 * name, or cannot be written: who waits goes on until wait_ms, who tries until timeout_ms. */
#include "support/proxy.h"
#include "support/queue.h"
#include "support/server.h"

/* A request's time. Each outage lasts longer, unless somebody tries. */
#define SHORT_MS SLOWLY_MS(250)

/* Likewise, but enough to connect once more on a machine that is full, and hear a refusal. */
#define ENOUGH_MS SLOWLY_MS(1500)

static int set_up(void **state)
{
	struct raw *raw;

	(void)state;
	server_start();
	if (on_backend("postgresql"))
		return 0;
	raw = raw_open_url(server_url(), NULL);
	raw_exec(raw, "CREATE USER app@'%%'");
	raw_exec(raw, "GRANT ALL ON own.* TO app@'%%'");
	raw_close(raw);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	server_stop();
	return 0;
}

/* ---- clients --------------------------------------------------------------------------------- */

static struct dblock_client *open_at(const char *url, int64_t timeout_ms)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;

	options.timeout_ms = timeout_ms;
	EXPECT_OPEN(dblock_open(url, &options, &client, &err));
	return client;
}

/* Of several hosts PostgreSQL's client asks whether they take writes: so the same one is named twice.
 * On MariaDB and MySQL an administrator may write at any time: so this is none. */
static const char *url_of_app(void)
{
	static char url[600];
	const char *host = strchr(server_url(), '@') + 1;

	if (on_backend("postgresql"))
		snprintf(url, sizeof(url), "postgresql://postgres@%.*s,%s", (int)strcspn(host, "/"),
			 host, host);
	else
		snprintf(url, sizeof(url), "mysql://app@%s", host);
	return url;
}

/* Its session outlives the test: what is told is not that it is over. */
static struct dblock_client *open_for_long(void)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;

	options.timeout_ms = ENOUGH_MS;
	options.ttl_ms = DBLOCK_TTL_MAX_MS;
	EXPECT_OPEN(dblock_open(url_of_app(), &options, &client, &err));
	return client;
}

static int try_x(void *client, struct dblock_error *err)
{
	struct dblock_lock *lock;
	int rc = dblock_try(client, "x", NULL, &lock, err);

	if (rc == 0)
		give(lock);
	return rc;
}

static int wait_for_all(void *client, struct dblock_error *err)
{
	const struct dblock_lock_spec wants[] = {{.name = "y"}, {.name = "z"}};
	struct dblock_lock *lock;
	int rc = dblock_acquire_all(client, wants, 2, NULL, &lock, err);

	if (rc == 0)
		give(lock);
	return rc;
}

/* ---- outages --------------------------------------------------------------------------------- */

struct outage {
	void (*begin)(void);
	void (*end)(void);
};

static void die(void)
{
	server_signal(SIGKILL);
}

static void come_back(void)
{
	server_restart();
}

static void set_read_only(bool is)
{
	struct raw *raw = raw_open_url(server_url(), NULL);

	if (on_backend("postgresql")) {
		raw_exec(raw, "ALTER SYSTEM SET default_transaction_read_only = %s",
			 is ? "on" : "off");
		raw_exec(raw, "SELECT pg_reload_conf()");
		/* Waited for: a request that meets the end of its backend is unsure. */
		while (raw_int(raw, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
				    " WHERE datname = current_database()"
				    " AND pid <> pg_backend_pid()") > 0)
			sleep_ms(10);
	} else {
		raw_exec(raw, "SET GLOBAL read_only = %d", is);
	}
	raw_close(raw);
}

static void become_read_only(void)
{
	set_read_only(true);
}

static void become_writable(void)
{
	set_read_only(false);
}

static const struct outage crash = {die, come_back}, shutdown_ = {server_shut_down, come_back},
			   read_only = {become_read_only, become_writable};

/* ---- who waits ------------------------------------------------------------------------------- */

static void still_waits(const struct waiting *w)
{
	if (w->call.done)
		fail_msg("%s: %s", dblock_outcome_name(w->call.rc), w->call.err.message);
}

/* Naive: a wait ends with the first request that fails. The holder's ttl is longer than any restart. */
static void goes_on_in_the_queue(const struct outage *outage)
{
	struct dblock_client *holder = server_client(DBLOCK_TTL_MAX_MS);
	struct dblock_client *client = open_at(url_of_app(), SHORT_MS);
	struct dblock_lock *lock = take(holder, "x");
	struct raw *raw = raw_open_url(server_url(), NULL);
	struct waiting w = {.client = NULL};

	waiting_join(&w, client, raw);
	raw_close(raw);
	outage->begin();
	sleep_ms(3 * SHORT_MS);
	still_waits(&w);
	outage->end();
	sleep_ms(SHORT_MS);
	still_waits(&w);
	give_in_time_or_not(lock);
	waiting_end(&w, OK);
	give_in_time_or_not(w.lock);
	dblock_close(client, NULL);
	dblock_close(holder, NULL);
}

/* The lock is free, but nobody can be asked for it. */
static void goes_on_asking(const struct outage *outage)
{
	struct dblock_client *client = open_at(url_of_app(), SHORT_MS);
	struct waiting w = {.client = NULL}, shared = {.how.mode = DBLOCK_SHARED};
	struct call all;

	outage->begin();
	waiting_start(&w, client);
	call_start(&all, wait_for_all, client);
	sleep_ms(3 * SHORT_MS);
	still_waits(&w);
	assert_false(all.done);
	outage->end();
	waiting_end(&w, OK);
	give_in_time_or_not(w.lock);
	call_is_ok(&all);
	outage->begin();
	waiting_start(&shared, client);
	sleep_ms(3 * SHORT_MS);
	still_waits(&shared);
	outage->end();
	waiting_end(&shared, OK);
	give_in_time_or_not(shared.lock);
	dblock_close(client, NULL);
}

static void a_crash(void **state)
{
	(void)state;
	goes_on_in_the_queue(&crash);
	goes_on_asking(&crash);
}

static void a_restart(void **state)
{
	(void)state;
	goes_on_in_the_queue(&shutdown_);
	goes_on_asking(&shutdown_);
}

static void a_server_that_is_read_only(void **state)
{
	(void)state;
	goes_on_in_the_queue(&read_only);
	goes_on_asking(&read_only);
}

/* The trouble is told, and not that somebody has the lock. If time was over before the last of the
 * hosts could answer, that one is not known to refuse. */
static void is_refused(int rc, const struct dblock_error *err)
{
	print_message("%s\n", err->message);
	assert_non_null(strstr(err->message, "name the primary"));
	if (rc == DBLOCK_E_UNAVAILABLE)
		assert_non_null(strstr(err->message, "no connection in time"));
	else
		assert_int_equal(rc, DBLOCK_E_READONLY);
}

static void until_wait_ms(void **state)
{
	struct dblock_client *client = open_for_long();
	struct waiting w = {.how.wait_ms = 2 * ENOUGH_MS}, canceled = {.client = NULL};

	(void)state;
	become_read_only();
	waiting_start(&w, client);
	is_refused(call_end(&w.call), &w.call.err);
	assert_true(w.call.ended - w.call.begun >= w.how.wait_ms);
	waiting_start(&canceled, client);
	sleep_ms(2 * SHORT_MS);
	canceled.cancel = true;
	waiting_end(&canceled, CANCELED);
	become_writable();
	dblock_close(client, NULL);
}

/* ---- who tries ------------------------------------------------------------------------------- */

static void a_try_goes_on(const struct outage *outage)
{
	struct dblock_client *client = open_at(url_of_app(), PLENTY_MS);
	struct call call;

	outage->begin();
	call_start(&call, try_x, client);
	sleep_ms(SHORT_MS);
	assert_false(call.done);
	outage->end();
	call_is_ok(&call);
	dblock_close(client, NULL);
}

static void a_try_until_timeout_ms(void **state)
{
	struct dblock_client *client;
	struct dblock_error err = {0};

	(void)state;
	a_try_goes_on(&crash);
	a_try_goes_on(&shutdown_);
	a_try_goes_on(&read_only);
	client = open_for_long();
	become_read_only();
	(void)try_x(client, &err); /* it may not know yet that its connection is gone */
	is_refused(try_x(client, &err), &err);
	become_writable();
	dblock_close(client, NULL);
}

/* A host that refuses at once: there is no more than the client's time. */
static void a_try_at_a_refusal(void **state)
{
	struct proxy *proxy = proxy_new_to(server_url());
	struct dblock_client *client = open_at(proxy_url(proxy), SHORT_MS);
	struct dblock_error err = {0};
	struct call call;

	(void)state;
	proxy_refuse(proxy, true);
	proxy_cut(proxy);
	(void)try_x(client, &err); /* it may not know yet that its connection is gone */
	call_start(&call, try_x, client);
	/* Its time may be over while it connects once more. */
	if (call_end(&call) != DBLOCK_E_NO_ANSWER)
		assert_int_equal(call.rc, DBLOCK_E_UNAVAILABLE);
	assert_true(call.ended - call.begun < PLENTY_MS / 10);
	proxy_refuse(proxy, false);
	dblock_close(client, NULL);
	proxy_free(proxy);
}

/* ---- what a person has to mend --------------------------------------------------------------- */

static void tables_that_are_gone(void **state)
{
	struct dblock_client *client = open_at(url_of_app(), PLENTY_MS);
	struct raw *raw = raw_open_url(server_url(), NULL);
	struct waiting w = {.client = NULL};

	(void)state;
	raw_exec(raw, "ALTER TABLE dblock_lock RENAME TO dblock_elsewhere");
	waiting_start(&w, client);
	waiting_end(&w, E_SCHEMA);
	assert_true(w.call.ended - w.call.begun < PLENTY_MS / 2);
	raw_exec(raw, "ALTER TABLE dblock_elsewhere RENAME TO dblock_lock");
	raw_close(raw);
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_crash),
		cmocka_unit_test(a_restart),
		cmocka_unit_test(a_server_that_is_read_only),
		cmocka_unit_test(until_wait_ms),
		cmocka_unit_test(a_try_until_timeout_ms),
		cmocka_unit_test(a_try_at_a_refusal),
		cmocka_unit_test(tables_that_are_gone),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
