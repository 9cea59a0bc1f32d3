/* SPDX-License-Identifier: MIT */
/* What a call did, as one JSON object. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/migrate/call.h"

const char *dbl_migrate_state(const struct dblock_migration *m)
{
	switch (m->state) {
	case DBLOCK_MIGRATION_PENDING:
		return m->out_of_order ? "out of order" : "pending";
	case DBLOCK_MIGRATION_APPLIED:
		return m->changed ? "changed" : "applied";
	case DBLOCK_MIGRATION_RUNNING:
		return "running";
	case DBLOCK_MIGRATION_STOPPED:
		return "stopped";
	case DBLOCK_MIGRATION_MISSING:
		return m->newer ? "newer" : "missing";
	case DBLOCK_MIGRATION_FAILED:
		return "failed";
	case DBLOCK_MIGRATION_IN_DOUBT:
		return "in doubt";
	case DBLOCK_MIGRATION_REVERTING:
		return "reverting";
	}
	return "?";
}

const char *dbl_migrate_problem_code(enum dblock_migrate_problem_kind kind)
{
	static const char *const codes[] = {
		[DBLOCK_PROBLEM_CHANGED] = "changed",
		[DBLOCK_PROBLEM_MISSING] = "missing",
		[DBLOCK_PROBLEM_NEWER] = "newer",
		[DBLOCK_PROBLEM_OUT_OF_ORDER] = "out of order",
		[DBLOCK_PROBLEM_UNFINISHED] = "unfinished",
		[DBLOCK_PROBLEM_IN_DOUBT] = "in doubt",
		[DBLOCK_PROBLEM_INVALID_INDEX] = "invalid index",
		[DBLOCK_PROBLEM_FILES] = "files",
		[DBLOCK_PROBLEM_EMPTY] = "empty",
		[DBLOCK_PROBLEM_NAME_ORDER] = "name order",
		[DBLOCK_PROBLEM_NOTICE] = "notice",
	};
	const char *code = kind < sizeof(codes) / sizeof(codes[0]) ? codes[kind] : NULL;

	return code ? code : "?";
}

/* Not every reader of JSON has integers as large as a repeatable one's number. */
void dbl_migrate_json_version(json_t *object, int64_t version)
{
	bool repeatable = version >= DBLOCK_MIGRATION_REPEATABLE;

	json_object_set_new(object, "version", repeatable ? json_null() : json_integer(version));
	json_object_set_new(object, "repeatable", json_boolean(repeatable));
}

json_t *dbl_migrate_json(const struct dblock_migration *m)
{
	json_t *object = json_object();

	dbl_migrate_json_version(object, m->version);
	dbl_json_text(object, "name", m->name);
	dbl_json_text(object, "state", dbl_migrate_state(m));
	dbl_json_text(object, "mode", m->stepwise ? "steps" : "transaction");
	dbl_json_number(object, "steps", m->steps);
	dbl_json_number(object, "step_done", m->step_done);
	dbl_json_number(object, "ms", m->took_us / 1000);
	dbl_json_number(object, "rows", m->rows);
	dbl_json_text(object, "checksum", m->checksum);
	dbl_json_time(object, "applied", m->applied_us);
	dbl_json_text(object, "applied_by", m->applied_by);
	dbl_json_text(object, "error", m->error);
	return object;
}

/* ---- the state after the call --------------------------------------------------------------- */

bool dbl_migrate_is_stuck(const struct dblock_migration *m)
{
	return m->state == DBLOCK_MIGRATION_FAILED || m->state == DBLOCK_MIGRATION_IN_DOUBT ||
	       m->state == DBLOCK_MIGRATION_RUNNING || m->state == DBLOCK_MIGRATION_REVERTING ||
	       m->state == DBLOCK_MIGRATION_STOPPED;
}

static bool is_listed(const json_t *migrations, const struct dblock_migration *m)
{
	json_t *wanted = dbl_migrate_json(m), *one;
	bool found = false;
	size_t i;

	json_array_foreach(migrations, i, one)
	{
		found |= json_equal(json_object_get(one, "version"),
				    json_object_get(wanted, "version")) &&
			 json_equal(json_object_get(one, "name"), json_object_get(wanted, "name"));
	}
	json_decref(wanted);
	return found;
}

static int look(void *arg, const struct dblock_migration *m)
{
	struct dbl_migrate_call *call = arg;
	bool ours = is_listed(call->migrations, m);

	if (m->version == call->version && m->state == DBLOCK_MIGRATION_PENDING)
		call->rolled_back = true;
	if (dbl_migrate_is_stuck(m) && !ours)
		json_array_append_new(call->migrations, dbl_migrate_json(m));
	if (!m->applied_us || m->version >= DBLOCK_MIGRATION_REPEATABLE)
		return 0;
	if (m->version > call->to)
		call->to = m->version;
	if (!ours && m->version > call->from)
		call->from = m->version;
	return 0;
}

/* Read which versions are applied now. No migration has version 0. */
static void look_around(struct dbl_migrate_call *call)
{
	struct dblock_migrate_options which = call->which;

	which.to = which.count = 0;
	which.progress = NULL;
	which.warned = NULL;
	call->to = 0;
	if (call->from < 0)
		call->from = 0;
	if (dblock_migrate_status(call->url, &call->options, &which, look, call, NULL))
		call->from = call->to = -1;
}

/* ---- the object ----------------------------------------------------------------------------- */

static void set_or_null(json_t *object, const char *key, bool there, int64_t number)
{
	json_object_set_new(object, key, there ? json_integer(number) : json_null());
}

/* Add file, line and column: the library's messages about a file begin "path:line:col: what". */
static void add_place(json_t *object, const char *what)
{
	const char *colon = strstr(what, ": ");
	char *head = strndup(what, colon ? (size_t)(colon - what) : 0);
	char *col = head ? strrchr(head, ':') : NULL, *line = NULL;
	bool there;

	if (col) {
		*col++ = '\0';
		line = strrchr(head, ':');
	}
	if (line)
		*line++ = '\0';
	there = line && *line && line[strspn(line, "0123456789")] == '\0';
	dbl_json_text(object, "file", there ? head : NULL);
	set_or_null(object, "line", there, there ? strtoll(line, NULL, 10) : 0);
	set_or_null(object, "column", there, there ? strtoll(col, NULL, 10) : 0);
	free(head);
}

/* Add the statement's number, from "...: statement 2 of 5". */
static void add_step(json_t *object, const char *what)
{
	const char *at = strstr(what, ": statement ");
	long long step = 0, steps = 0;
	bool there = at && sscanf(at, ": statement %lld of %lld", &step, &steps) == 2;

	set_or_null(object, "step", there, step);
	set_or_null(object, "steps", there, steps);
}

/* Add all that the message says of what to do, in one line. */
static void add_hint(json_t *object, const struct dbl_migrate_words *words)
{
	char *hint = NULL;
	size_t size;
	FILE *out = words->n_next ? open_memstream(&hint, &size) : NULL;

	for (int i = 0; out && i < words->n_next; i++)
		fprintf(out, "%s%s", i ? " " : "", words->next[i]);
	if (out)
		fclose(out);
	dbl_json_text(object, "hint", hint);
	free(hint);
}

static void add_said(json_t *object, const struct dbl_migrate_words *words)
{
	json_t *said = words->n_said ? json_array() : NULL;

	for (int i = 0; i < words->n_said; i++)
		json_array_append_new(said, json_string(words->said[i]));
	if (said)
		json_object_set_new(object, "said", said);
}

static void add_words(json_t *object, const struct dbl_migrate_call *call, int rc)
{
	const char *message = call->err.message;
	struct dbl_migrate_words words;
	const char *what;

	dbl_migrate_words_read(&words, call, *message ? message : dblock_outcome_text(rc));
	what = words.what ? words.what : "";
	dbl_json_text(object, "message", what);
	add_place(object, what);
	add_step(object, what);
	dbl_json_text(object, "statement", words.statement);
	add_said(object, &words);
	dbl_json_text(object, "state", words.state);
	add_hint(object, &words);
	dbl_migrate_words_free(&words);
}

json_t *dbl_migrate_error(const struct dbl_migrate_call *call, int rc)
{
	const struct dblock_error *err = &call->err;
	json_t *object = json_object();
	bool sent = rc == DBLOCK_E_MIGRATION && call->step > 0;

	dbl_json_text(object, "code", dblock_outcome_name(rc));
	dbl_json_text(object, "sqlstate", err->sqlstate);
	dbl_json_number(object, "native", err->native);
	add_words(object, call, rc);
	set_or_null(object, "version", sent, call->version);
	json_object_set_new(object, "rolled_back",
			    sent ? json_boolean(call->rolled_back) : json_null());
	return object;
}

/* Was a database reached? Not if the files were wrong, or if it did not answer. */
static bool was_there(int rc)
{
	return rc != DBLOCK_E_INVALID && rc != DBLOCK_E_UNAVAILABLE;
}

static json_t *role_of(const struct dbl_migrate_call *call, int rc)
{
	if (call->runs && (call->count || call->step))
		return json_string("runner");
	if (!call->runs || !was_there(rc))
		return json_null();
	return json_string(call->waited_ms ? "waiter" : "fast-path");
}

int dbl_migrate_report(struct dbl_migrate_call *call, int rc)
{
	const char *scope = call->args->which.scope ? call->args->which.scope : "app";
	json_t *object = json_object();

	if (was_there(rc))
		look_around(call);
	json_object_set_new(object, "ok", json_boolean(rc == DBLOCK_OK));
	dbl_json_text(object, "command", call->cli->command->name);
	dbl_json_text(object, "dialect", dbl_migrate_dialect(call->cli));
	dbl_json_text(object, "scope", call->args->own ? "dblock" : scope);
	json_object_set_new(object, "role", role_of(call, rc));
	set_or_null(object, "from", call->runs && call->from >= 0, call->from);
	set_or_null(object, "to", call->to >= 0, call->to);
	dbl_json_number(object, "waited_ms", call->waited_ms);
	json_object_set_new(object, "migrations", call->migrations);
	json_object_set_new(object, "problems", call->problems);
	json_object_set_new(object, "error", rc ? dbl_migrate_error(call, rc) : json_null());
	call->migrations = call->problems = NULL;
	return dbl_json_line(object);
}
