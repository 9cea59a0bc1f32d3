/* SPDX-License-Identifier: MIT */
/* dblock migrate dump: the schema as text. */
#include "cli/migrate/dump.h"

static const char about[] =
	"Writes the schema of the database to FILE, for review, and to make new databases of: all\n"
	"but dblock's own tables, as pg_dump or mysqldump says it, or SQLite itself; and behind "
	"it\n"
	"what is applied, so that a database that was made of it is up to date. FILE is replaced\n"
	"as a whole, if anything is different; `-` is the standard output. No time, host, owner\n"
	"or version is in it. `up --dump FILE` does so after it has applied what is missing, and\n"
	"`verify --dump FILE` compares.\n"
	"\n"
	"It needs the program pg_dump (no older than the server), mysqldump or mariadb-dump.\n";

static int run(struct dbl_cli *cli)
{
	const char *file = cli->words.word[0];
	struct dbl_migrate_call call;
	int rc, code = dbl_migrate_begin(&call, cli);

	if (code != DBL_EXIT_OK)
		return code;
	rc = dbl_dump_check(&call, file);
	if (rc == DBLOCK_OK)
		rc = dbl_dump_write(&call, file);
	return dbl_migrate_end(&call, rc);
}

const struct dbl_command dbl_migrate_command_dump = {
	.name = "dump",
	.usage = "FILE [--dir DIR]",
	.summary = "write the schema to a file",
	.about = about,
	.operands = {.names = {"FILE"}, .least = 1},
	.run = run,
};
