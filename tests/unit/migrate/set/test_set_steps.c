/* SPDX-License-Identifier: MIT */
/* A file is one transaction, or is run step by step: its statements decide. */
#include "set_kit.h"

#include "migrate/set/pieces.h"

struct mode {
	const struct dbl_dialect *dialect;
	const char *text;
	unsigned steps;
	bool stepwise;
};

static const struct mode modes[] = {
	{&kit_postgresql, "CREATE TABLE a (b int); DROP TABLE a", 2, false},
	{&kit_postgresql, "-- no-transaction\nCREATE INDEX CONCURRENTLY i ON a (b);", 1, true},
	{&kit_postgresql, "-- no-transaction\nSELECT 1;", 1, true},
	{&kit_postgresql, "-- no-transaction\n", 0, true},
	/* What cannot be in a transaction stands alone. */
	{&kit_postgresql, "CREATE UNIQUE INDEX CONCURRENTLY i ON a (b);", 1, true},
	{&kit_postgresql, "-- an index\nDROP INDEX CONCURRENTLY i", 1, true},
	{&kit_postgresql, "VACUUM a;", 1, true},
	{&kit_sqlite, "VACUUM;", 1, true},
	{&kit_postgresql, "LOCK TABLE a; SAVEPOINT s; ROLLBACK TO s;", 3, false},
	{&kit_mysql, "INSERT INTO a VALUES (1); update a SET b = 2;\nDELETE FROM a;", 3, false},
	{&kit_mysql, "REPLACE INTO a VALUES (1); SELECT 1;", 2, false},
	{&kit_mysql, "INSERT INTO a VALUES (1); ALTER TABLE a ADD b int;", 2, true},
	{&kit_mysql, "CREATE TABLE a (b int);", 1, true},
	{&kit_mysql, "TRUNCATE a;", 1, true},
	{&kit_mysql, "CALL p();", 1, true},
	/* The line is allowed here, and without effect. */
	{&kit_mysql, "-- no-transaction\nDELETE FROM a;", 1, false},
	{&kit_mysql, "-- no-transaction\nDROP TABLE a;", 1, true},
	{&kit_sqlite, "CREATE TABLE a (b int); DROP TABLE a;", 2, false},
	{&kit_sqlite, "ANALYZE; REINDEX; ATTACH 'x' AS x;", 3, false},
	{&kit_sqlite,
	 "-- no-transaction\nvacuum; PRAGMA journal_mode = WAL; Analyze;\n"
	 "REINDEX; ATTACH 'x' AS x; DETACH x;",
	 6, true},
};

static void one_transaction_or_not(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		const struct dbl_script *up;

		accepted_at(read_text(modes[i].text, modes[i].dialect), __FILE__, __LINE__);
		up = &kit_set.files[0].up;
		if (up->steps != modes[i].steps || up->stepwise != modes[i].stepwise)
			fail_msg("%s: %u steps, stepwise %d", modes[i].text, up->steps,
				 up->stepwise);
		assert_ptr_equal(up->text.text, up->original.text);
	}
}

struct refusal {
	const struct dbl_dialect *dialect;
	const char *text, *place, *why;
};

static const char alone[] =
	"put it into a file of its own, or begin this one with the line '-- no-";
static const char ours[] = "dblock begins and ends the transaction itself; leave it out";

static const struct refusal refusals[] = {
	{&kit_postgresql, "SELECT 1;\n CREATE INDEX CONCURRENTLY i ON a (b);", ":2:2:", alone},
	{&kit_postgresql, "CREATE UNIQUE INDEX CONCURRENTLY i ON a (b);SELECT 1", ":1:1:", alone},
	{&kit_postgresql, "DROP INDEX CONCURRENTLY i; DROP INDEX CONCURRENTLY j", ":1:1:", alone},
	{&kit_postgresql, "BEGIN; VACUUM a; COMMIT", ":1:8:", alone},
	{&kit_postgresql, "CREATE DATABASE a; SELECT 1", ":1:1:", alone},
	{&kit_postgresql, "ALTER SYSTEM SET work_mem = 1; SELECT 1", ":1:1:", alone},
	{&kit_postgresql, "SELECT 1; REINDEX TABLE CONCURRENTLY a;", ":1:11:", alone},
	{&kit_sqlite, "VACUUM; SELECT 1", ":1:1:", alone},
	{&kit_sqlite, "SELECT 1; PRAGMA journal_mode = WAL;", ":1:11:", alone},

	/* These are for case 19 of tests/migrate-cases.md. */
	{&kit_postgresql, "SELECT 1;\nCOMMIT;\nSELECT 2;", ":2:1:", ours},
	{&kit_postgresql, "SELECT 1;\nROLLBACK;", ":2:1:", ours},
	{&kit_postgresql, "SELECT 1;\nCOMMIT;", ":2:1:", ours},
	{&kit_postgresql, "BEGIN;\nSELECT 1;\nCOMMIT;\nSELECT 2;", ":3:1:", "not the last"},
	{&kit_postgresql, "BEGIN;\nSELECT 1;\nCOMMIT;\nCOMMIT;", ":4:1:", ours},
	{&kit_postgresql, "BEGIN;\nCOMMIT;\nBEGIN;\nCOMMIT;", ":3:1:", ours},
	{&kit_postgresql, "BEGIN;\nBEGIN;\nCOMMIT;", ":2:1:", ours},
	{&kit_postgresql, "SELECT 1;\nBEGIN;\nCOMMIT;", ":2:1:", ours},
	{&kit_postgresql, "BEGIN;\nSELECT 1;\nROLLBACK;", ":3:1:", ours},
	{&kit_postgresql, " BEGIN;\nSELECT 1;", ":1:2:", "no COMMIT follows"},
	{&kit_postgresql, "BEGIN ISOLATION LEVEL SERIALIZABLE;\nCOMMIT;", ":1:1:", ours},
	{&kit_postgresql, "PREPARE TRANSACTION 'x';", ":1:1:", ours},
	{&kit_postgresql, "-- no-transaction\nBEGIN;\nCOMMIT;", ":2:1:", "leave one of the two"},
	{&kit_sqlite, "SELECT 1; END;", ":1:11:", ours},
	{&kit_sqlite, "-- no-transaction\nBEGIN;\nVACUUM;\nEND;", ":2:1:", "leave one of the two"},
	{&kit_mysql, "CREATE TABLE a (b int);\nCOMMIT;", ":2:1:", ours},
	{&kit_mysql, "SET autocommit = 0;", ":1:1:", ours},
	{&kit_mysql, "XA START 'x';", ":1:1:", ours},
	{&kit_mysql, "LOCK TABLES a WRITE;", ":1:1:", "could not note what is done"},
	{&kit_mysql, "unlock\ntables;", ":1:1:", "could not note"},
	/* Another session would see what is done by halves. */
	{&kit_mysql, "SELECT 1;\nLOCK TABLES a WRITE;\nUPDATE a SET b = 1;\nUNLOCK TABLES;",
	 ":2:1:", "nothing but INSERT"},
	{&kit_mysql, "LOCK TABLES a WRITE;\nLOCK TABLES b WRITE;\nUNLOCK TABLES;",
	 ":2:1:", "could not note"},
	{&kit_mysql, "LOCK TABLES a WRITE;\nBEGIN;", ":1:1:", "could not note"},
	{&kit_mysql, "USE other;", ":1:1:", "write database.table"},
	{&kit_mysql, "LOAD DATA LOCAL INFILE 'x' INTO TABLE a", ":1:1:", "write INSERT"},
	{&kit_mysql, "load xml concurrent\nlocal infile 'x' INTO TABLE a", ":1:1:", "write INSERT"},

	/* Case 17 of tests/migrate-cases.md: inside a transaction the pragma does nothing, and says
	 * nothing. */
	{&kit_sqlite, "SELECT 1;\nPRAGMA foreign_keys = OFF;\nSELECT 2;",
	 ":2:1:", "put it before all other statements"},
	{&kit_sqlite, "BEGIN;\npragma foreign_keys(0);\nSELECT 2;\nEND;",
	 ":2:1:", "does nothing inside a transaction"},

	{&kit_sqlite, "-- no-transaction\nVACUUM;\nDELETE FROM a;",
	 ":3:1:", "is for VACUUM, PRAGMA, ANALYZE"},
	{&kit_sqlite, "-- no-transaction\nDETACHED;", ":2:1:", "is for VACUUM"},
};

static void these_cannot_be_run(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		refused(read_text(refusals[i].text, refusals[i].dialect), kit_dir,
			refusals[i].place, refusals[i].why);
}

struct wrapped {
	const struct dbl_dialect *dialect;
	const char *text, *run;
	unsigned steps;
};

/* What is run, with a ; behind each statement. */
static const struct wrapped wrapped[] = {
	{&kit_postgresql, "BEGIN;\nSELECT 1;\nCOMMIT;\n", "SELECT 1;", 1},
	{&kit_postgresql, "-- a\nStart\nTransaction;SELECT 1;END WORK", /* no ; */
	 "SELECT 1;", 1},
	{&kit_postgresql, "BEGIN; COMMIT;", "", 0},
	{&kit_mysql, "begin;DELETE FROM a;commit;-- \xC3\xA4\n", "DELETE FROM a;", 1},
	{&kit_mysql, "START TRANSACTION;DROP TABLE a;COMMIT;", "DROP TABLE a;", 1},
	/* As mysqldump locks what it fills. */
	{&kit_mysql, "LOCK TABLES a WRITE;INSERT INTO a VALUES (1);UNLOCK\nTABLES;",
	 "INSERT INTO a VALUES (1);", 1},
	{&kit_mysql,
	 "lock table a write;/*!40000 ALTER TABLE `a` DISABLE KEYS */;REPLACE a VALUES (1);"
	 "/*!40000 ALTER TABLE `a` ENABLE KEYS */;UNLOCK TABLES;LOCK TABLES b READ;UNLOCK TABLES",
	 "/*!40000 ALTER TABLE `a` DISABLE KEYS */;REPLACE a VALUES (1);"
	 "/*!40000 ALTER TABLE `a` ENABLE KEYS */;",
	 3},
	{&kit_sqlite, "BEGIN IMMEDIATE;SELECT 1;END;", "SELECT 1;", 1},
	/* SQLite's own manual has it like this; case 17 of tests/migrate-cases.md. */
	{&kit_sqlite, "PRAGMA foreign_keys=OFF;BEGIN;DROP TABLE a;COMMIT;PRAGMA foreign_keys=ON;",
	 "PRAGMA foreign_keys=OFF;DROP TABLE a;", 2},
	{&kit_sqlite, "PRAGMA foreign_keys = 0;DROP TABLE a;PRAGMA foreign_keys = 1;",
	 "PRAGMA foreign_keys = 0;DROP TABLE a;", 2},
	{&kit_sqlite, "PRAGMA foreign_keys(0);", "PRAGMA foreign_keys(0);", 1},
};

/* Writes the statements of kit_set's only text that are run. */
static void run_of(const struct dbl_dialect *dialect, char *run)
{
	const struct dbl_target target = {.dialect = dialect};
	struct dbl_pieces *pieces;
	size_t at = 0;

	assert_int_equal(dbl_pieces_open(&pieces, &kit_set.files[0].up, false, &target, NULL), 0);
	run[0] = '\0';
	for (unsigned k = 1; k <= pieces->n; k++)
		at += (size_t)sprintf(run + at, "%s;", dbl_piece_sql(pieces, k));
	dbl_pieces_free(pieces);
}

/* This is for case 19 of tests/migrate-cases.md. */
static void an_outer_transaction_is_left_out(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(wrapped) / sizeof(wrapped[0]); i++) {
		const struct dbl_script *up;
		char sum[DBL_SHA256_HEX + 1], run[400];

		accepted_at(read_text(wrapped[i].text, wrapped[i].dialect), __FILE__, __LINE__);
		up = &kit_set.files[0].up;
		run_of(wrapped[i].dialect, run);
		assert_string_equal(run, wrapped[i].run);
		assert_string_equal(up->text.text, wrapped[i].text);
		assert_int_equal(up->text.len, strlen(wrapped[i].text));
		assert_int_equal(up->steps, wrapped[i].steps);
		/* The checksum is that of the file. */
		dbl_sha256_hex(wrapped[i].text, up->text.len, sum);
		assert_string_equal(up->checksum, sum);
	}
}

static void data_in_an_outer_transaction_stays_one(void **unused)
{
	(void)unused;
	assert_int_equal(read_text("BEGIN; DELETE FROM a; COMMIT;", &kit_mysql), 0);
	assert_false(kit_set.files[0].up.stepwise);
	assert_int_equal(read_text("BEGIN; DROP TABLE a; COMMIT;", &kit_mysql), 0);
	assert_true(kit_set.files[0].up.stepwise);
	assert_int_equal(
		read_text("LOCK TABLES a WRITE; INSERT a VALUES (1); UNLOCK TABLES;", &kit_mysql),
		0);
	assert_false(kit_set.files[0].up.stepwise);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_transaction_or_not),
		cmocka_unit_test(these_cannot_be_run),
		cmocka_unit_test(an_outer_transaction_is_left_out),
		cmocka_unit_test(data_in_an_outer_transaction_stays_one),
	};

	return cmocka_run_group_tests(tests, NULL, kit_tear_down);
}
