/* SPDX-License-Identifier: MIT */
#include "cli/migrate/call.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/ui/print.h"

/* ---- while it runs -------------------------------------------------------------------------- */

static void erase(struct dbl_migrate_call *call)
{
	if (call->drawn)
		fputs("\r\033[K", stderr);
	call->drawn = false;
}

/* Tell of a wait at most once a second, and not of a short one. */
static void tell_waiting(struct dbl_migrate_call *call, const struct dblock_migrate_progress *p)
{
	char waited[DBL_DURATION_TEXT];

	call->waited_ms = p->waited_ms;
	if (p->waited_ms < call->told_ms)
		call->told_ms = 0;
	if (p->waited_ms - call->told_ms < 1000)
		return;
	call->told_ms = p->waited_ms;
	dbl_duration_text(p->waited_ms / 1000 * 1000, waited);
	erase(call);
	dbl_cli_note(call->cli, "waiting for another process that is migrating%s%s (%s)",
		     p->holder[0] ? ": " : "", p->holder, waited);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Draw which statement is under way, ten times a second at most, and how long the file has taken. */
static void draw(struct dbl_migrate_call *call, const struct dblock_migrate_progress *p)
{
	int64_t now = now_ms();
	char label[DBL_MIGRATE_LABEL];

	if ((p->step == 1 && p->took_ms == 0) || p->version != call->version)
		call->began_ms = now;
	if (call->drawn && now - call->drawn_ms < 100)
		return;
	fprintf(stderr, "\r\033[K%s: statement %" PRId64 " of %" PRId64,
		dbl_migrate_label(label, p->version, p->name), p->step, p->steps);
	if (p->rows > 0)
		fprintf(stderr, ", %" PRId64 " row%s", p->rows, p->rows == 1 ? "" : "s");
	if (now - call->began_ms >= 1000)
		fprintf(stderr, ", %" PRId64 " s", (now - call->began_ms) / 1000);
	if (*p->doing)
		fprintf(stderr, " (%s)", p->doing);
	call->drawn = true;
	call->drawn_ms = now;
}

static void progress(void *arg, const struct dblock_migrate_progress *p)
{
	struct dbl_migrate_call *call = arg;

	if (p->waiting) {
		tell_waiting(call, p);
		return;
	}
	if (call->terminal && (p->steps > 1 || p->took_ms > 0))
		draw(call, p);
	call->version = p->version;
	call->step = p->step;
	call->steps = p->steps;
}

int dbl_migrate_told(void *arg, const struct dblock_migration *m)
{
	struct dbl_migrate_call *call = arg;
	char label[DBL_MIGRATE_LABEL];

	call->count++;
	/* Going down, the first one is the newest. */
	if (m->state != DBLOCK_MIGRATION_APPLIED && m->version > call->from &&
	    m->version < DBLOCK_MIGRATION_REPEATABLE)
		call->from = m->version;
	erase(call);
	if (call->migrations)
		json_array_append_new(call->migrations, dbl_migrate_json(m));
	else if (!call->cli->quiet)
		printf("%s %s (%" PRId64 " statement%s, %" PRId64 " ms)\n", call->did,
		       dbl_migrate_label(label, m->version, m->name), m->steps,
		       m->steps == 1 ? "" : "s", m->took_us / 1000);
	(void)dbl_out_flush(); /* the reader of a log needs the line now */
	return 0;
}

/* ---- beginning and end ---------------------------------------------------------------------- */

/* 0 means the default to the library, but `none` to a person. */
static int64_t zero_is(int64_t none, int64_t ms)
{
	return ms < 0 ? 0 : ms == 0 ? none : ms;
}

/* -V NAME=VALUE, else the environment. */
static const char *variable(void *arg, const char *name)
{
	const struct dbl_migrate_call *call = arg;
	const struct dbl_texts *given = &call->args->variables;
	size_t len = strlen(name);

	for (size_t i = given->n; i > 0; i--) {
		const char *text = given->text[i - 1];

		if (strncmp(text, name, len) == 0 && text[len] == '=')
			return text + len + 1;
	}
	return getenv(name);
}

static int check_variables(const struct dbl_cli *cli, const struct dbl_texts *given)
{
	for (size_t i = 0; i < given->n; i++) {
		if (!strchr(given->text[i], '=') || given->text[i][0] == '=')
			return dbl_cli_usage(cli, "-V %s: write NAME=VALUE", given->text[i]);
	}
	return DBL_EXIT_OK;
}

static void fill(struct dbl_migrate_call *call, const struct dbl_cli *cli, const char *dir)
{
	const struct dbl_migrate_args *args = cli->options;

	*call = (struct dbl_migrate_call){
		.cli = cli,
		.args = args,
		.dir = dir,
		.url = dbl_cli_url(cli),
		.options = dbl_cli_options(cli),
		.which = args->which,
		.did = "applied",
		.terminal = isatty(STDERR_FILENO) && !cli->quiet && !cli->json,
		.from = -1,
		.to = -1,
	};
	call->which.dir = dir;
	call->which.wait_ms = zero_is(DBLOCK_NO_WAIT, args->which.wait_ms);
	call->which.lock_timeout_ms = zero_is(DBLOCK_FOREVER, args->which.lock_timeout_ms);
	call->which.progress = progress;
	call->which.progress_arg = call;
	call->which.canceled = dbl_cancel_asked;
	call->which.canceled_arg = &call->cancel;
	call->which.variable = variable;
	call->which.variable_arg = call;
}

int dbl_migrate_begin(struct dbl_migrate_call *call, const struct dbl_cli *cli)
{
	const struct dbl_migrate_args *args = cli->options;
	const char *dir;
	int code = dbl_migrate_where(cli, &dir);

	if (code == DBL_EXIT_OK)
		code = check_variables(cli, &args->variables);
	if (code == DBL_EXIT_OK && !args->files_only)
		code = dbl_cli_need_url(cli);
	fill(call, cli, dir);
	if (code == DBL_EXIT_OK && cli->json) {
		call->migrations = json_array();
		call->problems = json_array();
	}
	return code;
}

int dbl_migrate_begin_database(struct dbl_migrate_call *call, const struct dbl_cli *cli)
{
	fill(call, cli, NULL);
	return dbl_cli_need_url(cli);
}

int dbl_migrate_look(struct dbl_migrate_call *call, dblock_migration_cb *found, void *arg)
{
	return dblock_migrate_status(call->url, &call->options, &call->which, found, arg,
				     &call->err);
}

static int take_warning(void *call, const struct dblock_migrate_problem *problem)
{
	dbl_migrate_problem(call, problem);
	return 0;
}

void dbl_migrate_warn(struct dbl_migrate_call *call)
{
	call->which.warned = take_warning;
	call->which.warned_arg = call;
}

void dbl_migrate_run(struct dbl_migrate_call *call)
{
	call->runs = true;
	dbl_cancel_begin(&call->cancel, call->cli);
}

static void say_problem(const struct dbl_migrate_call *call, const struct dblock_migrate_problem *p)
{
	char *exact = dbl_migrate_exact(call, p->detail);
	char *safe = exact ? dbl_text_safe(exact) : NULL;
	char label[DBL_MIGRATE_LABEL] = "";

	if (p->version)
		dbl_migrate_label(label, p->version, p->name);
	if (safe && !(p->harmless && call->cli->quiet))
		fprintf(stderr, "%s: %s: %s%s%s\n", p->harmless ? "warning" : "error",
			dbl_migrate_problem_code(p->kind), label, p->version ? ": " : "", safe);
	free(safe);
	free(exact);
}

void dbl_migrate_problem(struct dbl_migrate_call *call, const struct dblock_migrate_problem *p)
{
	json_t *object;

	if (!call->problems) {
		erase(call);
		say_problem(call, p);
		return;
	}
	object = json_object();
	dbl_json_text(object, "code", dbl_migrate_problem_code(p->kind));
	if (p->version)
		dbl_migrate_json_version(object, p->version);
	else
		json_object_set_new(object, "version", json_null());
	dbl_json_text(object, "name", p->name);
	json_object_set_new(object, "harmless", json_boolean(p->harmless));
	dbl_json_text(object, "detail", p->detail);
	json_array_append_new(call->problems, object);
}

void dbl_migrate_say_failure(const struct dbl_migrate_call *call, int rc)
{
	const char *message = call->err.message;
	struct dbl_migrate_words words;

	dbl_migrate_words_read(&words, call, *message ? message : dblock_outcome_text(rc));
	dbl_migrate_words_print(&words, call->terminal);
	dbl_migrate_words_free(&words);
}

int dbl_migrate_end_with(struct dbl_migrate_call *call, int rc, int code)
{
	dbl_cancel_end(&call->cancel);
	erase(call);
	if (rc)
		dbl_migrate_say_failure(call, rc);
	if (call->migrations && dbl_migrate_report(call, rc))
		return DBL_EXIT_INTERNAL;
	return code;
}

/* The database does not exist: for the library the URL is wrong, here it has yet to be made. */
static bool lacks_database(const struct dbl_migrate_call *call, int rc)
{
	return rc == DBLOCK_E_INVALID &&
	       (strcmp(call->err.sqlstate, "3D000") == 0 || call->err.native == 1049);
}

int dbl_migrate_end(struct dbl_migrate_call *call, int rc)
{
	int code = lacks_database(call, rc) ? DBL_EXIT_MIGRATE_NO_DATABASE
					    : dbl_cli_exit(call->cli, rc);

	return dbl_migrate_end_with(call, rc, code);
}

/* ---- asking --------------------------------------------------------------------------------- */

static bool said_yes(void)
{
	char answer[16];

	return fgets(answer, sizeof(answer), stdin) &&
	       (strcmp(answer, "y\n") == 0 || strcmp(answer, "yes\n") == 0);
}

/* End as a call that never began. */
static int refuse(struct dbl_migrate_call *call, const char *why)
{
	snprintf(call->err.message, sizeof(call->err.message),
		 "%s\nstate: nothing was done\nnext:  run the same command with --yes", why);
	return dbl_migrate_end(call, DBLOCK_E_INVALID);
}

int dbl_migrate_ask(struct dbl_migrate_call *call, const char *question)
{
	if (call->args->yes)
		return DBL_EXIT_OK;
	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return refuse(call, "there is no terminal to ask on");
	fprintf(stderr, "%s [y/N] ", question);
	fflush(stderr);
	return said_yes() ? DBL_EXIT_OK : refuse(call, "that was no 'y'");
}
