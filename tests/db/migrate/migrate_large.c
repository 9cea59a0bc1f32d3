/* SPDX-License-Identifier: MIT */
/* A file that is larger than what is kept in memory: how much of that it takes, that it is run as it was
 * checked, and that it stops and goes on anywhere. */
#include "db/migrate/migrate_app.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 24, ROW = 2000, MOST_KB = 24 << 10 };

static char file[4096], folder[4000];

/* Begins a file of migrations, alone in its folder. */
static FILE *begin_file(const char *name)
{
	FILE *out;

	snprintf(folder, sizeof(folder), "%s/%s.large", env_text("DBLOCK_TEST_TMP"), name);
	assert_int_equal(mkdir(folder, 0700), 0);
	snprintf(file, sizeof(file), "%s/0007_%s.up.sql", folder, name);
	out = fopen(file, "w");
	assert_non_null(out);
	return out;
}

static void put_row(FILE *out, int k, const char *quote)
{
	char text[ROW + 1];

	memset(text, 'a' + k % 26, ROW);
	text[ROW] = '\0';
	fprintf(out, "%d%s%s%s", k, *quote ? ", " : "\t", quote, text);
	fprintf(out, "%s", quote);
}

/* Writes statements of `rows` rows each; n in all. */
static void put_inserts(FILE *out, const char *table, int n, int rows)
{
	for (int k = 1; k <= n; k++) {
		if (k % rows == 1 || rows == 1)
			fprintf(out, "INSERT INTO %s (k, v) VALUES ", table);
		fprintf(out, "(");
		put_row(out, k, "'");
		fprintf(out, ")%s\n", k % rows == 0 || k == n ? ";" : ",");
	}
}

static void open_app(struct app *app, const char *prefix)
{
	app_open(app, prefix);
	app->which.allow_tables = true;
	app->which.dir = folder;
}

static void rows_are(struct app *app, const char *table, int n)
{
	char sql[200];

	snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s WHERE length(v) = %d", table, ROW);
	assert_int_equal(number(app, sql), n);
	snprintf(sql, sizeof(sql), "SELECT max(k) FROM %s", table);
	assert_int_equal(number(app, sql), n);
}

static long memory_kb(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

/* Naive: the file as a whole in memory, and what is sent once more. */
static void memory_is_bounded(void **unused)
{
	enum { N = 32000 }; /* 64 MB */
	FILE *out = begin_file("bound");
	struct app app;
	long before;

	(void)unused;
	fprintf(out, "CREATE TABLE bound (k INTEGER PRIMARY KEY, v TEXT);\n");
	put_inserts(out, "bound", N, ROWS);
	fclose(out);
	open_app(&app, "bound_");
	EXPECT(OK, &app,
	       dbl_migrate_status(
		       &(struct dbl_migrate){.target = &app.s.target, .timeout = dbl_ms(PLENTY_MS)},
		       &app.s.err));
	before = memory_kb();
	EXPECT(OK, &app, app_up(&app));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	assert_in_range(memory_kb() - before, 0, MOST_KB);
#endif
	rows_are(&app, "bound", N);
	app_close(&app);
}

/* The data of one COPY are as large as they like. */
static void memory_is_bounded_for_copy(void **unused)
{
	enum { N = 32000 };
	struct app app;
	FILE *out;
	long before;

	(void)unused;
	if (!backend_is("postgresql"))
		return; /* the others have no COPY */
	out = begin_file("bcopy");
	fprintf(out, "CREATE TABLE bcopy (k INTEGER PRIMARY KEY, v TEXT);\n"
		     "COPY bcopy FROM stdin;\n");
	for (int k = 1; k <= N; k++) {
		put_row(out, k, "");
		fprintf(out, "\n");
	}
	fprintf(out, "\\.\n");
	fclose(out);
	open_app(&app, "bcopy_");
	before = memory_kb();
	EXPECT(OK, &app, app_up(&app));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	assert_in_range(memory_kb() - before, 0, MOST_KB);
#endif
	rows_are(&app, "bcopy", N);
	app_close(&app);
}

/* Empties the file once it is being run. */
static void empty_file(void *unused, const struct dblock_migrate_progress *progress)
{
	(void)unused;
	if (progress->step == 2)
		assert_int_equal(truncate(file, 0), 0);
}

/* Naive: to read the file while it is run, or to map it: then this is a signal, and the end. */
static void what_was_checked_is_run(void **unused)
{
	enum { N = 6000 };
	FILE *out = begin_file("trunc");
	struct app app;

	(void)unused;
	fprintf(out, "CREATE TABLE trunc (k INTEGER PRIMARY KEY, v TEXT);\n");
	put_inserts(out, "trunc", N, ROWS);
	fclose(out);
	open_app(&app, "trunc_");
	app.which.progress = empty_file;
	EXPECT(OK, &app, app_up(&app));
	rows_are(&app, "trunc", N);
	app_close(&app);
}

static bool stop;

static int is_stopped(void *unused)
{
	(void)unused;
	return stop;
}

static void stop_at(void *at, const struct dblock_migrate_progress *progress)
{
	stop = progress->step >= *(int64_t *)at; /* rows that go together are not parted */
}

/* It stops behind more statements than are remembered, and the next call finds where. */
static void it_goes_on_where_it_stopped(void **unused)
{
	enum { N = 5000 };
	FILE *out = begin_file("goon");
	int64_t at = 3500;
	struct app app;

	(void)unused;
	fprintf(out, "%sCREATE TABLE goon (k INTEGER PRIMARY KEY, v TEXT);\n",
		backend_is("sqlite") ? "" : STEPWISE);
	put_inserts(out, "goon", N, 1);
	fclose(out);
	open_app(&app, "goon_");
	app.which.canceled = is_stopped;
	app.which.progress = stop_at;
	app.which.progress_arg = &at;
	EXPECT(CANCELED, &app, app_up(&app));
	assert_int_equal(app_has(&app, "goon"), !backend_is("sqlite"));
	at = INT64_MAX;
	stop = false;
	EXPECT(OK, &app, app_up(&app));
	rows_are(&app, "goon", N);
	app_close(&app);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(memory_is_bounded_for_copy),
		cmocka_unit_test(what_was_checked_is_run),
		cmocka_unit_test(it_goes_on_where_it_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
