/* SPDX-License-Identifier: MIT */
/* dblock migrate plan: what `up` would do. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/migrate/call.h"

static const char about[] =
	"Says what `up` would do, in order: each migration, whether it is one transaction or step\n"
	"by step, how many statements, and which of them lose rows, break running programs, block\n"
	"others, or have to wait. Writes nothing.\n"
	"\n"
	"--strict, for CI: exit code 1 if a statement does any of the first three, unless a line\n"
	"right above it allows it: -- dblock:allow RULE reason. Tables that the plan itself makes\n"
	"do not count.\n"
	"\n"
	"--sql prints a script for the database's own client instead, for somebody else to run:\n"
	"the rows of the history are in it, so that `up` finds afterwards what was done. Run it\n"
	"with psql -v ON_ERROR_STOP=1, with mysql, or with sqlite3 -bail, which stop at the first\n"
	"error. Run again, it stops before it has done anything.\n";

static const struct dbl_arg args[] = {
	DBL_MIGRATE_SQL,
	DBL_MIGRATE_FLAG("strict", which.strict,
			 "what loses, breaks or blocks something is wrong, and exit code 1"),
	DBL_MIGRATE_TO("no further than this migration"),
	DBL_MIGRATE_COUNT("at most so many"),
	DBL_MIGRATE_OUT_OF_ORDER("also those below one that is applied"),
	DBL_MIGRATE_TABLES,
	{0},
};

static void print(const struct dblock_migrate_planned *p)
{
	char label[DBL_MIGRATE_LABEL];

	printf("%s: %" PRId64 " statement%s, %s", dbl_migrate_label(label, p->version, p->name),
	       p->steps, p->steps == 1 ? "" : "s",
	       p->stepwise ? "step by step" : "one transaction");
	if (p->step_done)
		printf(", from statement %" PRId64 " on", p->step_done + 1);
	putchar('\n');
	for (size_t i = 0; i < p->n_statements; i++) {
		const struct dblock_migrate_statement *s = &p->statements[i];

		if (s->rule[0])
			printf("  %s:%" PRId64 ": %s: %s\n", p->path, s->line, s->rule, s->hint);
	}
}

static const char *const severities[] = {
	[DBLOCK_SEVERITY_WAITS] = "waits",
	[DBLOCK_SEVERITY_BLOCKS] = "blocks",
	[DBLOCK_SEVERITY_BREAKS] = "breaks",
	[DBLOCK_SEVERITY_LOSES] = "loses",
};

static json_t *json_of_statement(const struct dblock_migrate_statement *s)
{
	json_t *object = json_object();

	dbl_json_number(object, "line", s->line);
	dbl_json_text(object, "text", s->text);
	dbl_json_text(object, "hint", s->hint);
	dbl_json_text(object, "rule", s->rule[0] ? s->rule : NULL);
	dbl_json_text(object, "severity", severities[s->severity]);
	return object;
}

static json_t *json_of(const struct dblock_migrate_planned *p, bool sql)
{
	json_t *object = json_object(), *statements = json_array();

	dbl_migrate_json_version(object, p->version);
	dbl_json_text(object, "name", p->name);
	dbl_json_text(object, "state", "pending");
	dbl_json_text(object, "file", p->path);
	dbl_json_text(object, "mode", p->stepwise ? "steps" : "transaction");
	dbl_json_number(object, "steps", p->steps);
	dbl_json_number(object, "step_done", p->step_done);
	for (size_t i = 0; i < p->n_statements; i++)
		json_array_append_new(statements, json_of_statement(&p->statements[i]));
	json_object_set_new(object, "statements", statements);
	if (sql)
		dbl_json_text(object, "script", p->script);
	return object;
}

static int planned(void *arg, const struct dblock_migrate_planned *p)
{
	struct dbl_migrate_call *call = arg;

	call->count++;
	if (call->migrations)
		json_array_append_new(call->migrations, json_of(p, call->args->sql));
	else if (call->args->sql)
		printf("%s%s", call->count > 1 ? "\n" : "", p->script);
	else
		print(p);
	return 0;
}

static int run(struct dbl_cli *cli)
{
	struct dbl_migrate_call call;
	int rc, code = dbl_migrate_begin(&call, cli);

	if (code != DBL_EXIT_OK)
		return code;
	dbl_migrate_warn(&call);
	rc = dblock_migrate_plan(call.url, &call.options, &call.which, planned, &call, &call.err);
	if (rc == DBLOCK_OK && !call.count)
		dbl_cli_note(cli, "nothing to do: all migrations are applied");
	return dbl_migrate_end(&call, rc);
}

const struct dbl_command dbl_migrate_command_plan = {
	.name = "plan",
	.usage = "[--dir DIR] [--sql] [--strict]",
	.summary = "say what `up` would do",
	.about = about,
	.args = args,
	.run = run,
};
