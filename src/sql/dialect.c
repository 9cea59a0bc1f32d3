/* SPDX-License-Identifier: MIT */
#include "sql/dialect.h"

#include <string.h>

/* Made by cmake/embed.cmake. */
extern const char *const dbl_sql_sqlite[], *const dbl_sql_postgresql[], *const dbl_sql_mysql[];
extern const struct dbl_migration_text dbl_migrations_sqlite[], dbl_migrations_postgresql[],
	dbl_migrations_mysql[];

#ifdef DBLOCK_WITH_SQLITE
static const struct dbl_dialect sqlite = {
	.name = "sqlite",
	.schemes = (const char *const[]){"sqlite", NULL},
	.driver = &dbl_sqlite,
	.sql = dbl_sql_sqlite,
	.migrations = dbl_migrations_sqlite,
	.quote = '"',
	.name_max = 256,
	.row_locks = DBL_ROWS_AS_FILE,
	.batch = DBL_BATCH_SINGLY,
	.joins = true,
	.passes_on = true,
	.enters = true,
	.served_us = 100000,
	.ddl_in_tx = true,
	.is_file = true,
	.relaxes = true,
};
#endif

#ifdef DBLOCK_WITH_POSTGRESQL
static const struct dbl_dialect postgresql = {
	.name = "postgresql",
	.schemes = (const char *const[]){"postgresql", "postgres", NULL},
	.driver = &dbl_postgresql,
	.sql = dbl_sql_postgresql,
	.migrations = dbl_migrations_postgresql,
	.beside = (const char *const[]){"postgres", "template1", NULL},
	.quote = '"',
	.name_max = 63,
	.row_locks = DBL_ROWS_AS_RESULT,
	.batch = DBL_BATCH_ARRAYS,
	.connections = true,
	.joins = true,
	.passes_on = true,
	.enters = true,
	.served_us = 2000000,
	.default_schema = "public", /* whatever the search_path says */
	.has_schemas = true,
	.ddl_in_tx = true,
	.relaxes = true,
	.replicates = true,
	.pipelines = true,
	.pools = true,
};
#endif

#ifdef DBLOCK_WITH_MYSQL
static const struct dbl_dialect mysql = {
	.name = "mysql",
	.schemes = (const char *const[]){"mysql", "mariadb", NULL},
	.driver = &dbl_mysql,
	.sql = dbl_sql_mysql,
	.migrations = dbl_migrations_mysql,
	.beside = (const char *const[]){"information_schema", NULL},
	.quote = '`',
	.name_max = 256, /* the server has a limit of its own: 64 characters */
	.row_locks = DBL_ROWS_AS_SCANNED,
	.batch = DBL_BATCH_ROWS,
	.closed = 1690, /* the code for a number out of range */
	.no_branch = 1399,
	.connections = true,
	.passes_on = true,
	.joins_blindly = true,
	.served_us = 100000,
	.has_schemas = true,
	.sleeps = true,
};
#endif

static const struct dbl_dialect *const dialects[] = {
#ifdef DBLOCK_WITH_SQLITE
	&sqlite,
#endif
#ifdef DBLOCK_WITH_POSTGRESQL
	&postgresql,
#endif
#ifdef DBLOCK_WITH_MYSQL
	&mysql,
#endif
	NULL,
};

static bool has_scheme(const struct dbl_dialect *dialect, const char *scheme)
{
	for (const char *const *s = dialect->schemes; *s; s++) {
		if (strcmp(*s, scheme) == 0)
			return true;
	}
	return false;
}

int dbl_dialect_find(const char *scheme, const struct dbl_dialect **out, struct dblock_error *err)
{
	for (const struct dbl_dialect *const *d = dialects; *d; d++) {
		if (has_scheme(*d, scheme)) {
			*out = *d;
			return 0;
		}
	}
	dbl_fail(err, DBLOCK_E_INVALID, "URL: unknown scheme '%s:'; this build knows:", scheme);
	for (const struct dbl_dialect *const *d = dialects; *d; d++) {
		for (const char *const *s = (*d)->schemes; *s; s++)
			dbl_err_suffix(err, " %s:", *s);
	}
	return DBLOCK_E_INVALID;
}

const char *dbl_dialect_names(void)
{
	static const char names[] =
#ifdef DBLOCK_WITH_SQLITE
		" sqlite"
#endif
#ifdef DBLOCK_WITH_POSTGRESQL
		" postgresql"
#endif
#ifdef DBLOCK_WITH_MYSQL
		" mysql"
#endif
		;

	return &names[1];
}
