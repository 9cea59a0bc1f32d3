/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/migrate/call.h"

static bool said_yes(void)
{
	char answer[16];

	return fgets(answer, sizeof(answer), stdin) &&
	       (strcmp(answer, "y\n") == 0 || strcmp(answer, "yes\n") == 0);
}

/* As a call that never began. */
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
