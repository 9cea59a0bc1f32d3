/* SPDX-License-Identifier: MIT */
/* Which rule each statement is against; above all, that those which only look like it are against
 * none. */
#include "migrate/lint/lint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct sample {
	const char *dialect;
	const char *past; /* a file that is applied; "": none */
	const char *file; /* the rule is that of its last statement */
	const char *rule; /* "": none */
};

#define PG "postgresql", ""
#define MY "mysql", ""
#define SL "sqlite", ""

static const struct sample samples[] = {
	/* what goes, and what only seems to */
	{PG, "DROP TABLE t", "drop-table"},
	{MY, "DROP TABLE IF EXISTS a, `t`", "drop-table"},
	{PG, "CREATE TABLE t (a int); DROP TABLE t", ""},
	{PG, "CREATE TABLE t (a int); DROP TABLE t, u", "drop-table"},
	{PG, "CREATE TABLE t (a int); DROP TABLE t; DROP TABLE t", "drop-table"},
	{"postgresql", "CREATE TABLE t (a int)", "DROP TABLE t", "drop-table"},
	{"postgresql", "CREATE TABLE t (a int)",
	 "CREATE TABLE IF NOT EXISTS t (a int); DROP TABLE t", "drop-table"},
	{PG, "CREATE TABLE IF NOT EXISTS public.t (a int); DROP TABLE \"t\"", ""},
	{PG, "CREATE TABLE app.t (a int); DROP TABLE t", "drop-table"},
	{SL, "CREATE TABLE t2 (a); INSERT INTO t2 SELECT a FROM t; DROP TABLE t", ""},
	{SL, "CREATE TABLE t2 (a); INSERT INTO t2 SELECT a FROM t WHERE a; DROP TABLE t",
	 "drop-table"},
	{SL, "CREATE TABLE t2 (a); DROP TABLE t", "drop-table"},
	{SL, "INSERT INTO t2 SELECT a FROM t; DROP TABLE t", "drop-table"},
	{SL, "CREATE TABLE t2 AS SELECT a FROM t; DROP TABLE t; ALTER TABLE t2 RENAME TO t", ""},
	{PG, "DROP VIEW v", ""},
	{PG, "DROP FUNCTION f", ""},
	{MY, "CREATE OR REPLACE TABLE t (a int)", "drop-table"},
	{PG, "TRUNCATE t", "truncate"},
	{MY, "TRUNCATE TABLE t", "truncate"},
	{PG, "DELETE FROM t", "delete-all-rows"},
	{PG, "DELETE FROM t WHERE a", ""},
	{PG, "DELETE FROM t /* WHERE a */", "delete-all-rows"},
	{PG, "UPDATE t SET a = 'WHERE'", "update-all-rows"},
	{PG, "UPDATE t SET a = 1 WHERE b", ""},
	{PG, "CREATE TABLE t (a int); UPDATE t SET a = 1", ""},
	{SL, "UPDATE t SET a = 1", "update-all-rows"},
	{MY, "DROP DATABASE d", "drop-schema"},
	{PG, "CREATE SCHEMA s; DROP SCHEMA s CASCADE", ""},
	{PG, "ALTER TABLE t DROP COLUMN a", "drop-column"},
	{PG, "ALTER TABLE IF EXISTS ONLY t DROP IF EXISTS a CASCADE", "drop-column"},
	{PG, "ALTER TABLE t DROP CONSTRAINT a", ""},
	{PG, "ALTER TABLE t ADD COLUMN b int, DROP COLUMN a", "drop-column"},
	{PG, "ALTER TABLE t ADD COLUMN a int; ALTER TABLE t DROP COLUMN a", ""},
	{"postgresql", "ALTER TABLE t ADD COLUMN a int", "ALTER TABLE t DROP COLUMN a",
	 "drop-column"},
	{PG, "ALTER TABLE t ALTER a DROP NOT NULL", ""},
	{SL, "ALTER TABLE t DROP a", "drop-column"},
	{MY, "ALTER TABLE t DROP a", "drop-column"},
	{MY, "ALTER TABLE t DROP INDEX a", ""},
	{MY, "ALTER TABLE t DROP PARTITION p", "drop-partition"},
	/* names */
	{PG, "ALTER TABLE t RENAME TO u", "rename-breaks"},
	{PG, "ALTER TABLE t RENAME COLUMN a TO b", "rename-breaks"},
	{PG, "ALTER TABLE t RENAME a TO b", "rename-breaks"},
	{PG, "ALTER TABLE t RENAME CONSTRAINT a TO b", ""},
	{PG, "ALTER INDEX i RENAME TO j", ""},
	{PG, "CREATE TABLE t (a int); ALTER TABLE t RENAME TO u; ALTER TABLE u RENAME a TO b", ""},
	{MY, "RENAME TABLE t TO u", "rename-breaks"},
	{MY, "CREATE TABLE t (a int); RENAME TABLE t TO u", ""},
	{MY, "ALTER TABLE t RENAME u", "rename-breaks"},
	{MY, "ALTER TABLE t RENAME INDEX i TO j", ""},
	{SL, "ALTER TABLE t RENAME TO u", "rename-breaks"},
	/* indexes */
	{PG, "CREATE INDEX i ON t (a)", "index-blocks-writes"},
	{PG, "create\n  unique /* big */ index on only s.t (a)", "index-blocks-writes"},
	{PG, "CREATE INDEX \" CONCURRENTLY \" ON t (a)", "index-blocks-writes"},
	{PG, "CREATE INDEX CONCURRENTLY i ON t (a)", ""},
	{PG, "CREATE TABLE t (a int); CREATE INDEX i ON t (a)", ""},
	{PG, "CREATE MATERIALIZED VIEW v AS SELECT 1; CREATE INDEX i ON v (a)", ""},
	{PG, "CREATE TABLE t (a int); CREATE INDEX i ON u (a)", "index-blocks-writes"},
	{PG, "DROP INDEX i", "drop-index-waits"},
	{PG, "CREATE TABLE t (a int); CREATE INDEX i ON t (a); DROP INDEX i", ""},
	{PG, "DROP INDEX CONCURRENTLY i", ""},
	{PG, "REINDEX TABLE t", "reindex-blocks"},
	{PG, "REINDEX (VERBOSE) INDEX i", "reindex-blocks"},
	{PG, "REINDEX INDEX CONCURRENTLY i", ""},
	{PG, "CREATE TABLE t (a int); CREATE INDEX i ON t (a); REINDEX INDEX i", ""},
	{PG, "REFRESH MATERIALIZED VIEW CONCURRENTLY v", ""},
	{PG, "REFRESH MATERIALIZED VIEW v", "refresh-blocks"},
	{PG, "VACUUM FULL t", "rewrites-table"},
	{PG, "VACUUM (FULL) t", "rewrites-table"},
	{PG, "VACUUM t", ""},
	{PG, "CLUSTER t", "rewrites-table"},
	{PG, "LOCK TABLE t", "locks-table"},
	{SL, "CREATE INDEX i ON t (a)", "index-blocks-writes"},
	{SL, "VACUUM", "rewrites-file"},
	{MY, "CREATE INDEX i ON t (a)", ""},
	{MY, "CREATE FULLTEXT INDEX i ON t (a)", "locks-writes"},
	/* PostgreSQL: columns */
	{PG, "ALTER TABLE t ADD a int DEFAULT ' random() '", ""},
	{PG, "ALTER TABLE t ADD a timestamptz NOT NULL DEFAULT now()", ""},
	{PG, "ALTER TABLE t ADD a timestamptz DEFAULT clock_timestamp()", "add-column-rewrites"},
	{PG, "ALTER TABLE t ADD COLUMN a uuid DEFAULT public.gen_random_uuid()",
	 "add-column-rewrites"},
	{PG, "ALTER TABLE t ADD COLUMN IF NOT EXISTS a bigserial", "add-column-rewrites"},
	{PG, "ALTER TABLE t ADD a bigint GENERATED BY DEFAULT AS IDENTITY", "add-column-rewrites"},
	{PG, "ALTER TABLE t ADD a int GENERATED ALWAYS AS (b + 1) STORED", "add-column-rewrites"},
	{PG, "ALTER TABLE t ADD a varchar(9) DEFAULT 'x'::varchar(9) NOT NULL", ""},
	{PG, "ALTER TABLE t ADD a int NOT NULL", "not-null-without-default"},
	{PG, "CREATE TABLE t (); ALTER TABLE t ADD a int NOT NULL", ""},
	{PG, "ALTER TABLE t ADD a int NOT NULL DEFAULT 0, ADD b int", ""},
	{PG, "ALTER TABLE t ADD a int REFERENCES u", ""},
	{PG, "ALTER TABLE t ADD a int DEFAULT 1 REFERENCES u (b)", "constraint-reads-all"},
	{PG, "ALTER TABLE t ADD a int DEFAULT NULL REFERENCES u (b)", "constraint-reads-all"},
	{PG, "ALTER TABLE t ADD a int CHECK (a > 0)", "constraint-reads-all"},
	{PG, "ALTER TABLE t ADD a int UNIQUE", "constraint-builds-index"},
	{PG, "ALTER TABLE t ADD a int REFERENCES u ON DELETE SET DEFAULT", ""},
	{PG, "ALTER TABLE t ADD a int NOT NULL REFERENCES u ON DELETE SET DEFAULT",
	 "not-null-without-default"},
	/* PostgreSQL: types */
	{PG, "ALTER TABLE t ALTER a TYPE bigint", "type-rewrites"},
	{PG, "ALTER TABLE t ALTER COLUMN a SET DATA TYPE text", ""},
	{PG, "ALTER TABLE t ALTER a TYPE text USING b", "type-rewrites"},
	{PG, "ALTER TABLE t ALTER a TYPE text USING a::text", ""},
	{PG, "ALTER TABLE t ALTER a TYPE varchar(9)", "type-rewrites"},
	{"postgresql", "CREATE TABLE t (b int, a varchar(8))",
	 "ALTER TABLE t ALTER a TYPE varchar(9)", ""},
	{"postgresql", "CREATE TABLE t (a varchar(10))", "ALTER TABLE t ALTER a TYPE varchar(9)",
	 "type-rewrites"},
	{"postgresql", "CREATE TABLE t (a int)", "ALTER TABLE t ALTER a TYPE text",
	 "type-rewrites"},
	{"postgresql", "ALTER TABLE t ADD a numeric(8, 2)",
	 "ALTER TABLE t ALTER a TYPE numeric(9,2)", ""},
	{"postgresql", "ALTER TABLE t ADD a numeric(8, 2)",
	 "ALTER TABLE t ALTER a TYPE numeric(9,3)", "type-rewrites"},
	{"postgresql",
	 "CREATE TABLE t (a character varying(8) NOT NULL); ALTER TABLE t RENAME TO u",
	 "ALTER TABLE u ALTER a TYPE varchar", ""},
	{"postgresql", "CREATE TABLE t (a timestamp)",
	 "ALTER TABLE t ALTER a TYPE timestamp with time zone", "type-rewrites"},
	{"postgresql", "CREATE TABLE t (a varchar(8), CHECK (length(a) > 1))",
	 "ALTER TABLE t ALTER a TYPE text", "type-rewrites"},
	{"postgresql", "CREATE TABLE t (a varchar(8) CHECK (length(a) > 1))",
	 "ALTER TABLE t ALTER a TYPE text", "type-rewrites"},
	{"postgresql", "CREATE TABLE t (a timestamp)",
	 "SET TIME ZONE 'UTC'; ALTER TABLE t ALTER a TYPE timestamptz USING a", ""},
	/* The index is built anew. */
	{"postgresql", "CREATE TABLE t (a timestamp); CREATE INDEX ON t (b DESC, a)",
	 "SET TIME ZONE 'UTC'; ALTER TABLE t ALTER a TYPE timestamptz", "type-rewrites"},
	{"postgresql", "CREATE TABLE t (a timestamp); SET timezone = 'UTC'",
	 "ALTER TABLE t ALTER a TYPE timestamptz", "type-rewrites"},
	{"postgresql", "CREATE TABLE t (a timestamp (3) with time zone NOT NULL)",
	 "ALTER TABLE t ALTER a TYPE timestamptz", ""},
	{"postgresql", "CREATE TABLE t (b varchar(8)); ALTER TABLE t RENAME b TO a",
	 "ALTER TABLE t ALTER a TYPE varchar(9)", ""},
	{"postgresql",
	 "CREATE TABLE t (a varchar(8)); ALTER TABLE t DROP a; ALTER TABLE t ADD a int",
	 "ALTER TABLE t ALTER a TYPE varchar(9)", "type-rewrites"},
	/* PostgreSQL: constraints */
	{"postgresql",
	 "CREATE TABLE t (a int NOT NULL); ALTER TABLE t DROP a; ALTER TABLE t ADD a int",
	 "ALTER TABLE t ALTER a SET NOT NULL", "set-not-null-reads-all"},
	{"postgresql", "CREATE TABLE t (a int, CONSTRAINT c CHECK (a IS NOT NULL))",
	 "ALTER TABLE t DROP CONSTRAINT c; ALTER TABLE t ALTER a SET NOT NULL",
	 "set-not-null-reads-all"},
	{"postgresql", "CREATE TABLE t (a int, CONSTRAINT c CHECK (a IS NOT NULL))",
	 "ALTER TABLE t ALTER a SET NOT NULL", ""},
	{PG, "ALTER TABLE t ALTER a SET NOT NULL", "set-not-null-reads-all"},
	{PG,
	 "ALTER TABLE t ADD CONSTRAINT c CHECK (a IS NOT NULL) NOT VALID;"
	 "ALTER TABLE t ALTER a SET NOT NULL",
	 "set-not-null-reads-all"},
	{"postgresql", "ALTER TABLE t ADD CONSTRAINT c CHECK ((a IS NOT NULL)) NOT VALID",
	 "ALTER TABLE t VALIDATE CONSTRAINT c; ALTER TABLE t ALTER a SET NOT NULL", ""},
	{"postgresql", "ALTER TABLE t ADD CONSTRAINT c CHECK (a IS NOT NULL OR b) NOT VALID",
	 "ALTER TABLE t VALIDATE CONSTRAINT c; ALTER TABLE t ALTER a SET NOT NULL",
	 "set-not-null-reads-all"},
	{PG, "ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0)", "constraint-reads-all"},
	{PG, "ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0) NOT VALID", ""},
	{PG, "ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES u", "constraint-reads-all"},
	{PG, "ALTER TABLE t ADD CONSTRAINT c UNIQUE (a)", "constraint-builds-index"},
	{PG, "ALTER TABLE t ADD PRIMARY KEY (a)", "constraint-builds-index"},
	{PG, "ALTER TABLE t ADD CONSTRAINT c PRIMARY KEY USING INDEX i", ""},
	{PG,
	 "ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0) NOT VALID; ALTER TABLE t VALIDATE "
	 "CONSTRAINT c",
	 "validated-at-once"},
	{PG, "ALTER TABLE t VALIDATE CONSTRAINT c", ""},
	{PG, "ALTER TABLE t SET UNLOGGED", "rewrites-table"},
	{PG, "ALTER TABLE t SET (fillfactor = 50)", ""},
	{PG, "ALTER TABLE t ENABLE ROW LEVEL SECURITY", ""},
	/* a body is not looked at */
	{PG, "DO $$ BEGIN DROP TABLE t; END $$", ""},
	{PG, "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS 'DELETE FROM t'", ""},
	{MY, "CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW DELETE FROM u", ""},
	/* MySQL */
	{MY, "ALTER TABLE t ADD COLUMN a INT NOT NULL", ""},
	{MY, "ALTER TABLE t ADD INDEX (a), ADD UNIQUE KEY k (b)", ""},
	{MY, "ALTER TABLE t ADD FULLTEXT (a)", "locks-writes"},
	{MY, "ALTER TABLE t ADD FULLTEXT (a), ALGORITHM=INPLACE", "locks-writes"},
	{MY, "ALTER TABLE t ADD FULLTEXT (a), LOCK NONE", ""},
	{MY, "ALTER TABLE t MODIFY a BIGINT", "copies-table"},
	{MY, "ALTER TABLE t MODIFY a BIGINT, ALGORITHM=INPLACE", ""},
	{"mysql", "CREATE TABLE t (`a` VARCHAR(20) NOT NULL)", "ALTER TABLE t MODIFY a varchar(30)",
	 ""},
	{"mysql", "CREATE TABLE t (a VARCHAR(20))", "ALTER TABLE t MODIFY a varchar(300)",
	 "copies-table"},
	{"mysql", "CREATE TABLE t (a INT(11))", "ALTER TABLE t MODIFY a int NULL DEFAULT 1", ""},
	{"mysql", "CREATE TABLE t (a INT)", "ALTER TABLE t CHANGE a a bigint", "copies-table"},
	{"mysql", "CREATE TABLE t (a INT)", "ALTER TABLE t CHANGE a b int", "rename-breaks"},
	{"mysql", "CREATE TABLE t (a ENUM('A', 'b'))", "ALTER TABLE t MODIFY a ENUM('A','b','c')",
	 ""},
	{"mysql", "CREATE TABLE t (a ENUM('A', 'b'))", "ALTER TABLE t MODIFY a ENUM('a','b','c')",
	 "copies-table"},
	{MY, "ALTER TABLE t ADD a CHAR(36) DEFAULT (UUID())", "copies-table"},
	{MY, "ALTER TABLE t ADD CONSTRAINT c FOREIGN KEY (a) REFERENCES u (b)", "copies-table"},
	{MY, "ALTER TABLE t DROP PRIMARY KEY", "copies-table"},
	{MY, "ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (a)", "rebuilds-table"},
	{MY, "ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4", "copies-table"},
	{MY, "ALTER TABLE t ENGINE=InnoDB", "rebuilds-table"},
	{MY, "ALTER TABLE t ENGINE=MyISAM", "copies-table"},
	{MY, "/*!40000 ALTER TABLE t DISABLE KEYS */", ""},
	/* SQLite */
	{SL, "ALTER TABLE t ADD COLUMN a", ""},
	{SL, "ALTER TABLE t ADD COLUMN a NOT NULL", "not-null-without-default"},
	{SL, "", ""},
	/* said to be right */
	{PG, "-- dblock:allow drop-table nobody asks for it since 3.2\nDROP TABLE t", ""},
	{PG, "-- dblock:allow drop-table it is empty\n-- since May\nDROP TABLE t", ""},
	{PG, "-- dblock:allow drop-table it is empty\n\nDROP TABLE t", "drop-table"},
	{PG, "-- dblock:allow drop-column it is empty\nDROP TABLE t", "drop-table"},
	{PG, "-- dblock:allow drop-table it is empty\nDROP TABLE t;\nDROP TABLE u", "drop-table"},
	{PG, "-- dblock:allow drop-column it is empty\nALTER TABLE t DROP a, RENAME b TO c",
	 "rename-breaks"},
};

enum { MOST = 8 };

static struct dbl_text text_of(const char *sql)
{
	return (struct dbl_text){.text = (char *)(uintptr_t)sql, .len = strlen(sql)};
}

static bool keep_alarm(void *arg, unsigned k, const struct dbl_alarm *alarm)
{
	struct dbl_alarm *alarms = arg;

	assert_true(k > 0 && k <= MOST);
	alarms[k - 1] = *alarm;
	return true;
}

/* No string in a sample has a semicolon. */
static struct dbl_alarm last_alarm(const struct sample *s)
{
	const struct dbl_lint_text past = {.text = text_of(s->past), .past = DBL_LINT_APPLIED};
	const struct dbl_lint_text file = {.text = text_of(s->file)};
	struct dbl_lint *lint = dbl_lint_new(s->dialect);
	struct dbl_alarm alarms[MOST];
	size_t last = 0;

	for (size_t i = 0; i < MOST; i++)
		alarms[i] = (struct dbl_alarm){"", DBLOCK_SEVERITY_NONE, ""};

	for (const char *end = s->file; (end = strchr(end, ';')) != NULL; end++)
		last++;
	assert_true(last < MOST);
	assert_true(dbl_lint_read(lint, &past, NULL, NULL));
	assert_true(dbl_lint_read(lint, &file, keep_alarm, alarms));
	dbl_lint_free(lint);
	return alarms[last];
}

static void each_sample(void **state)
{
	int wrong = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		struct dbl_alarm alarm = last_alarm(&samples[i]);

		if (strcmp(alarm.rule, samples[i].rule) == 0 &&
		    (*alarm.rule != '\0') == (alarm.severity && *alarm.hint))
			continue;
		print_message("%s: %s | %s: '%s' instead of '%s'\n", samples[i].dialect,
			      samples[i].past, samples[i].file, alarm.rule, samples[i].rule);
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

/* The statement has more words than are read, and one that is longer than any name. */
static void a_long_one(void **state)
{
	static char sql[100000];
	const struct sample s = {MY, sql, ""};

	(void)state;
	memset(sql, 'x', sizeof(sql) - 1);
	memcpy(sql, "UPDATE ", 7);
	memcpy(sql + 50000, " SET ", 5);
	assert_string_equal(last_alarm(&s).rule, "update-all-rows");
	for (size_t i = 7; i < sizeof(sql) - 1; i += 2)
		memcpy(sql + i, "x ", 2);
	assert_string_equal(last_alarm(&s).rule, "update-all-rows");
}

/* The table is there, and so no longer one that this plan makes. */
static void a_file_that_stopped_halfway(void **state)
{
	static const char sql[] = "CREATE TABLE t (a int); DROP TABLE t";
	struct dbl_lint_text file = {.text = text_of(sql), .past = 1, .stepwise = true};
	struct dbl_lint *lint = dbl_lint_new("mysql");
	struct dbl_alarm alarms[MOST];

	(void)state;
	assert_true(dbl_lint_read(lint, &file, keep_alarm, alarms));
	dbl_lint_free(lint);
	assert_string_equal(alarms[0].rule, "");
	assert_string_equal(alarms[1].rule, "drop-table");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_sample),
		cmocka_unit_test(a_long_one),
		cmocka_unit_test(a_file_that_stopped_halfway),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
