/* SPDX-License-Identifier: MIT */
#include "cli/ui/cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/ui/duration.h"
#include "cli/ui/exits.h"
#include "cli/ui/json.h"
#include "cli/ui/text.h"

#define DEFAULT_FILE "dblock.db"

const struct dbl_arg dbl_global_args[] = {
	{"url", 'u', DBL_ARG_TEXT, offsetof(struct dbl_cli, url), "URL", 0, 0,
	 "the database; default $DBLOCK_URL, a settings file; on a terminal sqlite:dblock.db"},
	{"json", 0, DBL_ARG_FLAG, offsetof(struct dbl_cli, json), NULL, 0, 0,
	 "print one JSON object per line"},
	{"quiet", 'q', DBL_ARG_FLAG, offsetof(struct dbl_cli, quiet), NULL, 0, 0,
	 "print errors only, no notes"},
	{"prefix", 0, DBL_ARG_TEXT, offsetof(struct dbl_cli, prefix), "PREFIX", 0, 0,
	 "prefix of the tables' names; default dblock_"},
	{"schema", 0, DBL_ARG_TEXT, offsetof(struct dbl_cli, schema), "SCHEMA", 0, 0,
	 "schema of the tables (MySQL: their database)"},
	{"auto-migrate", 0, DBL_ARG_FLAG, offsetof(struct dbl_cli, auto_migrate), NULL, 0, 0,
	 "create or update missing tables first"},
	{"durability", 0, DBL_ARG_TEXT, offsetof(struct dbl_cli, durability), "HOW", 0, 0,
	 "what a grant survives: durable, relaxed or remote"},
	{"call-timeout", 0, DBL_ARG_DURATION, offsetof(struct dbl_cli, timeout_ms), "DUR", 1,
	 24 * 3600 * 1000, "the longest that one request may take; default 10s"},
	{"help", 'h', DBL_ARG_FLAG, offsetof(struct dbl_cli, help), NULL, 0, 0, "print this help"},
	{"version", 'V', DBL_ARG_FLAG, offsetof(struct dbl_cli, version), NULL, 0, 0,
	 "print the version"},
	{0},
};

const char *dbl_command_word(const struct dbl_command *command)
{
	const char *blank = strrchr(command->name, ' ');

	return blank ? blank + 1 : command->name;
}

const struct dbl_command *dbl_command_find(const struct dbl_command *const *commands,
					   const char *name)
{
	for (const struct dbl_command *const *c = commands; *c; c++)
		if (strcmp(dbl_command_word(*c), name) == 0)
			return *c;
	return NULL;
}

static void print_json(const struct dbl_cli *cli, const char *kind, const char *text)
{
	json_t *object = json_object();
	char *line;

	dbl_json_text(object, "command", cli->command ? cli->command->name : "");
	dbl_json_text(object, kind, text);
	line = json_dumps(object, JSON_COMPACT);
	fprintf(stderr, "%s\n", line ? line : "{}");
	json_decref(object);
	free(line);
}

/* One line on stderr, safe for a terminal whatever names and messages contain; with --json an
 * object. kind: "error" or "note". */
static __attribute__((format(printf, 3, 0))) void say(const struct dbl_cli *cli, const char *kind,
						      const char *fmt, va_list args)
{
	char *line = NULL;
	char *safe;

	if (vasprintf(&line, fmt, args) < 0)
		return;
	if (cli->json) {
		print_json(cli, kind, line);
		free(line);
		return;
	}
	safe = dbl_text_safe(line);
	fprintf(stderr, "dblock: %s%s%s\n", cli->command ? cli->command->name : "",
		cli->command ? ": " : "", safe ? safe : line);
	free(safe);
	free(line);
}

void dbl_cli_error(const struct dbl_cli *cli, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(cli, "error", fmt, args);
	va_end(args);
}

void dbl_cli_note(const struct dbl_cli *cli, const char *fmt, ...)
{
	va_list args;

	if (cli->quiet)
		return;
	va_start(args, fmt);
	say(cli, "note", fmt, args);
	va_end(args);
}

int dbl_cli_usage(const struct dbl_cli *cli, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(cli, "error", fmt, args);
	va_end(args);
	if (!cli->json)
		fprintf(stderr, "try 'dblock help%s%s'\n", cli->command ? " " : "",
			cli->command ? cli->command->name : "");
	return dbl_cli_exit(cli, DBLOCK_E_INVALID);
}

int dbl_cli_exit(const struct dbl_cli *cli, int rc)
{
	const struct dbl_command *command = cli->command;

	if (command && !command->exit_for && cli->group)
		command = cli->group;
	return command && command->exit_for ? command->exit_for(rc) : dbl_exit_for(rc);
}

int dbl_cli_failed(const struct dbl_cli *cli, int rc, const struct dblock_error *err)
{
	const char *text = err->message[0] ? err->message : dblock_outcome_text(rc);

	if (rc > 0)
		dbl_cli_note(cli, "%s", text);
	else
		dbl_cli_error(cli, "%s", text);
	return dbl_cli_exit(cli, rc);
}

const char *dbl_cli_url(const struct dbl_cli *cli)
{
	return cli->url ? cli->url : "sqlite:" DEFAULT_FILE;
}

/* A file in the current folder is for who tries dblock on a terminal. For a job it would be a set
 * of locks for each folder and each host, in silence. */
int dbl_cli_need_url(const struct dbl_cli *cli)
{
	if (cli->url)
		return DBL_EXIT_OK;
	if (!cli->terminal)
		return dbl_cli_usage(cli,
				     "no database: give -u URL, $DBLOCK_URL, or `url = URL` in "
				     "/etc/dblock.conf or ~/.config/dblock/config");
	if (access(DEFAULT_FILE, F_OK) != 0)
		dbl_cli_note(cli, "the database is a new file " DEFAULT_FILE
				  " in this folder (-u URL, $DBLOCK_URL: another one)");
	return DBL_EXIT_OK;
}

/* -1: it is none of them. */
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
	/* Now: who opens the database may be a process that has neither. */
	cli->terminal = isatty(STDIN_FILENO) || isatty(STDERR_FILENO);
	if (durability_of(cli->durability) >= 0)
		return DBL_EXIT_OK;
	return dbl_cli_usage(cli, "--durability: '%s' is none of durable, relaxed, remote, default",
			     cli->durability);
}

struct dblock_client_options dbl_cli_options(const struct dbl_cli *cli)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.timeout_ms = cli->timeout_ms;
	options.prefix = cli->prefix;
	options.schema = cli->schema;
	options.auto_migrate = cli->auto_migrate;
	options.durability = (enum dblock_durability)durability_of(cli->durability);
	return options;
}

/* They serve us, but somebody may want to know. */
static void say_newer(const struct dbl_cli *cli, const struct dblock_client *client)
{
	int64_t known, there = dblock_tables_version(client, &known);

	if (there > known)
		dbl_cli_note(cli,
			     "the tables are of a newer dblock: version %" PRId64
			     ", and this one knows %" PRId64 "; it works, but update it",
			     there, known);
}

static int open_with(const struct dbl_cli *cli, const struct dblock_client_options *options,
		     struct dblock_client **client, struct dblock_error *err)
{
	int rc = dblock_open(dbl_cli_url(cli), options, client, err);

	if (rc == DBLOCK_OK)
		say_newer(cli, *client);
	return rc;
}

int dbl_cli_try_open(const struct dbl_cli *cli, int64_t ttl_ms, const char *app,
		     struct dblock_client **client, struct dblock_error *err)
{
	struct dblock_client_options options = dbl_cli_options(cli);

	options.ttl_ms = ttl_ms;
	options.app = app;
	return open_with(cli, &options, client, err);
}

int dbl_cli_not_opened(const struct dbl_cli *cli, int rc, const struct dblock_error *err)
{
	/* For who did not give the URL on this line. */
	if (rc >= 0 || !cli->url_from || !err->message[0])
		return dbl_cli_failed(cli, rc, err);
	dbl_cli_error(cli, "%s (the URL is that of %s)", err->message, cli->url_from);
	return dbl_cli_exit(cli, rc);
}

static int open_client(const struct dbl_cli *cli, const struct dblock_client_options *options,
		       struct dblock_client **client)
{
	struct dblock_error err = {0};
	int rc = dbl_cli_need_url(cli);

	if (rc != DBL_EXIT_OK)
		return rc;
	rc = open_with(cli, options, client, &err);
	return rc ? dbl_cli_not_opened(cli, rc, &err) : DBL_EXIT_OK;
}

int dbl_cli_open(const struct dbl_cli *cli, int64_t ttl_ms, struct dblock_client **client)
{
	struct dblock_client_options options = dbl_cli_options(cli);

	options.ttl_ms = ttl_ms;
	return open_client(cli, &options, client);
}

int dbl_cli_open_to_look(const struct dbl_cli *cli, struct dblock_client **client)
{
	struct dblock_client_options options = dbl_cli_options(cli);

	options.observe = 1;
	return open_client(cli, &options, client);
}

int dbl_cli_token(const struct dbl_cli *cli, const char *text, int64_t *token)
{
	char *end;

	errno = 0;
	*token = strtoll(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || *token <= 0)
		return dbl_cli_usage(cli, "'%s' is not a token: a positive decimal number", text);
	return DBL_EXIT_OK;
}
