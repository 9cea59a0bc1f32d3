/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/migrate/call.h"
#include "cli/migrate/files.h"

int dbl_migrate_version(const struct dbl_cli *cli, bool zero, int64_t *version)
{
	const char *text = cli->words.word[0];

	errno = 0;
	*version = strtoll(text, NULL, 10);
	if (!*text || text[strspn(text, "0123456789")] || errno || *version < !zero)
		return dbl_cli_usage(cli, "'%s' is not a migration's number", text);
	return DBL_EXIT_OK;
}

int dbl_migrate_which(const struct dbl_cli *cli, int64_t *version)
{
	const char *text = cli->words.word[0];
	char name[DBL_MIGRATE_LABEL];

	if (strncmp(text, "R_", 2) != 0)
		return dbl_migrate_version(cli, false, version);
	snprintf(name, sizeof(name), "%s", text + 2);
	if (strlen(name) > 4 && strcmp(name + strlen(name) - 4, ".sql") == 0)
		name[strlen(name) - 4] = '\0';
	*version = dblock_migration_repeatable(name);
	return DBL_EXIT_OK;
}

const char *dbl_migrate_label(char text[DBL_MIGRATE_LABEL], int64_t version, const char *name)
{
	if (version >= DBLOCK_MIGRATION_REPEATABLE)
		snprintf(text, DBL_MIGRATE_LABEL, "R_%s", name);
	else
		snprintf(text, DBL_MIGRATE_LABEL, "%04" PRId64 "_%s", version, name);
	return text;
}

/* The same command for the library's own tables, if there is one, else `up`. */
static const char *schema_command(const struct dbl_cli *cli)
{
	const struct dbl_command *schema = dbl_command_find(cli->commands, "schema");
	const struct dbl_command *own = dbl_command_find(schema->commands, cli->command->name);

	return own ? own->name : "up";
}

int dbl_migrate_where(const struct dbl_cli *cli, const char **dir)
{
	const struct dbl_migrate_args *args = cli->options;

	*dir = args->which.dir;
	if (args->own)
		return DBL_EXIT_OK;
	if (args->which.scope && strcmp(args->which.scope, "dblock") == 0)
		return dbl_cli_usage(cli,
				     "the scope 'dblock' is that of dblock's own tables: they are "
				     "for 'dblock schema %s'",
				     schema_command(cli));
	if (*dir)
		return DBL_EXIT_OK;
	if (!dbl_migrate_is_folder(DBL_MIGRATE_DIR))
		return dbl_cli_usage(
			cli,
			"there is no folder ./" DBL_MIGRATE_DIR
			": give --dir DIR (dblock's own tables are for 'dblock schema %s')",
			schema_command(cli));
	*dir = DBL_MIGRATE_DIR;
	dbl_cli_note(cli, "the files are those of ./" DBL_MIGRATE_DIR);
	return DBL_EXIT_OK;
}

const char *dbl_migrate_dialect(const struct dbl_cli *cli)
{
	static const struct {
		const char *scheme, *dialect;
	} known[] = {{"sqlite", "sqlite"},         {"sqlite3", "sqlite"},
		     {"postgresql", "postgresql"}, {"postgres", "postgresql"},
		     {"mysql", "mysql"},           {"mariadb", "mysql"}};
	const char *url = dbl_cli_url(cli);
	size_t len = strcspn(url, ":");

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strlen(known[i].scheme) == len && strncasecmp(known[i].scheme, url, len) == 0)
			return known[i].dialect;
	return "";
}
