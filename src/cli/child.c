/* SPDX-License-Identifier: MIT */
#include "child.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "exits.h"

enum {
	NAME_ROOM = DBLOCK_NAME_MAX + sizeof("DBLOCK_NAME="),
	TOKEN_ROOM = 48,
	SLOT_ROOM = DBLOCK_SLOT_MAX + sizeof("DBLOCK_SLOT=")
};

/* Our environment with some more variables in it. */
struct environment {
	char name[NAME_ROOM];
	char token[TOKEN_ROOM];
	char slot[SLOT_ROOM];
	char *tokens; /* of several locks; or NULL */
	char **list;
};

static bool is_ours(const char *variable)
{
	return strncmp(variable, "DBLOCK_NAME=", sizeof("DBLOCK_NAME=") - 1) == 0 ||
	       strncmp(variable, "DBLOCK_TOKEN=", sizeof("DBLOCK_TOKEN=") - 1) == 0 ||
	       strncmp(variable, "DBLOCK_TOKENS=", sizeof("DBLOCK_TOKENS=") - 1) == 0 ||
	       strncmp(variable, "DBLOCK_SLOT=", sizeof("DBLOCK_SLOT=") - 1) == 0;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A line for each lock, in byte order of their names: its token and its name. */
static char *all_tokens(const struct dbl_guard *guard)
{
	const char *names[DBLOCK_NAMES_MAX] = {guard->name};
	size_t n = guard->also->n + 1, used, room = sizeof("DBLOCK_TOKENS=");
	char *text;

	for (size_t i = 1; i < n; i++)
		names[i] = guard->also->text[i - 1];
	qsort(names, n, sizeof(*names), by_bytes);
	for (size_t i = 0; i < n; i++)
		room += strlen(names[i]) + TOKEN_ROOM;
	text = malloc(room);
	used = text ? (size_t)snprintf(text, room, "DBLOCK_TOKENS=") : 0;
	for (size_t i = 0; text && i < n; i++)
		used += (size_t)snprintf(text + used, room - used, "%s%" PRId64 " %s",
					 i ? "\n" : "", (int64_t)guard->page->tokens[i], names[i]);
	return text;
}

static bool fill_environment(struct environment *env, const struct dbl_guard *guard)
{
	int64_t token = guard->page->token;
	size_t n = 0;

	while (environ[n])
		n++;
	env->list = calloc(n + 5, sizeof(*env->list));
	env->tokens = guard->also && guard->also->n ? all_tokens(guard) : NULL;
	if (!env->list || (guard->also && guard->also->n && !env->tokens)) {
		free(env->list);
		return false;
	}
	snprintf(env->name, sizeof(env->name), "DBLOCK_NAME=%s", guard->name);
	snprintf(env->token, sizeof(env->token), "DBLOCK_TOKEN=%" PRId64, token);
	n = 0;
	for (char **variable = environ; *variable; variable++)
		if (!is_ours(*variable))
			env->list[n++] = *variable;
	env->list[n++] = env->name;
	env->list[n++] = env->token;
	if (env->tokens)
		env->list[n++] = env->tokens;
	if (!guard->slot)
		return true;
	snprintf(env->slot, sizeof(env->slot), "DBLOCK_SLOT=%s", guard->slot);
	env->list[n] = env->slot;
	return true;
}

/* In the child. If the guardian dies, so does the command, at once; not so its own children. */
static _Noreturn void become(const struct dbl_guard *guard, pid_t guardian, char **environment)
{
	struct dbl_page *page = guard->page;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != guardian) {
		page->error = ESRCH;
		_exit(DBL_EXIT_NOT_FOUND);
	}
	page->command = getpid();
	sigprocmask(SIG_SETMASK, &guard->signals->original, NULL);
	execvpe(guard->command[0], guard->command, environment);
	page->error = errno;
	_exit(DBL_EXIT_NOT_FOUND);
}

pid_t dbl_child_start(const struct dbl_guard *guard)
{
	struct environment env;
	pid_t guardian = getpid();
	pid_t pid = -1;

	errno = ENOMEM;
	if (fill_environment(&env, guard)) {
		pid = fork();
		if (pid == 0)
			become(guard, guardian, env.list);
		free(env.tokens);
		free(env.list);
	}
	if (pid < 0)
		guard->page->error = errno;
	return pid;
}
