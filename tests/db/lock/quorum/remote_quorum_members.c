/* SPDX-License-Identifier: MIT */
/* Who is a member of a cluster, and votes. */
#include "api/client.h"
#include "db/lock/quorum/cluster.h"
#include "lock/quorum/membership.h"
#include "lock/quorum/vote.h"
#include "support/call.h"

static int set_up(void **state)
{
	(void)state;
	cluster_make_databases();
	return 0;
}

#define BARE_CASE(f) cmocka_unit_test_setup_teardown(f, set_up, cluster_tear_down)

static int make_within(int64_t timeout_ms, const char *name, const char *const urls[],
		       struct dblock_error *err)
{
	struct dblock_client_options options = cluster_options(0);
	struct dblock_quorum_options how = cluster_of(0);

	options.timeout_ms = timeout_ms;
	return dblock_quorum_init(urls, MEMBERS, name, &how, &options, err);
}

static int make(const char *name, const char *const urls[], struct dblock_error *err)
{
	return make_within(PLENTY_MS, name, urls, err);
}

static int open_it(const char *const urls[], struct dblock_error *err)
{
	struct dblock_client_options options = cluster_options(0);
	struct dblock_client *client;
	int rc = dblock_quorum_open(urls, MEMBERS, &options, &client, err);

	dblock_close(client, NULL);
	return rc;
}

static int64_t members_that_vote(void)
{
	int64_t n = 0;

	for (int i = 0; i < MEMBERS; i++)
		n += raw_int(cluster.raw[i], "SELECT count(*) FROM dblock_quorum WHERE state = 1");
	return n;
}

static void a_cluster_is_made_once(void **state)
{
	const char *swapped[] = {cluster.urls[1], cluster.urls[0], cluster.urls[2]};
	struct dblock_error err = {0};

	(void)state;
	/* The databases have tables, but are no members. */
	expect(E_INVALID, open_it(cluster.urls, &err));
	assert_non_null(strstr(err.message, "dblock quorum init"));
	expect(OK, make("three", cluster.urls, &err));
	expect(OK, make("three", cluster.urls, &err));
	assert_int_equal(members_that_vote(), MEMBERS);
	expect(E_INVALID, make("other", cluster.urls, &err));
	assert_non_null(strstr(err.message, "'three'"));
	expect(E_INVALID, make("three", swapped, &err));
	assert_non_null(strstr(err.message, "member 1 is already member 2"));
	expect(OK, open_it(cluster.urls, &err));
	expect(OK, open_it(swapped, &err)); /* each says which it is */
}

static void a_member_must_not_forget(void **state)
{
	const char *setting =
		on_backend("postgresql") ? "fsync = off" : "innodb_flush_log_at_trx_commit = 2";
	struct dblock_client_options clients = cluster_options(0);
	struct dblock_error err = {0};

	(void)state;
	expect(E_INVALID, dblock_quorum_init(cluster.urls, MEMBERS, "three", NULL, &clients, &err));
	assert_non_null(strstr(err.message, "member 1"));
	assert_non_null(strstr(err.message, setting));
	assert_int_equal(members_that_vote(), 0);
	expect(OK, make("three", cluster.urls, &err));
	/* Nor one that takes a place. */
	raw_exec(cluster.raw[2], "DELETE FROM dblock_quorum");
	expect(E_INVALID, dblock_quorum_replace(cluster.urls, MEMBERS, 3, NULL, &clients, &err));
	assert_non_null(strstr(err.message, setting));
	assert_int_equal(members_that_vote(), 2);
}

/* Two ways to one database. Naive: by their URLs they are two. */
static void a_member_is_a_database(void **state)
{
	struct proxy *way = proxy_new_to(cluster.direct[0]);
	const char *urls[] = {cluster.urls[0], cluster.urls[1], proxy_url(way)};
	struct dblock_error err = {0};

	(void)state;
	expect(E_INVALID, make("three", urls, &err));
	assert_non_null(strstr(err.message, "members 1 and 3 are one database"));
	expect(E_INVALID, open_it(cluster.urls, &err));
	expect(OK, make("three", cluster.urls, &err));
	expect(E_INVALID, open_it(urls, &err));
	assert_non_null(strstr(err.message, "given once"));
	proxy_free(way);
}

/* Naive: the first two are members when the third cannot be made one. */
static void on_all_or_none(void **state)
{
	struct dblock_client_options clients = cluster_options(0);
	struct dblock_quorum_options other = cluster_of(0);
	struct dblock_error err = {0};
	int rc;

	(void)state;
	proxy_set(cluster.proxy[2], PROXY_TEAR);
	rc = make_within(SLOWLY_MS(4000), "three", cluster.urls, &err);
	assert_true(rc < 0);
	assert_non_null(strstr(err.message, "member 3"));
	proxy_set(cluster.proxy[2], PROXY_PASS);
	expect(OK, make("three", cluster.urls, &err));
	/* It was broken off before any voted, and after one did. */
	for (int done = 0; done < 2; done++) {
		for (int i = done; i < MEMBERS; i++)
			raw_exec(cluster.raw[i], "UPDATE dblock_quorum SET state = 0");
		expect(E_INVALID, open_it(cluster.urls, &err));
		assert_non_null(strstr(err.message, "not complete"));
		/* Naive: members that wait differently long for who does not know. */
		other.max_ttl_ms = 10000;
		expect(E_INVALID,
		       dblock_quorum_init(cluster.urls, MEMBERS, "three", &other, &clients, &err));
		assert_non_null(strstr(err.message, "max_ttl_ms is 10000"));
		expect(OK, make("three", cluster.urls, &err));
		assert_int_equal(members_that_vote(), MEMBERS);
		expect(OK, open_it(cluster.urls, &err));
	}
}

/* A member that lost its disk, and is blank again. Naive: making the cluster once more completes it, and what has
 * forgotten its votes votes. */
static void who_has_forgotten_is_not_made_a_member_again(void **state)
{
	struct dblock_error err = {0};

	(void)state;
	expect(OK, make("three", cluster.urls, &err));
	raw_exec(cluster.raw[1], "DELETE FROM dblock_quorum");
	raw_exec(cluster.raw[1], "DELETE FROM dblock_lock");
	expect(E_INVALID, make("three", cluster.urls, &err));
	assert_non_null(strstr(err.message, "member 2"));
	assert_non_null(strstr(err.message, "quorum replace"));
	assert_int_equal(members_that_vote(), MEMBERS - 1);
}

static void another_number_of_members(void **state)
{
	struct dblock_error err = {0};

	(void)state;
	expect(OK, make("three", cluster.urls, &err));
	for (int i = 0; i < MEMBERS; i++)
		raw_exec(cluster.raw[i], "UPDATE dblock_quorum SET members = 5");
	expect(E_INVALID, open_it(cluster.urls, &err));
	assert_non_null(strstr(err.message, "has 5 members, and 3 were given"));
}

struct attempt {
	struct dblock_client *client;
	struct dblock_lock *lock;
};

static int tries(void *arg, struct dblock_error *err)
{
	struct attempt *a = arg;

	return dblock_try(a->client, "x", NULL, &a->lock, err);
}

/* The votes are on their way while the epoch is closed. Naive: a vote reads the epoch as it was when its statement
 * began. */
static void no_vote_under_a_closed_epoch(void **state)
{
	struct attempt a = {cluster_client(0), NULL};
	struct call call;

	(void)state;
	for (int i = 0; i < 2; i++) {
		raw_exec(cluster.raw[i], "BEGIN");
		raw_exec(cluster.raw[i], "UPDATE dblock_quorum SET state = 2, epoch = epoch + 1");
	}
	call_start(&call, tries, &a);
	sleep_ms(100);
	assert_false(call.done && call.rc == DBLOCK_OK);
	for (int i = 0; i < 2; i++)
		raw_exec(cluster.raw[i], "COMMIT");
	assert_int_not_equal(call_end(&call), DBLOCK_OK);
	assert_null(a.lock);
	dblock_close(a.client, NULL);
}

static struct dblock_lock *votes_at(struct dblock_client *alone, const struct dbl_ballot *ballot)
{
	struct dbl_acquire_spec spec = {.name = "quorum\x1fx",
					.owner = {.kind = DBL_OWNER_WAIT, .id = 1}};
	struct dblock_error err = {0};
	struct dblock_lock *part;

	expect(OK, dbl_vote_ask(alone->locks, &spec, ballot, &(struct dbl_watch){0}, &part, &err));
	return part;
}

static int64_t raise_to(struct dblock_client *alone, const struct dbl_ballot *ballot, int64_t nonce)
{
	struct dbl_value args[] = {{.type = DBL_TEXT, .text = "quorum\x1fx", .len = 8},
				   {.type = DBL_INT, .i = nonce},
				   {.type = DBL_INT, .i = ballot->token},
				   {.type = DBL_TEXT, .text = ballot->identity, .len = 32},
				   {.type = DBL_INT, .i = ballot->epoch}};
	struct dbl_request request = {.op = DBL_OP_quorum_raise,
				      .args = DBL_ARGS(args),
				      .deadline = dbl_locks_deadline(alone->locks)};
	struct dblock_error err = {0};

	expect(OK, dbl_link_run(alone->locks->link, &request, &err));
	return member_int(0, "token", "x");
}

/* What one statement does on one member. Naive: a raise that comes late lowers the token; one of somebody else's
 * raises it; a purged name begins anew below the tokens that it has had. */
static void a_raise_only_raises_its_own(void **state)
{
	struct dblock_client_options options = cluster_options(0);
	struct dblock_client *alone;
	struct dbl_membership is;
	struct dblock_error err = {0};
	struct dblock_lock *part;
	struct dbl_ballot ballot;

	(void)state;
	expect(OK, dblock_open(cluster.urls[0], &options, &alone, &err));
	expect(OK, dbl_membership_verify(alone->locks->link, dbl_locks_deadline(alone->locks), &is,
					 &err));
	ballot = (struct dbl_ballot){.token = 100, .identity = is.identity, .epoch = is.epoch};
	part = votes_at(alone, &ballot);
	assert_int_equal(dblock_token(part), 100);
	ballot.token = 200;
	expect(OK, dbl_vote_confirm(part, &ballot, &err));
	ballot.token = 150;
	assert_int_equal(raise_to(alone, &ballot, part->grant.nonce), 200);
	ballot.token = 300;
	assert_int_equal(raise_to(alone, &ballot, part->grant.nonce + 1), 200);
	ballot.epoch++;
	assert_int_equal(raise_to(alone, &ballot, part->grant.nonce), 200);
	ballot.epoch--;
	give(part);
	raw_exec(cluster.raw[0], "DELETE FROM dblock_lock");
	raw_exec(cluster.raw[0], "UPDATE dblock_floor SET token = 500");
	part = votes_at(alone, &ballot);
	assert_int_equal(dblock_token(part), 501);
	ballot.token = 502;
	give(part);
	/* After its release a confirmation finds nothing. */
	assert_int_equal(raise_to(alone, &ballot, member_int(0, "nonce", "x")), 501);
	dblock_close(alone, NULL);
}

static void what_is_refused(void **state)
{
	struct dblock_client_options options = cluster_options(0);
	const char *files[] = {"sqlite:/a", "sqlite:/b", "sqlite:/c"};
	struct dblock_acquire_options shared = DBLOCK_ACQUIRE_OPTIONS_INIT, least = shared;
	struct dblock_client *client, *not ;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct dblock_tx *tx;
	char name[250];

	(void)state;
	expect(E_INVALID, dblock_quorum_open(cluster.urls, 2, &options, &not, &err));
	expect(E_INVALID, dblock_quorum_open(files, 3, &options, &not, &err));
	assert_non_null(strstr(err.message, "SQLite"));
	options.durability = DBLOCK_RELAXED;
	expect(E_INVALID, dblock_quorum_open(cluster.urls, MEMBERS, &options, &not, &err));
	options = cluster_options(400000);
	expect(E_INVALID, dblock_quorum_open(cluster.urls, MEMBERS, &options, &not, &err));
	assert_non_null(strstr(err.message, "max_ttl"));
	client = cluster_client(0);
	shared.mode = DBLOCK_SHARED;
	expect(E_INVALID, dblock_acquire(client, "x", &shared, &lock, &err));
	assert_non_null(strstr(err.message, "mode"));
	/* Naive: who gets no majority gives back what stays taken for that time. */
	least.at_least_ms = 60000;
	expect(E_INVALID, dblock_acquire(client, "x", &least, &lock, &err));
	assert_non_null(strstr(err.message, "at_least_ms"));
	expect(E_INVALID, dblock_tx_open(client, &tx, &err));
	assert_non_null(strstr(err.message, "several databases"));
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	expect(E_INVALID, dblock_try(client, name, NULL, &lock, &err));
	name[248] = '\0';
	give(take(client, name));
	lock = take(client, "x");
	expect(E_INVALID, dblock_upgrade(lock, NULL, &err));
	give(lock);
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BARE_CASE(a_cluster_is_made_once),
		BARE_CASE(a_member_must_not_forget),
		BARE_CASE(a_member_is_a_database),
		BARE_CASE(on_all_or_none),
		BARE_CASE(who_has_forgotten_is_not_made_a_member_again),
		BARE_CASE(another_number_of_members),
		CLUSTER_CASE(no_vote_under_a_closed_epoch),
		CLUSTER_CASE(a_raise_only_raises_its_own),
		CLUSTER_CASE(what_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
