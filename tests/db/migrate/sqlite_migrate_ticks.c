/* SPDX-License-Identifier: MIT */
/* What a caller is told while SQLite computes. (What it is told everywhere: migrate_ticks.c.) */
#include <dirent.h>
#include <limits.h>
#include <unistd.h>

#include "db/migrate/migrate_app.h"

/* What was told of the third statement while it was under way. */
struct heard {
	struct app *app;
	int ticks;
	int files; /* how often this process had the database's file open */
	int64_t rows;
	char doing[200];
};

/* A clock by which each look at it takes a while. */
static int64_t hasty_now(void *ctx)
{
	int64_t *ahead = ctx;

	*ahead += 20000;
	return dbl_add(dbl_now(dbl_env_system()), *ahead);
}

/* How many descriptors lead to a file of that name. */
static int open_files(const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	char link[PATH_MAX], at[300];
	struct dirent *entry;
	DIR *fds = opendir("/proc/self/fd");
	int n = 0;

	assert_non_null(fds);
	while ((entry = readdir(fds)) != NULL) {
		ssize_t len;

		snprintf(at, sizeof(at), "/proc/self/fd/%s", entry->d_name);
		len = readlink(at, link, sizeof(link) - 1);
		link[len > 0 ? len : 0] = '\0';
		n += len > 0 && strrchr(link, '/') && strcmp(strrchr(link, '/') + 1, name) == 0;
	}
	closedir(fds);
	return n;
}

static void note_tick(void *arg, const struct dblock_migrate_progress *progress)
{
	struct heard *heard = arg;

	if (progress->waiting || progress->took_ms == 0 || progress->step != 3)
		return;
	heard->ticks++;
	heard->files = open_files(heard->app->s.target.url.path);
	heard->rows = progress->rows;
	snprintf(heard->doing, sizeof(heard->doing), "%s", progress->doing);
}

/* Naive: whom there is to ask is asked over a second connection, to a file. */
static void a_statement_that_computes_ticks(void **unused)
{
	const struct dblock_migration_file files[] = {UP(
		1, "long",
		"CREATE TABLE tick_long (k INTEGER);\nINSERT INTO tick_long (k) VALUES (1), (2);\n"
		"INSERT INTO tick_long (k) WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL "
		"SELECT x + 1 FROM n LIMIT 300000) SELECT count(*) FROM n;\n"
		"DROP TABLE tick_long")};
	struct dbl_env env = *dbl_env_system();
	struct app app;
	struct heard heard = {.app = &app};
	int64_t ahead = 0;

	(void)unused;
	env.now = hasty_now;
	env.ctx = &ahead;
	app_open_env(&app, "tickc_", &env);
	SET(&app, files);
	app.which.progress = note_tick;
	app.which.progress_arg = &heard;
	EXPECT(OK, &app, app_up(&app));
	assert_in_range(heard.ticks, 1, 1000);
	assert_int_equal(heard.files, 1);
	assert_int_equal(heard.rows, 2);
	assert_string_equal(heard.doing, "");
	app_close(&app);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_statement_that_computes_ticks)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
