/* SPDX-License-Identifier: MIT */
/* An application that carries its migrations in itself. Any number of copies may start at once:
 * each migration is applied exactly once, and all go on when that is done. The arrays are made at
 * build time, from app_migrate/<database>/, by one line of CMake:
 *     dblock_embed_migrations(app_migrate app_migrate SYMBOL app) */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"

/* An application for one kind of database needs none of this, but the two lines with `files`. */
static void choose(struct dblock_migrate_options *which, const char *url)
{
	const struct {
		const char *scheme;
		const struct dblock_migration_file *files;
		size_t n;
	} all[] = {{"sqlite:", app_sqlite, app_sqlite_count},
		   {"postgresql:", app_postgresql, app_postgresql_count},
		   {"mysql:", app_mysql, app_mysql_count},
		   {"mariadb:", app_mysql, app_mysql_count}};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (strncmp(url, all[i].scheme, strlen(all[i].scheme)) == 0) {
			which->files = all[i].files;
			which->n_files = all[i].n;
		}
	}
}

/* "0001_customer"; "R_customer_mail" is one that is repeated, whose number is for nobody to read. */
static void print_name(FILE *out, int64_t version, const char *name)
{
	if (version < DBLOCK_MIGRATION_REPEATABLE)
		fprintf(out, "%04" PRId64 "_%s", version, name);
	else
		fprintf(out, "R_%s", name);
}

/* Called often; `arg` has when somebody was last told of whom we wait for, which is once a second. */
static void tell_progress(void *arg, const struct dblock_migrate_progress *p)
{
	int64_t *told_ms = arg;

	if (!p->waiting) {
		print_name(stderr, p->version, p->name);
		fprintf(stderr, ": statement %" PRId64 " of %" PRId64, p->step, p->steps);
		if (p->took_ms > 0)
			fprintf(stderr, ", %" PRId64 " s %s", p->took_ms / 1000, p->doing);
		fputc('\n', stderr);
	} else if (p->waited_ms - *told_ms >= 1000) {
		*told_ms = p->waited_ms;
		fprintf(stderr, "waiting for %s, who is migrating (%" PRId64 " s)\n",
			p->holder[0] ? p->holder : "another copy", p->waited_ms / 1000);
	}
}

/* What the database said beside its outcome, and what is odd in the files. */
static int tell_warning(void *arg, const struct dblock_migrate_problem *problem)
{
	(void)arg;
	fprintf(stderr, "warning: %s\n", problem->detail);
	return 0;
}

static int tell_applied(void *arg, const struct dblock_migration *m)
{
	(void)arg;
	fputs("applied ", stdout);
	print_name(stdout, m->version, m->name);
	putchar('\n');
	return 0;
}

int main(int argc, char **argv)
{
	struct dblock_migrate_options which = DBLOCK_MIGRATE_OPTIONS_INIT;
	const char *url = argc > 1 ? argv[1] : "sqlite:app.db";
	struct dblock_error err;
	int64_t told_ms = 0;

	choose(&which, url);
	if (!which.files) {
		fprintf(stderr, "app_migrate: no migrations for %.12s...\n", url);
		return EXIT_FAILURE;
	}
	which.progress = tell_progress;
	which.progress_arg = &told_ms;
	which.warned = tell_warning;
	if (dblock_migrate_up(url, NULL, &which, tell_applied, NULL, &err)) {
		fprintf(stderr, "app_migrate: %s\n", err.message);
		return EXIT_FAILURE;
	}
	puts("ready");
	return EXIT_SUCCESS;
}
