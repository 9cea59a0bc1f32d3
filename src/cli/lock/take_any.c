/* SPDX-License-Identifier: MIT */
/* Any one of several locks: the lists of names that --any gives. */
#include <stdlib.h>
#include <string.h>

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
	struct names names;
	int rc = DBLOCK_E_NOMEM;

	*lock = NULL;
	err->code = rc;
	strcpy(err->message, "out of memory");
	if (!names_read(&names, any))
		return rc;
	for (size_t i = 0; i < names.n; i++) {
		names.want[i].mode = given->mode;
		names.want[i].permits = given->permits;
		names.want[i].capacity = given->capacity;
	}
	o.mode = DBLOCK_EXCLUSIVE; /* the common mode; each name has its own */
	o.permits = o.capacity = 0;
	o.waiting = NULL;
	nested = nested && !at_once && holds_all(client, &names, given->mode == DBLOCK_EXCLUSIVE);
	rc = (at_once || nested ? dblock_try_any : dblock_acquire_any)(client, names.want, names.n,
								       &o, lock, err);
	free(names.text);
	if (!nested || rc != DBLOCK_BUSY)
		return rc;
	err->code = DBLOCK_DEADLOCK;
	strcpy(err->message,
	       "the runs that this one is inside of hold all of these locks: it would "
	       "wait for itself");
	return DBLOCK_DEADLOCK;
}
