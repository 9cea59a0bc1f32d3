/* SPDX-License-Identifier: MIT */
#include "cli/run/child.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "cli/ui/exits.h"

enum { TOKEN_ROOM = 48, OWN_MAX = 7 };

/* Our environment with some more variables in it. */
struct environment {
	char *own[OWN_MAX];
	size_t n;
	bool failed;
	char **list;
};

static void add(struct environment *env, const char *name, const char *value)
{
	char *text;

	if (asprintf(&text, "%s=%s", name, value) < 0)
		env->failed = true;
	else
		env->own[env->n++] = text;
}

static bool same_name(const char *a, const char *b)
{
	size_t len = strcspn(a, "=");

	return len == strcspn(b, "=") && strncmp(a, b, len) == 0;
}

/* What an outer run has set is not true of this one; what this one sets goes before. */
static bool is_over(const struct environment *env, const char *variable)
{
	static const char *const ours[] = {"DBLOCK_NAME", "DBLOCK_TOKEN", "DBLOCK_TOKENS",
					   "DBLOCK_SLOT"};
	bool over = false;

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		over = over || same_name(ours[i], variable);
	for (size_t i = 0; i < env->n; i++)
		over = over || same_name(env->own[i], variable);
	return over;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A line for each lock, in byte order of their names: its token and its name. */
static char *all_tokens(const struct dbl_guard *guard)
{
	const char *names[DBLOCK_NAMES_MAX] = {guard->name};
	size_t n = guard->also->n + 1, used, room = 1;
	char *text;

	for (size_t i = 1; i < n; i++)
		names[i] = guard->also->text[i - 1];
	qsort(names, n, sizeof(*names), by_bytes);
	for (size_t i = 0; i < n; i++)
		room += strlen(names[i]) + TOKEN_ROOM;
	text = malloc(room);
	used = 0;
	for (size_t i = 0; text && i < n; i++)
		used += (size_t)snprintf(text + used, room - used, "%s%" PRId64 " %s",
					 i ? "\n" : "", (int64_t)guard->page->tokens[i], names[i]);
	return text;
}

/* Where its own `dblock` finds the same locks: what was said by options, which it does not see. A
 * URL from elsewhere it finds there itself; the password of a file is not for the environment. */
static void add_place(struct environment *env, const struct dbl_cli *cli)
{
	if (cli->url && !cli->url_from)
		add(env, "DBLOCK_URL", cli->url);
	if (cli->schema)
		add(env, "DBLOCK_SCHEMA", cli->schema);
	if (cli->prefix)
		add(env, "DBLOCK_PREFIX", cli->prefix);
}

static void add_own(struct environment *env, const struct dbl_guard *guard)
{
	char token[TOKEN_ROOM];
	char *tokens;

	snprintf(token, sizeof(token), "%" PRId64, (int64_t)guard->page->token);
	add(env, "DBLOCK_NAME", guard->name);
	add(env, "DBLOCK_TOKEN", token);
	if (guard->slot)
		add(env, "DBLOCK_SLOT", guard->slot);
	add_place(env, guard->cli);
	if (!guard->also || guard->also->n == 0)
		return;
	tokens = all_tokens(guard);
	if (tokens)
		add(env, "DBLOCK_TOKENS", tokens);
	else
		env->failed = true;
	free(tokens);
}

static bool fill_environment(struct environment *env, const struct dbl_guard *guard)
{
	size_t n = 0;

	*env = (struct environment){0};
	add_own(env, guard);
	while (environ[n])
		n++;
	env->list = calloc(n + env->n + 1, sizeof(*env->list));
	if (!env->list || env->failed)
		return false;
	n = 0;
	for (char **variable = environ; *variable; variable++)
		if (!is_over(env, *variable))
			env->list[n++] = *variable;
	memcpy(env->list + n, env->own, env->n * sizeof(*env->own));
	return true;
}

static void free_environment(struct environment *env)
{
	for (size_t i = 0; i < env->n; i++)
		free(env->own[i]);
	free(env->list);
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

	if (fill_environment(&env, guard)) {
		pid = fork();
		if (pid == 0)
			become(guard, guardian, env.list);
		if (pid < 0)
			guard->page->error = errno;
	} else {
		guard->page->error = ENOMEM;
	}
	free_environment(&env);
	return pid;
}
