/* SPDX-License-Identifier: MIT */
/* An application that carries its migrations in itself. Any number of copies may start at once:
 * each migration is applied exactly once, and all go on when that is done. The arrays are made at
 * build time, from app_migrate/<database>/NNNN_name.up.sql, by `dblock migrate embed`. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dblock/migrate.h>

/* Those that the library was built for; see CMakeLists.txt. */
#ifdef APP_WITH_SQLITE
extern const struct dblock_migration_file app_sqlite[];
extern const size_t app_sqlite_count;
#endif
#ifdef APP_WITH_POSTGRESQL
extern const struct dblock_migration_file app_postgresql[];
extern const size_t app_postgresql_count;
#endif
#ifdef APP_WITH_MYSQL
extern const struct dblock_migration_file app_mysql[];
extern const size_t app_mysql_count;
#endif

#define USE(array) (which->files = (array), which->n_files = array##_count)

static void choose(struct dblock_migrate_options *which, const char *url)
{
#ifdef APP_WITH_SQLITE
	if (strncmp(url, "sqlite:", 7) == 0)
		USE(app_sqlite);
#endif
#ifdef APP_WITH_POSTGRESQL
	if (strncmp(url, "postgresql:", 11) == 0)
		USE(app_postgresql);
#endif
#ifdef APP_WITH_MYSQL
	if (strncmp(url, "mysql:", 6) == 0)
		USE(app_mysql);
#endif
}

static int say(void *arg, const struct dblock_migration *m)
{
	(void)arg;
	printf("applied %04" PRId64 "_%s\n", m->version, m->name);
	return 0;
}

int main(int argc, char **argv)
{
	struct dblock_migrate_options which = DBLOCK_MIGRATE_OPTIONS_INIT;
	const char *url = argc > 1 ? argv[1] : "sqlite:app.db";
	struct dblock_error err;

	choose(&which, url);
	if (!which.files) {
		fprintf(stderr, "app_migrate: no migrations for %.12s...\n", url);
		return EXIT_FAILURE;
	}
	if (dblock_migrate_up(url, NULL, &which, say, NULL, &err)) {
		fprintf(stderr, "app_migrate: %s\n", err.message);
		return EXIT_FAILURE;
	}
	puts("ready");
	return EXIT_SUCCESS;
}
