/* SPDX-License-Identifier: MIT */
#include "cli/run/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <dblock/alive.h>

enum { INHERITED_FD = 200 };

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* DBLOCK_TOKENS has a line for each lock, in byte order of their names: its token and its name. Behind
 * them stand those of the runs around us. */
static int set_tokens(const struct dbl_guard *guard)
{
	const char *names[DBLOCK_NAMES_MAX] = {dbl_guard_name(guard)},
		   *outer = getenv("DBLOCK_TOKENS");
	size_t n = guard->also->n + 1, size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return -1;
	for (size_t i = 1; i < n; i++)
		names[i] = guard->also->text[i - 1];
	qsort(names, n, sizeof(*names), by_bytes);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%" PRId64 " %s", i ? "\n" : "", (int64_t)guard->page->tokens[i],
			names[i]);
	if (outer)
		fprintf(out, "\n%s", outer);
	return fclose(out) ? -1 : setenv("DBLOCK_TOKENS", text, 1);
}

/* DBLOCK_PERMIT has the numbers of the permits, as CUDA_VISIBLE_DEVICES takes them: 0,3. */
static int set_permits(const struct dbl_guard *guard)
{
	char text[DBLOCK_NUMBERED_MAX * 21] = "";
	size_t used = 0;

	for (size_t i = 0; i < DBLOCK_NUMBERED_MAX && guard->page->permits[i] >= 0; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%" PRId64,
					 i ? "," : "", (int64_t)guard->page->permits[i]);
	return *text ? setenv("DBLOCK_PERMIT", text, 1) : unsetenv("DBLOCK_PERMIT");
}

/* NULL: the variable stays as it is. */
static int set(const char *name, const char *value)
{
	return value ? setenv(name, value, 1) : 0;
}

/* Set the command's environment. Not 0: there is no memory. Variables of an outer run are removed,
 * as they are not true of this one. */
static int set_environment(const struct dbl_guard *guard)
{
	char token[24];

	snprintf(token, sizeof(token), "%" PRId64, (int64_t)guard->page->token);
	unsetenv("DBLOCK_SLOT");
	return set("DBLOCK_NAME", dbl_guard_name(guard)) || set("DBLOCK_TOKEN", token) ||
	       set("DBLOCK_SLOT", guard->slot) || dbl_cli_set_place(guard->cli) ||
	       set_permits(guard) || set_tokens(guard);
}

/* In the child, before it becomes the command: tell of the error, and exit. */
static _Noreturn void fail(struct dbl_page *page, int error)
{
	page->error = error;
	_exit(DBL_EXIT_NOT_FOUND);
}

/* In the child: let the command, and what comes from it, inherit this descriptor, at a number that no
 * script uses. -1: there is none. */
static void inherit(int alive)
{
	if (alive >= 0 && fcntl(alive, F_DUPFD, INHERITED_FD) < 0)
		fcntl(alive, F_SETFD, 0);
}

/* In the child: execute the command. If the guardian dies, so does it, but not its children. */
static _Noreturn void become(const struct dbl_guard *guard, pid_t guardian, int alive)
{
	struct dbl_page *page = guard->page;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != guardian)
		fail(page, ESRCH);
	if (set_environment(guard))
		fail(page, ENOMEM);
	page->command = getpid();
	if (guard->alive)
		(void)dblock_alive_stay(guard->alive); /* or it is as with flock(1) */
	inherit(alive);
	sigprocmask(SIG_SETMASK, &guard->signals->original, NULL);
	execvp(guard->command[0], guard->command);
	fail(page, errno);
}

pid_t dbl_child_start(const struct dbl_guard *guard)
{
	int alive = guard->alive ? dblock_alive_hand_on(guard->alive) : -1;
	pid_t guardian = getpid(), pid = fork();

	if (pid == 0)
		become(guard, guardian, alive);
	if (pid < 0)
		guard->page->error = errno;
	if (alive >= 0)
		close(alive);
	return pid;
}
