/* SPDX-License-Identifier: MIT */
#include "cli/ui/cli.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/ui/print.h"

#define DEFAULT_FILE "dblock.db"

#define AT(member)   offsetof(struct dbl_cli, member)

const struct dbl_arg dbl_global_args[] = {
	{"url", 'u', DBL_ARG_TEXTS, AT(urls), "URL", 0, 0,
	 "the database; default $DBLOCK_URL, a settings file; on a terminal "
	 "sqlite:dblock.db; several times: a cluster's members",
	 NULL},
	DBL_FLAG_ARG("json", 0, AT(json), "print one JSON object per line"),
	DBL_FLAG_ARG("quiet", 'q', AT(quiet), "print errors only, no notes"),
	DBL_TEXT_ARG("prefix", 0, AT(prefix), "PREFIX",
		     "prefix of the tables' names; default dblock_"),
	DBL_TEXT_ARG("schema", 0, AT(schema), "SCHEMA",
		     "schema of the tables (MySQL: their database)"),
	DBL_FLAG_ARG("auto-migrate", 0, AT(auto_migrate), "create or update missing tables first"),
	DBL_WORD_ARG("durability", 0, AT(durability), "HOW", "durable relaxed remote",
		     "what a grant survives: durable, relaxed or remote"),
	DBL_DURATION_ARG("call-timeout", 0, AT(timeout_ms), 1, 24 * 3600 * 1000,
			 "the longest that one request may take; default 10s"),
	DBL_FLAG_ARG("help", 'h', AT(help), "print this help"),
	DBL_FLAG_ARG("version", 'V', AT(version), "print the version"),
	{0},
};

const struct dbl_command *dbl_command_find(const struct dbl_command *const *commands,
					   const char *name)
{
	for (const struct dbl_command *const *c = commands; *c; c++)
		if (strcmp((*c)->name, name) == 0)
			return *c;
	return NULL;
}

void dbl_command_name(const struct dbl_command *group, const struct dbl_command *command,
		      char name[DBL_COMMAND_NAME])
{
	snprintf(name, DBL_COMMAND_NAME, "%s%s%s", group ? group->name : "", group ? " " : "",
		 command ? command->name : "");
}

/* rc: an outcome of the library; DBLOCK_OK: there was none. */
static void print_json(const struct dbl_cli *cli, const char *kind, int rc, const char *text)
{
	json_t *object = json_object();
	char name[DBL_COMMAND_NAME], *line;

	dbl_command_name(cli->group, cli->command, name);
	dbl_json_text(object, "command", name);
	dbl_json_text(object, kind, text);
	dbl_json_text(object, "code", rc ? dblock_outcome_name(rc) : NULL);
	line = json_dumps(object, JSON_COMPACT);
	fprintf(stderr, "%s\n", line ? line : "{}");
	json_decref(object);
	free(line);
}

/* Print one line on stderr, safe for a terminal whatever names and messages contain; with --json an
 * object. kind: "error" or "note". */
static __attribute__((format(printf, 4, 0))) void say(const struct dbl_cli *cli, const char *kind,
						      int rc, const char *fmt, va_list args)
{
	char name[DBL_COMMAND_NAME], *line = NULL, *safe;

	if (vasprintf(&line, fmt, args) < 0)
		return;
	if (cli->json) {
		print_json(cli, kind, rc, line);
		free(line);
		return;
	}
	safe = dbl_text_safe(line);
	dbl_command_name(cli->group, cli->command, name);
	fprintf(stderr, "dblock: %s%s%s\n", name, *name ? ": " : "", safe ? safe : line);
	free(safe);
	free(line);
}

void dbl_cli_error(const struct dbl_cli *cli, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(cli, "error", DBLOCK_OK, fmt, args);
	va_end(args);
}

void dbl_cli_note(const struct dbl_cli *cli, const char *fmt, ...)
{
	va_list args;

	if (cli->quiet)
		return;
	va_start(args, fmt);
	say(cli, "note", DBLOCK_OK, fmt, args);
	va_end(args);
}

int dbl_cli_usage(const struct dbl_cli *cli, const char *fmt, ...)
{
	char name[DBL_COMMAND_NAME];
	va_list args;

	va_start(args, fmt);
	say(cli, "error", DBLOCK_E_INVALID, fmt, args);
	va_end(args);
	dbl_command_name(cli->group, cli->command, name);
	if (!cli->json)
		fprintf(stderr, "try 'dblock help%s%s'\n", *name ? " " : "", name);
	return dbl_cli_exit(cli, DBLOCK_E_INVALID);
}

int dbl_cli_exit(const struct dbl_cli *cli, int rc)
{
	const struct dbl_command *top = cli->group ? cli->group : cli->command;

	return dbl_exit_for(rc, top && top->exits_of_migrate);
}

/* Say what became of a call: an outcome that is to be expected is a note. */
static __attribute__((format(printf, 3, 4))) void say_outcome(const struct dbl_cli *cli, int rc,
							      const char *fmt, ...)
{
	va_list args;

	if (rc > 0 && cli->quiet)
		return;
	va_start(args, fmt);
	say(cli, rc > 0 ? "note" : "error", rc, fmt, args);
	va_end(args);
}

int dbl_cli_ended(const struct dbl_cli *cli, int rc, const struct dblock_error *err)
{
	const char *text = err->message[0] ? err->message : dblock_outcome_text(rc);

	if (rc)
		say_outcome(cli, rc, "%s", text);
	return dbl_cli_exit(cli, rc);
}

const char *dbl_cli_url(const struct dbl_cli *cli)
{
	return cli->url ? cli->url : "sqlite:" DEFAULT_FILE;
}

static int check_members(const struct dbl_cli *cli)
{
	const struct dbl_command *top = cli->group ? cli->group : cli->command;
	const char *instead = top->one_only;

	return !instead || !dbl_cli_is_cluster(cli)
		       ? DBL_EXIT_OK
		       : dbl_cli_usage(cli, "it is for one database, and several were given: %s",
				       instead);
}

/* A file in the current folder is for people who try dblock on a terminal. For a job it would
 * silently be another set of locks in each folder and on each host. */
int dbl_cli_need_url(const struct dbl_cli *cli)
{
	if (cli->url)
		return check_members(cli);
	if (!cli->terminal)
		return dbl_cli_usage(cli,
				     "no database: give -u URL, $DBLOCK_URL, or `url = URL` in "
				     "/etc/dblock.conf or ~/.config/dblock/config");
	if (access(DEFAULT_FILE, F_OK) != 0)
		dbl_cli_note(cli, "the database is a new file " DEFAULT_FILE
				  " in this folder (-u URL, $DBLOCK_URL: another one)");
	return DBL_EXIT_OK;
}

/* The durability of that name; -1: there is none. */
static int durability_of(const char *word)
{
	static const char *const words[] = {
		[DBLOCK_DURABILITY_DEFAULT] = "default",
		[DBLOCK_DURABLE] = "durable",
		[DBLOCK_RELAXED] = "relaxed",
		[DBLOCK_REMOTE] = "remote",
	};

	for (int i = 0; word && i < (int)(sizeof(words) / sizeof(words[0])); i++)
		if (strcmp(words[i], word) == 0)
			return i;
	return word ? -1 : DBLOCK_DURABILITY_DEFAULT;
}

int dbl_cli_check(struct dbl_cli *cli)
{
	/* This is found out now, as a process that opens the database later may have neither. */
	cli->terminal = isatty(STDIN_FILENO) || isatty(STDERR_FILENO);
	if (durability_of(cli->durability) >= 0)
		return DBL_EXIT_OK;
	return dbl_cli_usage(cli, "--durability: '%s' is none of durable, relaxed, remote, default",
			     cli->durability);
}

/* A server that ships with a hundred is to serve nearly as many of us. */
static const struct dblock_tuning sparing = {.size = sizeof(sparing), .connections = 1};

struct dblock_client_options dbl_cli_options(const struct dbl_cli *cli)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.timeout_ms = cli->timeout_ms;
	options.prefix = cli->prefix;
	options.schema = cli->schema;
	options.auto_migrate = cli->auto_migrate;
	options.durability = (enum dblock_durability)durability_of(cli->durability);
	options.tuning = &sparing;
	return options;
}

/* Newer tables serve us, but somebody may want to know. */
static void say_newer(const struct dbl_cli *cli, const struct dblock_client *client)
{
	int64_t known, there = dblock_tables_version(client, &known);

	if (there > known)
		dbl_cli_note(cli,
			     "the tables are of a newer dblock: version %" PRId64
			     ", and this one knows %" PRId64 "; it works, but update it",
			     there, known);
}

int dbl_cli_try_open(const struct dbl_cli *cli, const struct dblock_client_options *options,
		     struct dblock_client **client, struct dblock_error *err)
{
	char *members[DBL_URLS_MAX];
	size_t n = dbl_cli_members(cli, members);
	int rc = n > 1 ? dblock_quorum_open((const char *const *)members, n, options, client, err)
		       : dblock_open(dbl_cli_url(cli), options, client, err);

	for (size_t i = 0; i < n; i++)
		free(members[i]);
	if (rc == DBLOCK_OK)
		say_newer(cli, *client);
	return rc;
}

int dbl_cli_not_opened(const struct dbl_cli *cli, int rc, const struct dblock_error *err)
{
	/* The message names the source of the URL, if that is not this command line. */
	if (rc >= 0 || !cli->url_from || !err->message[0])
		return dbl_cli_ended(cli, rc, err);
	say_outcome(cli, rc, "%s (the URL is that of %s)", err->message, cli->url_from);
	return dbl_cli_exit(cli, rc);
}

int dbl_cli_open(struct dbl_cli *cli)
{
	struct dblock_client_options options = dbl_cli_options(cli);
	int rc = dbl_cli_need_url(cli);

	if (rc != DBL_EXIT_OK)
		return rc;
	options.observe = cli->command->client == DBL_CLIENT_LOOK && !options.auto_migrate;
	rc = dbl_cli_try_open(cli, &options, &cli->client, &cli->err);
	return rc ? dbl_cli_not_opened(cli, rc, &cli->err) : DBL_EXIT_OK;
}
