/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "exits.h"
#include "migrate_cli.h"

int dbl_migrate_version(const struct dbl_cli *cli, const char *text, bool zero, int64_t *version)
{
	errno = 0;
	*version = strtoll(text, NULL, 10);
	if (!*text || text[strspn(text, "0123456789")] || errno || *version < !zero)
		return dbl_cli_usage(cli, "'%s' is not a migration's number", text);
	return DBL_EXIT_OK;
}

/* The library's own have no folder, and a folder is not the library's. */
static bool is_own(const struct dbl_migrate_args *args)
{
	return args->scope && strcmp(args->scope, "dblock") == 0;
}

int dbl_migrate_check_args(const struct dbl_cli *cli, const struct dbl_migrate_args *args)
{
	if (args->dir && is_own(args))
		return dbl_cli_usage(cli, "the scope 'dblock' is the library's own: its migrations "
					  "are in the program, so leave out --dir");
	if (!args->dir && args->scope && !is_own(args))
		return dbl_cli_usage(cli, "--dir is missing: where are the migrations of '%s'?",
				     args->scope);
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
