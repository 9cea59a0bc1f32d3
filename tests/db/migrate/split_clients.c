/* SPDX-License-Identifier: MIT */
/* A file that is run in three ways leaves the same dump: our splitter's statements, sent one by one; the
 * file read by the database's own client; the whole file sent as it is, so that the server (or SQLite's
 * parser) finds the statements itself. This is done for each script of the corpus. In NAME.expect, "client
 * differs: WHY" and "whole differs: WHY" leave one way out, "not run: WHY" all; "not run on mysql: WHY"
 * and so on, all on that database. */
#include <dirent.h>

#include "sql/dialect.h"
#include "support/copied.h"
#include "support/raw.h"
#include "support/split_laws.h"

enum { ROOM = 4000, ENOUGH = 15 };

/* The script as an argument of a program, without a byte order mark. */
#define TEXT "sed '1s/^\\xEF\\xBB\\xBF//' \"$f\""

/* A database for one way: its name, how to reach it, and how its dump is taken. */
struct place {
	char name[200];
	char url[1000];
	char client[ROOM]; /* a shell command that reads the script $f */
	char whole[ROOM];  /* one that sends it as a whole */
	char dump[ROOM];
};

/* ---- places --------------------------------------------------------------------------------- */

static void sqlite_place(struct place *place)
{
	snprintf(place->url, sizeof(place->url), "sqlite://%s/%s.db", test_env("DBLOCK_TEST_TMP"),
		 place->name);
	snprintf(place->client, sizeof(place->client), "sqlite3 -batch -bail '%s' <\"$f\"",
		 place->url + strlen("sqlite://"));
	snprintf(place->whole, sizeof(place->whole), "sqlite3 -batch -bail '%s' \" $(" TEXT ")\"",
		 place->url + strlen("sqlite://"));
	snprintf(place->dump, sizeof(place->dump), "sqlite3 -batch '%s' .dump",
		 place->url + strlen("sqlite://"));
}

static void postgresql_place(struct place *place)
{
	const char *url = test_env("DBLOCK_TEST_TCP_URL");

	snprintf(place->url, sizeof(place->url), "%.*s/%s", (int)(strrchr(url, '/') - url), url,
		 place->name);
	snprintf(place->client, sizeof(place->client),
		 "PGCLIENTENCODING=UTF8 psql -X -q -v ON_ERROR_STOP=1 '%s' -f \"$f\"", place->url);
	snprintf(place->whole, sizeof(place->whole),
		 "PGCLIENTENCODING=UTF8 psql -X -q -v ON_ERROR_STOP=1 '%s' -c \" $(" TEXT ")\"",
		 place->url);
	/* pg_dump draws a key for \restrict each time. */
	snprintf(place->dump, sizeof(place->dump), "pg_dump --inserts '%s' | grep -v restrict",
		 place->url);
}

static void mysql_place(struct place *place)
{
	char host[200];
	int port;

	assert_int_equal(
		sscanf(test_env("DBLOCK_TEST_TCP_URL"), "mysql://root@%199[^:]:%d", host, &port),
		2);
	snprintf(place->url, sizeof(place->url), "mysql://root@%s:%d/%s", host, port, place->name);
	snprintf(place->client, sizeof(place->client),
		 "mariadb --no-defaults --skip-ssl --host=%s --port=%d --user=root --comments "
		 "--default-character-set=utf8mb4 %s <\"$f\"",
		 host, port, place->name);
	snprintf(place->whole, sizeof(place->whole),
		 "mariadb --no-defaults --skip-ssl --host=%s --port=%d --user=root --comments "
		 "--delimiter='@@no@such@@' --default-character-set=utf8mb4 %s <\"$f\"",
		 host, port, place->name);
	/* A program stores the settings of the session that made it. */
	snprintf(place->dump, sizeof(place->dump),
		 "mariadb-dump --no-defaults --host=%s --port=%d --user=root --skip-comments "
		 "--skip-dump-date --routines --triggers --events "
		 "--default-character-set=utf8mb4 %s | "
		 "grep -viE 'sql_mode|character_set|collation_|time_zone'",
		 host, port, place->name);
}

static struct place new_place(struct raw *raw, char which)
{
	struct place place;

	snprintf(place.name, sizeof(place.name), "split_%d_%c", (int)getpid(), which);
	if (on_backend("sqlite")) {
		sqlite_place(&place);
		return place;
	}
	raw_exec(raw, "CREATE DATABASE %s", place.name);
	if (on_backend("postgresql"))
		postgresql_place(&place);
	else
		mysql_place(&place);
	return place;
}

static void drop_place(struct raw *raw, const struct place *place)
{
	if (!on_backend("sqlite"))
		raw_exec(raw, "DROP DATABASE %s%s", place->name,
			 on_backend("postgresql") ? " WITH (FORCE)" : "");
}

/* Empties the database for the next file. The corpus makes everything in one schema on PostgreSQL.
 */
static void empty_place(struct raw *raw, const struct place *place)
{
	if (on_backend("postgresql")) {
		raw = raw_open_url(place->url, NULL);
		raw_exec(raw, "DROP SCHEMA public CASCADE");
		raw_exec(raw, "CREATE SCHEMA public");
		raw_close(raw);
	} else if (on_backend("mysql")) {
		raw_exec(raw, "DROP DATABASE %s", place->name);
		raw_exec(raw, "CREATE DATABASE %s", place->name);
	} else {
		unlink(place->url + strlen("sqlite://"));
	}
}

/* ---- two ways ------------------------------------------------------------------------------- */

static int failures;

static char *read_all(FILE *from, size_t *len)
{
	char *text = malloc(1 << 20);

	*len = fread(text, 1, (1 << 20) - 1, from);
	text[*len] = '\0';
	return text;
}

static void run_client(const char *client, const char *path)
{
	char command[ROOM + 20];

	setenv("f", path, 1);
	snprintf(command, sizeof(command), "%s >/dev/null", client);
	if (system(command) != 0) {
		print_error("it refuses %s:\n%s\n", path, client);
		failures++;
	}
}

static void run_ours(const struct place *place, const char *path, const struct sql_text *t)
{
	const struct dbl_env *env = dbl_env_system();
	const struct dbl_dialect *dialect;
	struct dblock_error err;
	struct dbl_statement st;
	struct dbl_conn *conn;
	struct dbl_split s;
	struct dbl_url url;
	struct copied copied;
	int rc;

	expect(OK, dbl_url_parse(&url, place->url, &err));
	expect(OK, dbl_dialect_find(url.scheme, &dialect, &err));
	expect(OK, dialect->driver->open(&conn, &url, env, dbl_now(env) + dbl_ms(PLENTY_MS), &err));
	expect(OK, begin_split(&s, t, &err));
	while ((rc = dbl_split_next(&s, &st, &err)) == 0 && st.text) {
		char *text = strndup(st.text, st.len);

		conn->deadline = dbl_now(env) + dbl_ms(PLENTY_MS);
		copied_set(conn, &copied, st.head ? text + st.data : NULL, st.data_len);
		text[st.head ? st.head : st.len] = '\0';
		if (dialect->driver->exec(conn, text, &err) && ++failures)
			print_error("%s:%zu:%zu: %s\n%s\n", path, st.line, st.col, err.message,
				    text);
		free(text);
	}
	expect(OK, rc);
	dialect->driver->close(conn);
	dbl_url_free(&url);
}

/* sqlite3 and mariadb drop a CR before a line's end. */
static void without_cr(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (*text != '\r')
			*to++ = *text;
	}
	*to = '\0';
}

static char *dump(const struct place *place)
{
	FILE *from = popen(place->dump, "r");
	size_t len;
	char *text = read_all(from, &len);

	pclose(from);
	assert_true(len > 0);
	without_cr(text);
	return text;
}

static char *read_file(const char *path, size_t *len)
{
	FILE *file = fopen(path, "rb");
	char *text;

	assert_non_null(file);
	text = read_all(file, len);
	fclose(file);
	return text;
}

/* The other way must leave the same dump. */
static void compare(const struct place *theirs, const char *way, const char *path, const char *ours)
{
	char *dumped;

	run_client(way, path);
	dumped = dump(theirs);
	if (strcmp(dumped, ours) != 0) {
		print_error("%s by\n%s\n%s\nby us:\n", path, way, dumped);
		print_error("%s\n", ours);
		failures++;
	}
	free(dumped);
}

/* Tells whether the text says "not run before 14: WHY", and the server is older than that. */
static bool is_too_old(const char *expected)
{
	const char *major = strstr(expected, "not run before ");

	return major && server_before(atoi(major + strlen("not run before ")));
}

/* Tells whether the text says "not run: WHY", or "not run on mysql: WHY". */
static bool is_said(const char *expected, const char *what)
{
	char everywhere[60], here[60];

	snprintf(everywhere, sizeof(everywhere), "%s:", what);
	snprintf(here, sizeof(here), "%s on %s:", what, test_env("DBLOCK_TEST_DATABASE"));
	return strstr(expected, everywhere) || strstr(expected, here);
}

/* Tells whether it is a script that can be run in that way, as NAME.expect says. */
static bool can_run(const char *expected, const char *way)
{
	return !is_said(expected, "not run") && !is_said(expected, way) &&
	       strncmp(expected, "error ", 6) != 0 && !strstr(expected, "\nerror ");
}

/* A database for each way. */
struct places {
	struct place ours, client, whole;
};

static void compare_all(struct raw *raw, const struct places *places, const char *path,
			const struct sql_text *t, const char *expected)
{
	char *dumped;

	run_ours(&places->ours, path, t);
	dumped = dump(&places->ours);
	if (can_run(expected, "client differs"))
		compare(&places->client, places->client.client, path, dumped);
	if (can_run(expected, "whole differs") && !strcasestr(t->text, "delimiter"))
		compare(&places->whole, places->whole.whole, path, dumped);
	free(dumped);
	empty_place(raw, &places->ours);
	empty_place(raw, &places->client);
	empty_place(raw, &places->whole);
}

/* ---- the corpus ----------------------------------------------------------------------------- */

static bool run_file(struct raw *raw, const struct places *places, const char *path,
		     struct sql_text *t)
{
	char expect_path[3000], *text = read_file(path, &t->len), *expected;
	size_t len;
	bool can;

	snprintf(expect_path, sizeof(expect_path), "%.*s.expect", (int)strlen(path) - 4, path);
	expected = read_file(expect_path, &len);
	can = can_run(expected, "not run") && !is_too_old(expected);
	t->text = text;
	if (can)
		compare_all(raw, places, path, t, expected);
	free(text);
	free(expected);
	return can;
}

/* Debian's pg_dump reads no server that is newer, as ./dev test versions has them. */
static bool is_too_new(const struct place *place)
{
	char command[sizeof(place->dump) + 60];

	snprintf(command, sizeof(command), "(%s) 2>&1 | grep -q 'server version mismatch'",
		 place->dump);
	return system(command) == 0;
}

static void three_ways_come_to_the_same(void **state)
{
	struct sql_text t = {.dialect = test_env("DBLOCK_TEST_BACKEND")};
	struct raw *raw = raw_open(NULL);
	struct places places = {new_place(raw, 'a'), new_place(raw, 'b'), new_place(raw, 'c')};
	char folder[2000], path[3000];
	struct dirent *entry;
	int n = 0;
	DIR *dir;

	(void)state;
	if (is_too_new(&places.ours)) {
		print_message("not run: pg_dump is older than the server\n");
		skip();
	}
	snprintf(folder, sizeof(folder), "%s/tests/corpus/split/%s", test_env("DBLOCK_SOURCE_DIR"),
		 t.dialect);
	dir = opendir(folder);
	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (strstr(path, ".sql"))
			n += run_file(raw, &places, path, &t);
	}
	closedir(dir);
	drop_place(raw, &places.ours);
	drop_place(raw, &places.client);
	drop_place(raw, &places.whole);
	raw_close(raw);
	print_message("%d files\n", n);
	assert_int_equal(failures, 0);
	assert_true(n >= ENOUGH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_ways_come_to_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
