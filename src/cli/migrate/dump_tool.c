/* SPDX-License-Identifier: MIT */
/* pg_dump and mysqldump: how they are called, and what of their text is left out. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <dblock/dump.h>

#include "cli/migrate/dump.h"
#include "cli/migrate/files.h"
#include "cli/migrate/program.h"

#define AS_IT_WAS "state: the file is as it was\nnext:  "

static bool begins(const char *line, const char *with)
{
	return strncmp(line, with, strlen(with)) == 0;
}

/* ---- which ---------------------------------------------------------------------------------- */

static const struct {
	const char *dialect, *names[3], *package;
} tools[] = {
	{"postgresql", {"pg_dump"}, "postgresql-client"},
	{"mysql", {"mysqldump", "mariadb-dump"}, "mariadb-client or mysql-client"},
};

/* MariaDB calls its program mysqldump, too, and that has other options. */
static int ask_version(struct dbl_dump_tool *tool, bool *there, struct dblock_error *err)
{
	const char *const argv[] = {tool->name, "--version", NULL};
	struct dbl_program program = {.argv = argv};
	int rc = dbl_program_run(&program, err);

	*there = rc == DBLOCK_OK && !program.missing && program.status == 0;
	tool->mariadb = *there && strstr(program.out, "MariaDB");
	dbl_program_free(&program);
	return rc;
}

int dbl_dump_tool_find(struct dbl_dump_tool *tool, const char *dialect, struct dblock_error *err)
{
	size_t t = strcmp(dialect, "mysql") == 0;
	bool there = false;
	int rc = 0;

	for (const char *const *name = tools[t].names; *name && !there && rc == 0; name++) {
		*tool = (struct dbl_dump_tool){.name = *name};
		rc = ask_version(tool, &there, err);
	}
	if (rc || there)
		return rc;
	return dbl_migrate_refuse(err,
				  "%s is not there, which says what the schema is\n"
				  "next:  install the package %s, then run the same again",
				  tools[t].names[0], tools[t].package);
}

/* ---- how ------------------------------------------------------------------------------------ */

struct words {
	char **word; /* NULL at the end */
	size_t n;
	bool failed;
};

static void add(struct words *words, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add(struct words *words, const char *fmt, ...)
{
	char **grown = realloc(words->word, (words->n + 2) * sizeof(*grown));
	va_list args;

	if (!grown) {
		words->failed = true;
		return;
	}
	words->word = grown;
	va_start(args, fmt);
	if (vasprintf(&grown[words->n], fmt, args) >= 0)
		words->n++;
	else
		words->failed = true;
	va_end(args);
	grown[words->n] = NULL;
}

static void free_words(struct words *words)
{
	for (size_t i = 0; i < words->n; i++)
		free(words->word[i]);
	free(words->word);
}

static void add_all(struct words *words, const char *const *options)
{
	for (; *options; options++)
		add(words, "%s", *options);
}

static void call_postgresql(struct words *words, const struct dblock_dump *dump)
{
	static const char *const options[] = {"--schema-only", "--no-owner", "--no-privileges",
					      "--no-password", NULL};

	add_all(words, options);
	for (size_t i = 0; i < dump->n_own; i++)
		add(words, "--exclude-table=*.\"%s\"", dump->own[i]);
	for (size_t i = 0; i < dump->n_options; i++)
		add(words, "%s", dump->options[i]);
}

/* An option of the URL, as MySQL's programs know it, in MariaDB's words. */
static void add_for_mariadb(struct words *words, const char *option)
{
	static const char mode[] = "--ssl-mode=";
	const char *value = option + strlen(mode);

	if (begins(option, "--get-server-public-key"))
		return;
	if (!begins(option, mode))
		add(words, "%s", option);
	else if (strcasecmp(value, "DISABLED") == 0)
		add(words, "--skip-ssl");
	else if (strncasecmp(value, "VERIFY", 6) == 0)
		add(words, "--ssl-verify-server-cert");
	else if (strcasecmp(value, "REQUIRED") == 0)
		add(words, "--ssl");
}

/* They would read other groups of it than the library does. */
static bool has_file(const struct dblock_dump *dump)
{
	bool has = false;

	for (size_t i = 0; i < dump->n_options; i++)
		has = has || begins(dump->options[i], "--defaults-");
	return has;
}

static int refuse_file(const struct dbl_dump_tool *tool, struct dblock_error *err)
{
	return dbl_migrate_refuse(err,
				  "%s cannot read what is in the URL's defaults-file\n" AS_IT_WAS
				  "take a URL with user, host and database, and the password in "
				  "MYSQL_PWD",
				  tool->name);
}

static void call_mysql(struct words *words, const struct dbl_dump_tool *tool,
		       const struct dblock_dump *dump)
{
	static const char *const options[] = {
		"--no-defaults", "--no-data",        "--skip-comments",       "--routines",
		"--events",      "--triggers",       "--skip-add-drop-table", "--no-tablespaces",
		"--skip-opt",    "--create-options", "--quote-names",         NULL};
	static const char *const of_mysql[] = {"--column-statistics=0", "--set-gtid-purged=OFF",
					       NULL};

	add_all(words, options);
	if (!tool->mariadb)
		add_all(words, of_mysql);
	for (size_t i = 0; i < dump->n_options; i++) {
		if (tool->mariadb)
			add_for_mariadb(words, dump->options[i]);
		else
			add(words, "%s", dump->options[i]);
	}
	for (size_t i = 0; i < dump->n_own; i++)
		add(words, "--ignore-table=%s.%s", dump->database, dump->own[i]);
	add(words, "--");
	add(words, "%s", dump->database);
}

/* ---- what is left out ------------------------------------------------------------------------ */

/* The random words by which psql is kept from commands, and MariaDB's from those of others. */
static bool is_guard(const char *line)
{
	return begins(line, "\\restrict ") || begins(line, "\\unrestrict ") ||
	       begins(line, "/*M!999999\\- ");
}

/* Is it still before the first object? There, versions and what only a newer client says are left out. */
static bool is_head(const char *line)
{
	return !*line || begins(line, "--") || begins(line, "SET ") || is_guard(line);
}

static bool is_noise(const char *line, bool head)
{
	return is_guard(line) ||
	       (head && (begins(line, "-- Dumped ") || begins(line, "SET transaction_timeout = ")));
}

/* Print the line without the part from `at` to `end`. */
static void put_without(FILE *out, const char *line, const char *at, const char *end)
{
	fwrite(line, 1, (size_t)(at - line), out);
	fputs(end, out);
}

/* " DEFINER=`user`@`host`" is of who has made it; " AUTO_INCREMENT=7" of how many rows there were. */
static void put_line(FILE *out, const char *line)
{
	const char *definer =
		begins(line, "/*!50") || begins(line, "CREATE ") ? strstr(line, "DEFINER=`") : NULL;
	const char *number = begins(line, ") ENGINE=") ? strstr(line, " AUTO_INCREMENT=") : NULL;
	const char *end = definer ? strstr(definer, "`@`") : NULL;

	end = end ? strchr(end + 3, '`') : NULL;
	if (end)
		put_without(out, line, definer, end[1] == ' ' ? end + 2 : end + 1);
	else if (number)
		put_without(out, line, number, number + 16 + strspn(number + 16, "0123456789"));
	else
		fputs(line, out);
	fputc('\n', out);
}

/* Blank lines count inside of a function, not around what is left out, nor at the end. */
static void put_text(FILE *out, char *text)
{
	bool head = true, begun = false;
	int blank = 0;

	for (char *line = text, *end; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		head = head && is_head(line);
		if (is_noise(line, head))
			continue;
		if (!*line) {
			blank = begun && !(head && blank) ? blank + 1 : blank;
			continue;
		}
		for (; blank > 0; blank--)
			fputc('\n', out);
		put_line(out, line);
		begun = true;
	}
	fputc('\n', out);
}

/* ---- running -------------------------------------------------------------------------------- */

static void too_old(const char *said, struct dblock_error *err)
{
	char server[40] = "?", client[40] = "?";
	const char *at = strstr(said, "server version: ");

	if (at)
		sscanf(at, "server version: %39[^;]; pg_dump version: %39[^\n]", server, client);
	dbl_migrate_refuse(
		err,
		"pg_dump %s is older than the server, which is %s\n" AS_IT_WAS
		"install postgresql-client-%.*s, or a newer one, then run the same again",
		client, server, (int)strcspn(server, ". "), server);
}

/* What it says of an error may stand behind warnings. */
static int refuse(const struct dbl_dump_tool *tool, const char *said, struct dblock_error *err)
{
	const char *line = strstr(said, "rror");

	while (line && line > said && line[-1] != '\n')
		line--;
	line = line ? line : said;
	if (strstr(said, "server version mismatch"))
		too_old(said, err);
	else
		dbl_migrate_refuse(err,
				   "%s has failed: %.*s\n" AS_IT_WAS
				   "see to what it says, then run the same again",
				   tool->name, (int)strcspn(line, "\n"), line);
	return err->code = DBLOCK_E_MIGRATION;
}

int dbl_dump_tool_run(const struct dbl_dump_tool *tool, const struct dblock_dump *dump, FILE *out,
		      struct dblock_error *err)
{
	bool postgresql = strcmp(tool->name, "pg_dump") == 0;
	struct words words = {NULL, 0, false};
	struct dbl_program program = {.variable = postgresql ? "PGPASSWORD" : "MYSQL_PWD",
				      .value = dump->password};
	int rc;

	if (!postgresql && has_file(dump))
		return refuse_file(tool, err);
	add(&words, "%s", tool->name);
	if (postgresql)
		call_postgresql(&words, dump);
	else
		call_mysql(&words, tool, dump);
	if (!dump->password)
		program.variable = NULL;
	program.argv = (const char *const *)words.word;
	rc = words.failed ? dbl_migrate_no_memory(err) : dbl_program_run(&program, err);
	if (rc == 0 && program.status)
		rc = refuse(tool, program.said, err);
	else if (rc == 0)
		put_text(out, program.out);
	dbl_program_free(&program);
	free_words(&words);
	return rc;
}
