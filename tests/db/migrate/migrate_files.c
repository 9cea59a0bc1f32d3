/* SPDX-License-Identifier: MIT */
/* The files themselves: as shipped, run by the database's own client, undone, and beside tables of
 * somebody else. */
#include "db/migrate/migrate_kit.h"

static void the_library_carries_the_shipped_bytes(void **unused)
{
	const struct dbl_migration_text *m;
	struct schema s;

	(void)unused;
	schema_open(&s, NULL);
	for (m = s.target.dialect->migrations; m->version; m++) {
		for (int way = 0; way < 2; way++) {
			char *path, bytes[65536];
			FILE *file;
			size_t n;

			assert_true(asprintf(&path, "%s/migrations/%s/%04d_%s.%s.sql",
					     env_text("DBLOCK_SOURCE_DIR"), s.target.dialect->name,
					     (int)m->version, m->name, way ? "down" : "up") > 0);
			file = fopen(path, "r");
			free(path);
			assert_non_null(file);
			n = fread(bytes, 1, sizeof(bytes) - 1, file);
			fclose(file);
			bytes[n] = '\0';
			assert_string_equal(bytes, way ? m->down : m->up);
		}
	}
	assert_int_equal(m - s.target.dialect->migrations, FILES);
	schema_close(&s);
}

/* Runs a shipped file as a database administrator would. */
static void with_native_client(const struct schema *s, const char *file)
{
	const struct dbl_url *url = &s->target.url;
	char command[8192];

	if (backend_is("sqlite"))
		snprintf(command, sizeof(command), "sqlite3 -bail '%s' <'%s'", url->path, file);
	else if (backend_is("postgresql"))
		snprintf(command, sizeof(command), "psql -Xq -1 -v ON_ERROR_STOP=1 '%s' -f '%s'",
			 url->whole, file);
	else
		snprintf(command, sizeof(command),
			 "mariadb --no-defaults --skip-ssl --user='%s' --socket='%s' '%s' <'%s'",
			 url->user, dbl_url_param(url, "socket"), url->path, file);
	if (system(command))
		fail_msg("%s", command);
}

static void files_by_hand(const struct schema *s, const char *way)
{
	const struct dbl_migration_text *known = s->target.dialect->migrations;
	bool down = strcmp(way, "down") == 0;
	char file[4096];

	for (int i = 0; i < FILES; i++) {
		const struct dbl_migration_text *m = &known[down ? FILES - 1 - i : i];

		snprintf(file, sizeof(file), "%s/migrations/%s/%04d_%s.%s.sql",
			 env_text("DBLOCK_SOURCE_DIR"), s->target.dialect->name, (int)m->version,
			 m->name, way);
		with_native_client(s, file);
	}
}

static void native_clients_do_and_undo(void **unused)
{
	struct schema s;

	(void)unused;
	schema_open(&s, NULL);
	files_by_hand(&s, "up");
	for (unsigned i = 0; i < MADE; i++)
		assert_true(there(&s, own_tables[i]));
	assert_false(there(&s, "migration"));
	/* SQLite and MySQL have no ADD COLUMN IF NOT EXISTS: a file that adds a column runs only
	 * once. */
	if (!backend_is("sqlite")) {
		if (strcmp(env_text("DBLOCK_TEST_DATABASE"), "mysql") != 0)
			files_by_hand(&s, "up"); /* the second time nothing happens */
		assert_int_equal(up(&s), FILES); /* records the files */
		assert_whole(&s);
	}
	files_by_hand(&s, "down");
	for (unsigned i = 0; i < MADE; i++)
		assert_false(there(&s, own_tables[i]));
	if (!backend_is("sqlite"))
		by_hand(&s, "DELETE FROM dblock_migration");
	assert_int_equal(up(&s), FILES);
	assert_whole(&s);
	schema_close(&s);
}

/* A table or column that stands in the way, and the words that the error must have. */
struct stranger {
	const char *create;
	const char *table;
	const char *away;
	const char *only_on; /* a backend; NULL: all */
};

static const struct stranger strangers[] = {
	{"CREATE TABLE dblock_migration (k INTEGER)", "migration", "DROP TABLE dblock_migration",
	 NULL},
	{"CREATE TABLE dblock_session (k INTEGER)", "session", "DROP TABLE dblock_session", NULL},
	{"CREATE TABLE dblock_lock (name VARCHAR(255) PRIMARY KEY, token BIGINT)", "lock",
	 "DROP TABLE dblock_lock", NULL},
	{"CREATE TABLE dblock_floor (id INTEGER PRIMARY KEY, k INTEGER)", "floor",
	 "DROP TABLE dblock_floor", NULL},
	{"CREATE TABLE dblock_floor (id INTEGER, token BIGINT)", "floor", "DROP TABLE dblock_floor",
	 "postgresql"},
	{"CREATE TABLE dblock_floor (id INTEGER, token BIGINT)", "floor", "DROP TABLE dblock_floor",
	 "mysql"},
	{"CREATE TABLE dblock_floor (id integer PRIMARY KEY, token text)", "floor",
	 "DROP TABLE dblock_floor", "postgresql"},
};

static void meets(const struct stranger *stranger, unsigned i)
{
	char prefix[32], name[128];
	struct schema s;
	struct told told;

	snprintf(prefix, sizeof(prefix), "odd%u_", i);
	snprintf(name, sizeof(name), "%s%s is there, but it is not dblock's; rename it", prefix,
		 stranger->table);
	schema_open(&s, prefix);
	by_hand(&s, stranger->create);
	assert_int_equal(up_in(&s, &told, PLENTY_MS), DBLOCK_E_SCHEMA);
	assert_int_equal(s.err.code, DBLOCK_E_SCHEMA);
	assert_says(&s, name);
	assert_says(&s, "--prefix");
	assert_int_equal(told.n, 0);
	for (unsigned k = 0; k < MADE; k++)
		assert_true(there(&s, own_tables[k]) ==
			    (strcmp(own_tables[k], stranger->table) == 0));
	by_hand(&s, stranger->away);
	(void)up(&s);
	assert_whole(&s);
	schema_close(&s);
}

static void a_table_of_another_shape_is_named(void **unused)
{
	(void)unused;
	for (unsigned i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++) {
		if (!strangers[i].only_on || backend_is(strangers[i].only_on))
			meets(&strangers[i], i);
	}
}

/* The check at open must not take another program's history for ours either. */
static void open_meets_a_strange_history(void **unused)
{
	struct schema s;
	struct told told = {0};

	(void)unused;
	schema_open(&s, "oddhist_");
	by_hand(&s, "CREATE TABLE dblock_migration (version INTEGER)");
	assert_int_equal(check(&s, false), DBLOCK_E_SCHEMA);
	assert_says(&s, "oddhist_migration is there, but it is not dblock's");
	assert_int_equal(status_with(&s, take_told, &told), DBLOCK_E_SCHEMA);
	assert_int_equal(told.n, 0);
	schema_close(&s);
}

/* On a server, the tables are wanted in a schema that nobody has made. */
static void a_missing_schema_is_named(void **unused)
{
	struct schema s;
	struct told told;

	(void)unused;
	assert_int_equal(dbl_target_init(&s.target, env_text("DBLOCK_TEST_URL"), "nowhere", NULL,
					 dbl_env_system(), &s.err),
			 0);
	assert_true(up_in(&s, &told, PLENTY_MS) < 0);
	assert_says(&s, "nowhere");
	assert_says(&s, "create that first, or choose another --schema");
	schema_close(&s);
}

static void by_handf(struct schema *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void by_handf(struct schema *s, const char *format, ...)
{
	char sql[4096];
	va_list args;

	va_start(args, format);
	vsnprintf(sql, sizeof(sql), format, args);
	va_end(args);
	by_hand(s, sql);
}

/* Makes a user on a server who may log in and read, and no more. */
static void make_weak(struct schema *s, const char *who, const char *database)
{
	if (backend_is("postgresql")) {
		/* Before PostgreSQL 15 everybody had that right. */
		by_handf(s, "REVOKE CREATE ON SCHEMA public FROM PUBLIC");
		by_handf(s, "CREATE ROLE %s LOGIN PASSWORD 'secret'", who);
		return;
	}
	by_handf(s, "CREATE USER %s IDENTIFIED BY 'secret'", who);
	by_handf(s, "GRANT SELECT ON %s.* TO %s", database, who);
}

static void drop_weak(struct schema *s, const char *who)
{
	if (backend_is("postgresql"))
		by_handf(s, "DROP OWNED BY %s", who);
	by_handf(s, backend_is("postgresql") ? "DROP ROLE %s" : "DROP USER %s", who);
}

static void missing_rights_are_denied(void **unused)
{
	const char *tcp = env_text("DBLOCK_TEST_TCP_URL"), *database = strrchr(tcp, '/') + 1;
	char url[4096], who[64];
	struct schema s, weak;
	struct told told;

	(void)unused;
	snprintf(who, sizeof(who), "weak_%.40s", database);
	snprintf(url, sizeof(url), "%s://%s:secret%s", env_text("DBLOCK_TEST_BACKEND"), who,
		 strchr(tcp, '@'));
	schema_open(&s, "weak_");
	make_weak(&s, who, database);
	schema_open_url(&weak, url, "weak_", dbl_env_system());
	status(&weak, &told);
	assert_int_equal(told.n, FILES);
	assert_int_equal(up_in(&weak, &told, PLENTY_MS), DBLOCK_E_DENIED);
	assert_int_equal(told.n, 0);
	/* If nothing is pending, the user only needs to read the history. */
	(void)up(&s);
	if (backend_is("postgresql"))
		by_handf(&s, "GRANT SELECT ON dblock_migration TO %s", who);
	assert_int_equal(up(&weak), 0);
	schema_close(&weak);
	drop_weak(&s, who);
	schema_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_library_carries_the_shipped_bytes),
		cmocka_unit_test(native_clients_do_and_undo),
		cmocka_unit_test(a_table_of_another_shape_is_named),
		cmocka_unit_test(open_meets_a_strange_history),
	};
	const struct CMUnitTest on_servers[] = {
		cmocka_unit_test(missing_rights_are_denied),
		cmocka_unit_test(a_missing_schema_is_named),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	if (!backend_is("sqlite"))
		failed += cmocka_run_group_tests(on_servers, NULL, NULL);
	return failed;
}
