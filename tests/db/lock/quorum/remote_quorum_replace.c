/* SPDX-License-Identifier: MIT */
/* A member is replaced: what goes on, what does not, and who may not. */
#include "db/lock/quorum/cluster.h"
#include "support/call.h"

/* SPARE takes a member's place. */
enum { SPARE = MEMBERS, SHORT_MS = 1500, PATIENT_MS = 10000 };

struct shape {
	int databases, members;
	int64_t max_ttl_ms;
};

static struct shape three = {MEMBERS + 1, MEMBERS, SHORT_MS}, five = {7, 5, SHORT_MS};
/* Where leases have to live on a busy machine, through all that is done before the wait. */
static struct shape patient = {MEMBERS + 1, MEMBERS, PATIENT_MS};

static int set_up(void **state)
{
	const struct shape *shape = *state;
	struct dblock_client_options clients = cluster_options(0);
	struct dblock_quorum_options options = cluster_of(shape->max_ttl_ms);
	struct dblock_error err = {0};

	cluster_make(shape->databases);
	expect(OK, dblock_quorum_init(cluster.urls, (size_t)shape->members, "c", &options, &clients,
				      &err));
	return 0;
}

#define CASE_OF(shape, f)                                                                          \
	cmocka_unit_test_prestate_setup_teardown(f, set_up, cluster_tear_down, shape)
#define CASE(f) CASE_OF(&three, f)

/* The members, with that database in the place of that number. */
static const char *const *with(int number, int database)
{
	static const char *urls[MEMBERS];

	for (int i = 0; i < MEMBERS; i++)
		urls[i] = cluster.urls[i + 1 == number ? database : i];
	return urls;
}

static int replace_told(int number, int database, void (*waits)(void *, int64_t), void *arg,
			struct dblock_error *err)
{
	struct dblock_client_options clients = cluster_options(0);
	struct dblock_replace_options options = DBLOCK_REPLACE_OPTIONS_INIT;

	options.waits = waits;
	options.waits_arg = arg;
	options.allow_forgetful = true;
	return dblock_quorum_replace(with(number, database), MEMBERS, (unsigned)number, &options,
				     &clients, err);
}

static int replace(int number, int database, struct dblock_error *err)
{
	return replace_told(number, database, NULL, NULL, err);
}

static struct dblock_client *client_of(const char *const urls[])
{
	struct dblock_client_options options = cluster_options(0); /* its ttl is the max_ttl */
	struct dblock_client *client;
	struct dblock_error err = {0};

	options.timeout_ms = SLOWLY_MS(4000);
	EXPECT_OPEN(dblock_quorum_open(urls, MEMBERS, &options, &client, &err));
	return client;
}

static bool votes_at(int database, const char *name)
{
	return raw_int(cluster.raw[database],
		       "SELECT count(*) FROM dblock_lock WHERE name = 'quorum\x1f%s' AND session "
		       "IS NOT NULL",
		       name) == 1;
}

static int64_t epoch_of(int database)
{
	return raw_int(cluster.raw[database], "SELECT epoch FROM dblock_quorum WHERE state = 1");
}

/* ---- what goes on ---------------------------------------------------------------------------- */

struct meanwhile {
	struct dblock_client *client;
	struct dblock_lock *held, *lease;
	struct call waits;
	struct dblock_lock *waited;
};

static int waits_for_y(void *arg, struct dblock_error *err)
{
	struct meanwhile *m = arg;

	return dblock_acquire(m->client, "y", NULL, &m->waited, err);
}

/* The epoch is closed everywhere. */
static void look_meanwhile(void *arg, int64_t ms)
{
	struct meanwhile *m = arg;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	assert_int_equal(ms, PATIENT_MS);
	assert_true(dblock_valid(m->held, 0));
	expect(OK, dblock_extend(m->lease, PATIENT_MS, &err));
	expect(E_UNAVAILABLE, dblock_try(m->client, "y", NULL, &lock, &err));
	assert_non_null(strstr(err.message, "being replaced"));
	call_start(&m->waits, waits_for_y, m);
}

/* One who knows of the newcomer before it is a member. */
static void a_holder_goes_on(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct meanwhile m = {.client = client_of(with(3, SPARE))};
	struct dblock_error err = {0};
	int64_t token;

	(void)state;
	options.lease_ms = PATIENT_MS;
	m.held = take(m.client, "x");
	expect(OK, dblock_try(m.client, "lease", &options, &m.lease, &err));
	token = dblock_token(m.held);
	expect(OK, replace_told(3, SPARE, look_meanwhile, &m, &err));
	assert_true(dblock_valid(m.held, 0));
	assert_int_equal(dblock_token(m.held), token);
	assert_int_equal(epoch_of(SPARE), 2);
	/* Who waited has got it; and the newcomer votes for what is held, so that another one may fail. */
	assert_int_equal(call_end(&m.waits), DBLOCK_OK);
	wait_until(votes_at(SPARE, "x"));
	proxy_set(cluster.proxy[0], PROXY_TEAR);
	sleep_ms(2 * PATIENT_MS);
	assert_true(dblock_valid(m.held, 0));
	give(m.held);
	give(m.waited);
	(void)dblock_release(m.lease, NULL);
	dblock_close(m.client, NULL);
}

/* And one who does not. Naive: what the replaced member votes counts, and two majorities do not meet. */
static void who_was_replaced_does_not_count(void **state)
{
	struct dblock_client *old = client_of(cluster.urls), *new;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	give(take(old, "x"));
	expect(OK, replace(3, SPARE, &err));
	new = client_of(with(3, SPARE));
	give(take(old, "x"));
	proxy_set(cluster.proxy[0], PROXY_TEAR);
	assert_true(dblock_try(old, "x", NULL, &lock, &err) < 0);
	lock = take(new, "x");
	assert_true(votes_at(1, "x") && votes_at(SPARE, "x"));
	give(lock);
	dblock_close(old, NULL);
	dblock_close(new, NULL);
}

/* The members' rows are not to be had, but heartbeats are. Naive: the vote of the one that is replaced, and of
 * another one, are enough for as long as these beat. */
static void who_cannot_hear_of_it_holds_nothing_in_time(void **state)
{
	struct dblock_client *client = client_of(cluster.urls);
	struct dblock_lock *lock = take(client, "x");
	struct raw *raw[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		raw[i] = raw_open_url(cluster.direct[i], NULL);
		if (on_backend("postgresql")) {
			raw_exec(raw[i], "BEGIN");
			raw_exec(raw[i], "LOCK TABLE dblock_quorum");
		} else {
			raw_exec(raw[i], "LOCK TABLES dblock_quorum WRITE");
		}
	}
	wait_until(!dblock_valid(lock, 0));
	for (int i = 0; i < 2; i++)
		raw_close(raw[i]);
	(void)dblock_release(lock, NULL);
	wait_until(dblock_try(client, "x", NULL, &lock, NULL) == DBLOCK_OK);
	give(lock);
	dblock_close(client, NULL);
}

/* It has the votes of 1, which it does not reach any more, and of 3, which is replaced. Naive: without the wait, 2 and
 * the newcomer vote for somebody else at once. */
static void nobody_gets_it_before_who_does_not_hear_has_lost_it(void **state)
{
	const char *urls[] = {cluster.direct[0], cluster.direct[1], cluster.direct[SPARE]};
	struct dblock_client_options clients = cluster_options(0);
	struct dblock_client *deaf, *other;
	struct dblock_error err = {0};
	struct dblock_lock *lock, *got;

	(void)state;
	proxy_set(cluster.proxy[1], PROXY_TEAR);
	deaf = client_of(cluster.urls);
	lock = take(deaf, "x");
	proxy_set(cluster.proxy[0], PROXY_HOLD);
	expect(OK, cluster_replace(urls, MEMBERS, 3, &clients, &err));
	other = client_of(urls);
	wait_until(dblock_try(other, "x", NULL, &got, &err) == DBLOCK_OK);
	assert_false(dblock_valid(lock, 0));
	give(got);
	dblock_close(other, NULL);
	proxy_set(cluster.proxy[0], PROXY_PASS);
	(void)dblock_release(lock, NULL);
	dblock_close(deaf, NULL);
}

/* ---- tokens ---------------------------------------------------------------------------------- */

/* The last token is known to 1 and 3, and the next majority is 2 and who takes the place of 3. Naive: the newcomer
 * begins at none, and tokens go back. */
static void tokens_go_on(void **state)
{
	struct dblock_client *client;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int64_t token;

	(void)state;
	raw_exec(cluster.raw[0], "UPDATE dblock_floor SET token = 5000");
	proxy_set(cluster.proxy[1], PROXY_TEAR);
	client = client_of(cluster.urls);
	lock = take(client, "x");
	token = dblock_token(lock);
	give(lock);
	dblock_close(client, NULL);
	assert_true(token > 5000);
	proxy_set(cluster.proxy[1], PROXY_PASS);
	expect(OK, replace(3, SPARE, &err));
	proxy_set(cluster.proxy[0], PROXY_TEAR);
	client = client_of(with(3, SPARE));
	lock = take(client, "x");
	assert_true(dblock_token(lock) > token);
	give(lock);
	dblock_close(client, NULL);
}

/* A member that was restored takes its own place. It has names, and smaller tokens, and a vote that nobody has. */
static void a_restored_one_comes_back(void **state)
{
	struct dblock_client *client = client_of(cluster.urls);
	struct dblock_error err = {0};
	struct dblock_lock *lock = take(client, "x");
	int64_t token;

	(void)state;
	give(lock);
	raw_exec(cluster.raw[1], "UPDATE dblock_lock SET token = 1");
	raw_exec(cluster.raw[1],
		 "INSERT INTO dblock_history (n, id, facts, since) SELECT n + 1, 'copy', facts, "
		 "since FROM dblock_history WHERE n = (SELECT x FROM (SELECT max(n) AS x FROM "
		 "dblock_history) m)");
	dblock_close(client, NULL);
	client = client_of(cluster.urls);
	lock = take(client, "x");
	assert_false(votes_at(1, "x"));
	token = dblock_token(lock);
	give(lock);
	expect(OK, replace(2, 1, &err));
	assert_int_equal(epoch_of(1), 2);
	proxy_set(cluster.proxy[0], PROXY_TEAR);
	lock = take(client, "x");
	assert_true(votes_at(1, "x"));
	assert_true(dblock_token(lock) > token);
	give(lock);
	dblock_close(client, NULL);
}

/* ---- which one, and who else ----------------------------------------------------------------- */

static void what_is_refused(void **state)
{
	struct dblock_error err = {0};
	const char *twice[] = {cluster.urls[0], cluster.urls[1], cluster.direct[1]};
	const char *swapped[] = {cluster.urls[1], cluster.urls[0], cluster.urls[SPARE]};
	struct dblock_client_options clients = cluster_options(0);

	(void)state;
	clients.timeout_ms = SLOWLY_MS(2000);
	expect(E_INVALID, cluster_replace(cluster.urls, 3, 0, &clients, &err));
	expect(E_INVALID, cluster_replace(cluster.urls, 3, 4, &clients, &err));
	assert_non_null(strstr(err.message, "1 to 3"));
	expect(E_INVALID, cluster_replace(twice, 3, 3, &clients, &err));
	assert_non_null(strstr(err.message, "members 2 and 3 are one database"));
	expect(E_INVALID, cluster_replace(swapped, 3, 3, &clients, &err));
	assert_non_null(strstr(err.message, "order of their numbers"));
	/* All vote: there is nothing to do. */
	expect(OK, cluster_replace(cluster.urls, 3, 3, &clients, &err));
	assert_int_equal(epoch_of(0), 1);
	/* One of the others is not there. Nothing has changed. */
	proxy_set(cluster.proxy[0], PROXY_TEAR);
	assert_true(cluster_replace(with(3, SPARE), 3, 3, &clients, &err) < 0);
	assert_non_null(strstr(err.message, "member 1: it does not answer (member 1: "));
	proxy_set(cluster.proxy[0], PROXY_PASS);
	for (int i = 0; i < MEMBERS; i++)
		assert_int_equal(epoch_of(i), 1);
	/* A member of another cluster. */
	raw_exec(cluster.raw[0], "UPDATE dblock_quorum SET identity = 'other'");
	expect(E_INVALID, cluster_replace(with(3, SPARE), 3, 3, &clients, &err));
	assert_non_null(strstr(err.message, "another cluster"));
}

/* Two of five are lost: they are replaced one after the other, the first one while the second is not there. */
static void two_of_five(void **state)
{
	struct dblock_client_options clients = cluster_options(0);
	const char *urls[] = {cluster.urls[0], cluster.urls[1], cluster.urls[2], cluster.urls[5],
			      cluster.urls[4]};
	struct dblock_error err = {0};

	(void)state;
	clients.timeout_ms = SLOWLY_MS(4000);
	proxy_set(cluster.proxy[4], PROXY_TEAR);
	expect(OK, cluster_replace(urls, 5, 4, &clients, &err));
	assert_int_equal(epoch_of(5), 2);
	assert_int_equal(epoch_of(4), 1);
	urls[4] = cluster.urls[6];
	expect(OK, cluster_replace(urls, 5, 5, &clients, &err));
	for (int i = 0; i < 7; i++)
		assert_int_equal(epoch_of(i), i == 3 || i == 4 ? 1 : 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE_OF(&patient, a_holder_goes_on),
		CASE(who_was_replaced_does_not_count),
		CASE(who_cannot_hear_of_it_holds_nothing_in_time),
		CASE(nobody_gets_it_before_who_does_not_hear_has_lost_it),
		CASE(tokens_go_on),
		CASE(a_restored_one_comes_back),
		CASE(what_is_refused),
		CASE_OF(&five, two_of_five),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
