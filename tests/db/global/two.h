/* SPDX-License-Identifier: MIT */
/* Two databases: a home, and another one that has a branch. They are one database with two sets of dblock's tables, each
 * with a table of the test's: to dblock these are two. */
#ifndef TESTS_DB_GLOBAL_TWO_H
#define TESTS_DB_GLOBAL_TWO_H

#include <dblock/global.h>

#include "api/client.h"
#include "link/tx.h"
#include "support/raw.h"
#include "support/tx.h"
#include "support/waiting.h"

struct two {
	struct dblock_client *home, *other;   /* of who begins it */
	struct dblock_client *homes, *others; /* of who recovers it */
	struct raw *raw;
	struct dblock_tx *at_home, *there;
	struct dblock_global *global;
	/* What the last recovery told. */
	enum dblock_recovered outcome;
	int told;
	char text[200];
};

static inline struct dblock_client *two_client(const char *prefix, const struct dbl_env *env,
					       int64_t timeout_ms)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;

	options.prefix = prefix;
	options.auto_migrate = true;
	options.timeout_ms = timeout_ms;
	options.ttl_ms = DBLOCK_TTL_MAX_MS;
	expect(OK, dbl_client_open(test_url(), &options, env, &client, &err));
	return client;
}

static inline void two_make(struct two *t)
{
	t->homes = two_client("h_", dbl_env_system(), PLENTY_MS);
	t->others = two_client(NULL, dbl_env_system(), PLENTY_MS);
	t->raw = raw_open(NULL);
	raw_exec(t->raw, "CREATE TABLE IF NOT EXISTS orders (id BIGINT PRIMARY KEY)");
	raw_exec(t->raw, "CREATE TABLE IF NOT EXISTS stock (id BIGINT PRIMARY KEY)");
	raw_exec(t->raw, "DELETE FROM orders");
	raw_exec(t->raw, "DELETE FROM stock");
	raw_exec(t->raw, "DELETE FROM h_decision");
	raw_exec(t->raw, "DELETE FROM dblock_branch");
}

static inline void two_free(struct two *t)
{
	raw_close(t->raw);
	dblock_close(t->homes, NULL);
	dblock_close(t->others, NULL);
}

/* One transaction that writes one row in each. */
static inline int two_begin(struct two *t, struct dblock_error *err)
{
	int rc = dblock_tx_open(t->home, &t->at_home, err);

	t->there = NULL;
	t->global = NULL;
	if (rc == 0)
		rc = dblock_tx_open(t->other, &t->there, err);
	if (rc == 0)
		rc = dblock_global_begin(t->at_home, &t->global, err);
	if (rc == 0)
		rc = dblock_global_join(t->global, t->there, err);
	if (rc == 0)
		rc = dblock_tx_query(t->at_home, "INSERT INTO orders (id) VALUES (1)", NULL, 0,
				     NULL, NULL, NULL, err);
	if (rc == 0)
		rc = dblock_tx_query(t->there, "INSERT INTO stock (id) VALUES (1)", NULL, 0, NULL,
				     NULL, NULL, err);
	return rc;
}

static inline void two_end(struct two *t)
{
	dblock_global_close(t->global);
	dblock_tx_close(t->there);
	dblock_tx_close(t->at_home);
	t->global = NULL;
	t->there = t->at_home = NULL;
}

static inline int two_told(void *arg, const struct dblock_recovery *found)
{
	struct two *t = arg;

	t->outcome = found->outcome;
	t->told++;
	snprintf(t->text, sizeof(t->text), "%s", found->text);
	return 0;
}

static inline int two_recover(struct two *t, struct dblock_error *err)
{
	struct dblock_client *const clients[] = {t->homes, t->others};
	struct dblock_recover_options options = DBLOCK_RECOVER_OPTIONS_INIT;

	t->told = 0;
	options.grace_ms = 1;
	return dblock_recover(clients, 2, &options, two_told, t, err);
}

static inline int64_t two_count(const struct two *t, const char *table)
{
	return raw_int(t->raw, "SELECT count(*) FROM %s", table);
}

static inline int two_count_prepared(void *ctx, const struct dbl_value *row)
{
	*(int *)ctx += row[3].len > 7 && memcmp(row[3].text, "dblock:", 7) == 0;
	return 0;
}

static inline int two_prepared(const struct two *t)
{
	int n = 0;
	struct dbl_request request = {.op = DBL_OP_branch_list,
				      .row = two_count_prepared,
				      .ctx = &n,
				      .deadline = INT64_MAX};
	struct dblock_tx *tx = tx_open(t->others);
	struct dblock_error err = {0};

	request.deadline = dbl_tx_deadline(tx);
	expect(OK, dbl_db_run(tx->db, &request, &err));
	dblock_tx_close(tx);
	return n;
}

/* Both or none; nothing is prepared any more, and nothing noted. */
static inline void two_is_over(const struct two *t, bool committed)
{
	assert_int_equal(two_count(t, "orders"), committed);
	assert_int_equal(two_count(t, "stock"), committed);
	assert_int_equal(two_prepared(t), 0);
	assert_int_equal(raw_int(t->raw, "SELECT count(*) FROM h_decision WHERE state = 1"), 0);
	assert_int_equal(two_count(t, "dblock_branch"), 0);
}

#endif
