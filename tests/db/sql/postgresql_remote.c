/* SPDX-License-Identifier: MIT */
/* DBLOCK_REMOTE: the tests run their own server, with a synchronous standby that comes and goes. */
#include "support/findings.h"
#include "support/raw.h"
#include "support/server.h"

static struct raw *raw;

static struct dblock_client_options of(enum dblock_durability durability)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.ttl_ms = 600000;
	options.timeout_ms = PLENTY_MS;
	options.durability = durability;
	return options;
}

static struct dblock_client *client_of(enum dblock_durability durability)
{
	struct dblock_client_options options = of(durability);
	struct dblock_error err = {0};
	struct dblock_client *client;

	expect(OK, dblock_open(server_url(), &options, &client, &err));
	return client;
}

static void set_standby(const char *name)
{
	raw_exec(raw, "ALTER SYSTEM SET synchronous_standby_names = '%s'", name);
	raw_exec(raw, "SELECT pg_reload_conf()");
	while (strcmp(raw_text(raw, "SELECT current_setting('synchronous_standby_names')"), name))
		sleep_ms(10);
}

static void doctor_says(enum dblock_severity severity, const char *topic, const char *said)
{
	struct dblock_client_options options = of(DBLOCK_REMOTE);
	struct findings findings = {.n = 0};
	struct dblock_error err = {0};

	expect(OK, dblock_doctor(server_url(), &options, keep_finding, &findings, &err));
	must_say_at(&findings, severity, topic, said, __LINE__);
}

/* Naive: a name in the settings is a standby. */
static void a_name_is_no_standby(void)
{
	set_standby("b");
	doctor_says(DBLOCK_FINDING_WRONG, "failover", "none is connected");
	set_standby("");
	doctor_says(DBLOCK_FINDING_OK, "failover", "no standby follows");
}

static void remote_needs_a_standby(void)
{
	struct dblock_client_options options = of(DBLOCK_REMOTE);
	struct dblock_error err = {0};
	struct dblock_client *none;

	expect(E_INVALID, dblock_open(server_url(), &options, &none, &err));
	message_has("synchronous_standby_names is empty");
	doctor_says(DBLOCK_FINDING_WRONG, "durability", "synchronous_standby_names is empty");
}

static void a_grant_is_on_the_standby(struct dblock_client *remote)
{
	struct dblock_lock *lock = take(remote, "x");

	assert_int_equal(raw_int(raw, "SELECT count(*) FROM pg_stat_replication "
				      "WHERE sync_state = 'sync' "
				      "AND flush_lsn >= pg_current_wal_flush_lsn()"),
			 1);
	give(lock);
}

/* Only a client of that durability waits for the standby. */
static void nothing_is_granted_without(struct dblock_client *relaxed)
{
	struct dblock_client_options options = of(DBLOCK_REMOTE);
	struct dblock_error err = {0};
	struct dblock_client *remote;
	struct dblock_lock *lock;
	int rc;

	options.timeout_ms = SLOWLY_MS(1000);
	EXPECT_OPEN(dblock_open(server_url(), &options, &remote, &err));
	server_unfollow();
	rc = dblock_try(remote, "x", NULL, &lock, &err);
	assert_true(rc < 0);
	assert_null(lock);
	is_free(relaxed, "other");
	set_standby("");
	/* A lock that was granted without the standby has been given back. */
	is_free_soon(relaxed, "x");
	rc = dblock_try(remote, "x", NULL, &lock, &err);
	assert_int_equal(rc, DBLOCK_E_INVALID);
	message_has("synchronous_standby_names is empty");
	dblock_close(remote, NULL);
}

static void a_synchronous_standby(void **state)
{
	struct dblock_client *remote, *relaxed = client_of(DBLOCK_RELAXED);

	(void)state;
	remote_needs_a_standby();
	a_name_is_no_standby();
	server_follow();
	set_standby("b");
	doctor_says(DBLOCK_FINDING_OK, "durability", "synchronous standby");
	remote = client_of(DBLOCK_REMOTE);
	a_grant_is_on_the_standby(remote);
	dblock_close(remote, NULL);
	nothing_is_granted_without(relaxed);
	dblock_close(relaxed, NULL);
}

static int set_up(void **state)
{
	(void)state;
	server_start();
	raw = raw_open_url(server_url(), NULL);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	raw_close(raw);
	server_stop();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_synchronous_standby),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
