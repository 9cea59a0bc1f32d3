/* SPDX-License-Identifier: MIT */
/* Any one of several locks: the lists of names that --any gives. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dblock/pool.h>

#include "cli/lock/take.h"

/* Names that the lists have, in their order. */
struct names {
	char *text; /* in which they lie */
	struct dblock_lock_spec want[DBLOCK_NAMES_MAX];
	size_t n;
	const char *problem;
};

/* Copies a name up to its comma, `\\` before a comma or itself stands for just that. Returns what is behind. */
static const char *copy_name(const char *at, char **to)
{
	while (*at && *at != ',') {
		if (*at == '\\' && (at[1] == ',' || at[1] == '\\'))
			at++;
		*(*to)++ = *at++;
	}
	*(*to)++ = '\0';
	return at;
}

static void add_list(struct names *names, const char *list, char **to)
{
	for (;; list++) {
		const char *name = *to;

		list = copy_name(list, to);
		if (!*name)
			names->problem = "has an empty name";
		else if (names->n == DBLOCK_NAMES_MAX)
			names->problem = "has more names than one call takes: they are 64 at most";
		else
			names->want[names->n++].name = name;
		if (!*list || names->problem)
			return;
	}
}

/* False: there is no memory. The text is to be freed. */
static bool names_read(struct names *names, const struct dbl_texts *any)
{
	size_t size = 1;
	char *to;

	*names = (struct names){0};
	for (size_t i = 0; i < any->n; i++)
		size += strlen(any->text[i]) + 1;
	to = names->text = malloc(size);
	for (size_t i = 0; to && i < any->n && !names->problem; i++)
		add_list(names, any->text[i], &to);
	return names->text;
}

int dbl_any_check(const struct dbl_cli *cli, const struct dbl_texts *any)
{
	struct names names;
	int code = DBL_EXIT_OK;

	if (!names_read(&names, any))
		return DBL_EXIT_INTERNAL;
	for (size_t i = 0; i < any->n && names.problem && code == DBL_EXIT_OK; i++)
		code = dbl_cli_usage(cli, "--any '%s' %s; write names with commas between them",
				     any->text[any->n == 1 ? 0 : i], names.problem);
	free(names.text);
	return code;
}

/* ---- pools ----------------------------------------------------------------------------------- */

/* Whose members any one is asked for, those that are not drained. */
static const char *pool_of(const char *name)
{
	static const char label[] = "pool:";

	return strncmp(name, label, strlen(label)) == 0 ? name + strlen(label) : NULL;
}

struct members {
	struct names *names;
	size_t n; /* of this pool */
	bool no_memory;
};

static bool is_named(const struct names *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (strcmp(names->want[i].name, name) == 0)
			return true;
	return false;
}

/* Not 0: there is no memory. */
static int add_name(struct names *names, const char *text)
{
	char *name = strdup(text);

	if (name)
		names->want[names->n++].name = name;
	return !name;
}

/* One may be in several pools; more than one call takes are not asked for. */
static int add_member(void *arg, const struct dblock_pool_member *m)
{
	struct members *members = arg;
	struct names *names = members->names;

	if (m->drained || names->n == DBLOCK_NAMES_MAX)
		return 0;
	members->n++;
	members->no_memory = !is_named(names, m->name) && add_name(names, m->name);
	return members->no_memory;
}

static int add_pool(struct dblock_client *client, const char *pool, struct names *names,
		    struct dblock_error *err)
{
	struct members members = {.names = names};
	int rc = dblock_pool_members(client, pool, add_member, &members, err);

	if (members.no_memory || rc)
		return members.no_memory ? DBLOCK_E_NOMEM : rc;
	if (members.n)
		return DBLOCK_OK;
	err->code = DBLOCK_E_INVALID;
	snprintf(err->message, sizeof(err->message),
		 "the pool '%s' has no member that is not drained: `dblock pool add '%s' NAME...`",
		 pool, pool);
	return DBLOCK_E_INVALID;
}

/* In place of each label stand the members of its pool. To be freed by names_free(), whatever this returns. */
static int names_find(struct dblock_client *client, const struct names *written,
		      struct names *names, struct dblock_error *err)
{
	int rc = DBLOCK_OK;

	*names = (struct names){0};
	for (size_t i = 0; i < written->n && rc == DBLOCK_OK; i++) {
		const char *name = written->want[i].name, *pool = pool_of(name);

		if (pool)
			rc = add_pool(client, pool, names, err);
		else if (names->n == DBLOCK_NAMES_MAX || add_name(names, name))
			rc = DBLOCK_E_NOMEM;
	}
	return rc;
}

static void names_free(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free((void *)(uintptr_t)names->want[i].name);
}

/* ---- taking one ------------------------------------------------------------------------------ */

static bool holds_all(struct dblock_client *client, const struct names *names, bool exclusive)
{
	for (size_t i = 0; i < names->n; i++)
		if (!dbl_nested_holds(client, names->want[i].name, exclusive))
			return false;
	return true;
}

int dbl_any_take(struct dblock_client *client, const struct dbl_texts *any,
		 const struct dblock_acquire_options *given, bool at_once, bool nested,
		 struct dblock_lock **lock, struct dblock_error *err)
{
	struct dblock_acquire_options o = *given;
	struct names written, names;
	int rc = DBLOCK_E_NOMEM;

	*lock = NULL;
	err->code = rc;
	strcpy(err->message, "out of memory");
	if (!names_read(&written, any))
		return rc;
	rc = names_find(client, &written, &names, err);
	for (size_t i = 0; i < names.n; i++) {
		names.want[i].mode = given->mode;
		names.want[i].permits = given->permits;
		names.want[i].capacity = given->capacity;
	}
	o.mode = DBLOCK_EXCLUSIVE; /* the common mode; each name has its own */
	o.permits = o.capacity = 0;
	o.waiting = NULL;
	nested = nested && !at_once && rc == DBLOCK_OK &&
		 holds_all(client, &names, given->mode == DBLOCK_EXCLUSIVE);
	if (rc == DBLOCK_OK)
		rc = (at_once || nested ? dblock_try_any : dblock_acquire_any)(
			client, names.want, names.n, &o, lock, err);
	names_free(&names);
	free(written.text);
	if (!nested || rc != DBLOCK_BUSY)
		return rc;
	err->code = DBLOCK_DEADLOCK;
	strcpy(err->message,
	       "the runs that this one is inside of hold all of these locks: it would "
	       "wait for itself");
	return DBLOCK_DEADLOCK;
}
