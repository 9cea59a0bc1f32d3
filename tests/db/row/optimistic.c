/* SPDX-License-Identifier: MIT */
/* Rows with a version: the outcome of each call, in a transaction and outside. */
#include "support/versioned.h"

static struct dblock_client *client;
static struct dblock_tx *tx;

static const enum dblock_version_kind kinds[] = {DBLOCK_BY_VERSION, DBLOCK_BY_UPDATED_AT};

/* A scene, played by version and by time, outside a transaction and in one. */
struct scene {
	struct dblock_value key[2];
	struct dblock_versioned_row row;
	bool in_tx;
	struct dblock_error err;
};

static void play(void (*scene)(struct scene *), int id)
{
	for (int i = 0; i < 4; i++) {
		struct scene s = {.in_tx = i & 1};

		s.row = article_row(s.key, id, kinds[i / 2]);
		if (s.in_tx)
			assert_int_equal(dblock_tx_begin(tx, NULL, &s.err), 0);
		scene(&s);
		if (s.in_tx)
			assert_int_equal(dblock_tx_commit(tx, &s.err), 0);
		assert_int_equal(dblock_tx_state_of(tx), DBLOCK_TX_NONE);
	}
}

/* Naive (without a condition on the version): the second update overwrites the first. */
static void who_was_first_wins(struct scene *s)
{
	int64_t before, mine, theirs, stock;
	struct dblock_error err = {0};

	expect(OK, article_read_stock(tx, &s->row, &before, &mine, &err));
	theirs = mine;
	expect(OK, article_set_stock(tx, &s->row, before + 1, &mine, &err));
	assert_true(mine > theirs);
	if (s->row.kind == DBLOCK_BY_VERSION)
		assert_int_equal(mine, theirs + 1);
	expect(STALE, article_set_stock(tx, &s->row, before + 5, &theirs, &err));
	message_has("has changed");
	assert_int_equal(theirs, mine);
	expect(OK, article_read_stock(tx, &s->row, &stock, &theirs, &err));
	assert_int_equal(stock, before + 1);
	assert_int_equal(theirs, mine);
	/* With the new version the next update goes on, even without a column to set. */
	expect(OK, article_set_stock(tx, &s->row, before + 2, &theirs, &err));
	expect(OK, dblock_versioned_update(tx, &s->row, &theirs, NULL, NULL, 0, &err));
	expect(STALE, dblock_versioned_delete(tx, &s->row, &mine, &err));
	assert_int_equal(mine, theirs);
	assert_int_equal(article_stock(tx, 1), before + 2);
}

static void updates(void **state)
{
	(void)state;
	play(who_was_first_wins, 1);
}

/* A delete is the row's last call. */
static void what_is_deleted_is_gone(struct scene *s)
{
	static int id = 10;
	struct dblock_error err = {0};
	int64_t stock, version = 0;
	char sql[256];

	s->key[1] = dblock_int(++id);
	expect(GONE, article_read_stock(tx, &s->row, &stock, &version, &err));
	message_has("article");
	expect(GONE, article_set_stock(tx, &s->row, 1, &version, &err));
	expect(GONE, dblock_versioned_delete(tx, &s->row, &version, &err));
	snprintf(sql, sizeof(sql),
		 "INSERT INTO article SELECT site, %d, title, stock, version, updated_at FROM "
		 "article WHERE id = 2",
		 id);
	tx_exec(tx, sql);
	expect(OK, dblock_versioned_read(tx, &s->row, NULL, 0, NULL, NULL, &version, &err));
	version--;
	expect(STALE, dblock_versioned_delete(tx, &s->row, &version, &err));
	expect(OK, dblock_versioned_delete(tx, &s->row, &version, &err));
	expect(GONE, dblock_versioned_delete(tx, &s->row, &version, &err));
}

static void deletes(void **state)
{
	(void)state;
	play(what_is_deleted_is_gone, 0);
}

/* Values of every type are kept. A value that the database refuses leaves the transaction as it
 * was. */
static int keep_values(void *arg, const struct dblock_value *values, size_t n)
{
	char *texts = arg;

	assert_int_equal(n, 2);
	assert_int_equal(values[0].type, DBLOCK_TEXT);
	assert_int_equal(values[1].type, DBLOCK_INT);
	snprintf(texts, 600, "%.*s|%lld", (int)values[0].len, values[0].text,
		 (long long)values[1].i);
	return 0;
}

static void values_are_the_callers(struct scene *s)
{
	static const char *const columns[] = {"title", "stock"}, *const no_such[] = {"nosuch"};
	struct dblock_value values[] = {dblock_null(), dblock_int(-3)};
	struct dblock_error err = {0};
	char title[320], texts[600], want[600];
	int64_t version, before;

	memset(title, 'x', sizeof(title));
	snprintf(title + 290, 30, "'\"`\\;-- $1 ? \xc3\xa4");
	values[0] = dblock_text(title);
	expect(OK, dblock_versioned_read(tx, &s->row, NULL, 0, NULL, NULL, &version, &err));
	expect(OK, dblock_versioned_update(tx, &s->row, &version, columns, values, 2, &err));
	expect(OK,
	       dblock_versioned_read(tx, &s->row, columns, 2, keep_values, texts, &version, &err));
	snprintf(want, sizeof(want), "%s|-3", title);
	assert_string_equal(texts, want);
	before = version;
	values[0] = dblock_null();
	values[1] = dblock_int(-4);
	expect(E_REFUSED, dblock_versioned_update(tx, &s->row, &version, columns, values, 2, &err));
	assert_true(err.native || err.sqlstate[0]);
	expect(E_SCHEMA, dblock_versioned_update(tx, &s->row, &version, no_such, values, 1, &err));
	expect(E_SCHEMA,
	       dblock_versioned_read(tx, &s->row, no_such, 1, keep_values, texts, &version, &err));
	assert_int_equal(version, before);
	assert_int_equal(dblock_tx_state_of(tx), s->in_tx ? DBLOCK_TX_OPEN : DBLOCK_TX_NONE);
	values[1] = dblock_int(100);
	expect(OK, dblock_versioned_update(tx, &s->row, &version, columns, values, 2, &err));
}

static void values_and_refusals(void **state)
{
	(void)state;
	play(values_are_the_callers, 2);
}

static int say_no(void *arg, const struct dblock_value *values, size_t n)
{
	(void)arg, (void)values, (void)n;
	return 42;
}

static void what_the_reader_says_is_returned(struct scene *s)
{
	static const char *const columns[] = {"stock"};
	struct dblock_error err = {0};
	int64_t version = 0;

	assert_int_equal(
		dblock_versioned_read(tx, &s->row, columns, 1, say_no, NULL, &version, &err), 42);
	assert_true(version > 0);
}

static void readers(void **state)
{
	(void)state;
	play(what_the_reader_says_is_returned, 2);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Naive (names are put in as they are): a syntax error, or worse. */
static void names_are_quoted(void **state)
{
	static const char *const key[] = {"the \"key\" `of` it; --"}, *const set[] = {"select"};
	struct dblock_value id = dblock_text("k'1"), value = dblock_int(5);
	struct dblock_versioned_row row = {
		.key = key, .key_values = &id, .n_key = 1, .version = "$1 ?\\'"};
	const char *schema = on_backend("postgresql") ? "public"
			     : on_backend("mysql")    ? ""
						      : "main";
	struct dblock_error err = {0};
	char name[80] = "";
	int64_t version;

	(void)state;
	tx_exec(tx,
		on_backend("mysql")
			? "CREATE TABLE `odd \"table\"` (`the \"key\" ``of`` it; --` VARCHAR(9) "
			  "PRIMARY KEY, `select` INT, `$1 ?\\'` INT)"
			: "CREATE TABLE \"odd \"\"table\"\"\" (\"the \"\"key\"\" `of` it; --\" "
			  "VARCHAR(9) PRIMARY KEY, \"select\" INT, \"$1 ?\\'\" INT)");
	tx_exec(tx, on_backend("mysql")
			    ? "INSERT INTO `odd \"table\"` VALUES ('k''1', 1, 1)"
			    : "INSERT INTO \"odd \"\"table\"\"\" VALUES ('k''1', 1, 1)");
	if (on_backend("mysql"))
		snprintf(name, sizeof(name), "%s", tx_text(tx, "SELECT DATABASE()"));
	else
		snprintf(name, sizeof(name), "%s", schema);
	snprintf(name + strlen(name), sizeof(name) - strlen(name), ".odd \"table\"");
	for (int i = 0; i < 2; i++) {
		row.table = i ? name : "odd \"table\"";
		expect(OK, dblock_versioned_read(tx, &row, set, 1, article_keep_int, &version,
						 &version, &err));
		assert_int_equal(version, 1 + i);
		expect(OK, dblock_versioned_update(tx, &row, &version, set, &value, 1, &err));
	}
	assert_int_equal(tx_int(tx, on_backend("mysql") ? "SELECT `select` FROM `odd \"table\"`"
							: "SELECT \"select\" FROM \"odd "
							  "\"\"table\"\"\""),
			 5);
	expect(OK, dblock_versioned_delete(tx, &row, &version, &err));
	row.version = "nosuch";
	expect(E_SCHEMA, dblock_versioned_delete(tx, &row, &version, &err));
}

static void a_key_that_is_not_unique_is_told(void **state)
{
	static const char *const key[] = {"site"};
	struct dblock_value values[2];
	struct dblock_versioned_row row = article_row(values, 1, DBLOCK_BY_VERSION);
	struct dblock_error err = {0};
	int64_t version = 0, before;

	(void)state;
	row.key = key;
	row.n_key = 1;
	expect(E_INVALID, dblock_versioned_read(tx, &row, NULL, 0, NULL, NULL, &version, &err));
	message_has("unique");
	tx_exec(tx, "UPDATE article SET version = 7");
	before = tx_int(tx, "SELECT sum(stock) FROM article");
	expect(OK, dblock_tx_begin(tx, NULL, &err));
	version = 7;
	expect(E_INVALID, article_set_stock(tx, &row, 0, &version, &err));
	expect(E_INVALID, dblock_versioned_delete(tx, &row, &version, &err));
	expect(OK, dblock_tx_commit(tx, &err));
	assert_int_equal(tx_int(tx, "SELECT sum(stock) FROM article"), before);
}

static void bad_calls_are_told(void **state)
{
	static const char *const columns[] = {"Version"}, *const none[] = {NULL},
				 *const no_such[] = {"site", "nosuch"};
	struct dblock_value key[2], value = dblock_int(1);
	struct dblock_versioned_row row = article_row(key, 1, DBLOCK_BY_VERSION), bad = row;
	struct dblock_error err = {0};
	int64_t version = 1;

	(void)state;
	expect(E_INVALID, dblock_versioned_read(NULL, &row, NULL, 0, NULL, NULL, &version, &err));
	expect(E_INVALID, dblock_versioned_read(tx, NULL, NULL, 0, NULL, NULL, &version, &err));
	expect(E_INVALID, dblock_versioned_read(tx, &row, NULL, 0, NULL, NULL, NULL, &err));
	expect(E_INVALID, dblock_versioned_read(tx, &row, columns, 1, NULL, NULL, &version, &err));
	expect(E_INVALID, dblock_versioned_read(tx, &row, NULL, 1, say_no, NULL, &version, &err));
	expect(E_INVALID,
	       dblock_versioned_read(tx, &row, columns, 65, say_no, NULL, &version, &err));
	expect(E_INVALID, dblock_versioned_read(tx, &row, none, 1, say_no, NULL, &version, &err));
	expect(E_INVALID, dblock_versioned_update(tx, &row, &version, columns, &value, 1, &err));
	message_has("is the version");
	expect(E_INVALID, dblock_versioned_update(tx, &row, &version, columns, &value, 61, &err));
	expect(E_INVALID, dblock_versioned_update(tx, &row, NULL, NULL, NULL, 0, &err));
	expect(E_INVALID, dblock_versioned_delete(tx, &row, NULL, &err));
	bad.table = "a.b.c";
	expect(E_INVALID, dblock_versioned_delete(tx, &bad, &version, &err));
	bad = row;
	bad.n_key = 0;
	expect(E_INVALID, dblock_versioned_delete(tx, &bad, &version, &err));
	bad = row;
	bad.kind = (enum dblock_version_kind)2;
	expect(E_INVALID, dblock_versioned_delete(tx, &bad, &version, &err));
	bad = row;
	bad.version = "";
	expect(E_INVALID, dblock_versioned_delete(tx, &bad, &version, &err));
	bad = row;
	bad.key = no_such;
	expect(E_SCHEMA, dblock_versioned_read(tx, &bad, NULL, 0, NULL, NULL, &version, &err));
	expect(E_SCHEMA, dblock_versioned_update(tx, &bad, &version, NULL, NULL, 0, &err));
	bad = row;
	bad.table = "nosuch";
	expect(E_SCHEMA, dblock_versioned_delete(tx, &bad, &version, &err));
	bad.kind = DBLOCK_BY_UPDATED_AT;
	expect(E_SCHEMA, dblock_versioned_delete(tx, &bad, &version, &err));
	expect(E_INVALID, dblock_versioned_run(client, NULL, NULL, NULL, &err));
	expect(E_INVALID, dblock_versioned_run(NULL, NULL, NULL, NULL, &err));
}

static int set_up(void **state)
{
	(void)state;
	client = client_new(0);
	tx = tx_open(client);
	article_make(tx, 3);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	dblock_tx_close(tx);
	dblock_close(client, NULL);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(updates),
		cmocka_unit_test(deletes),
		cmocka_unit_test(values_and_refusals),
		cmocka_unit_test(readers),
		cmocka_unit_test(names_are_quoted),
		cmocka_unit_test(a_key_that_is_not_unique_is_told),
		cmocka_unit_test(bad_calls_are_told),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
