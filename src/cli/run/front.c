/* SPDX-License-Identifier: MIT */
#include "cli/run/guard.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static bool in_our_group(pid_t pid)
{
	return pid > 0 && getpgid(pid) == getpgrp();
}

/* Has the process that we would pass the signal to got it already? The terminal sends ^C and ^\ to
 * the whole foreground group: to the keeper while it waits for the lock, then to the command. */
static bool had_it_too(const struct dbl_guard *guard, const siginfo_t *info, pid_t keeper)
{
	return info->si_code == SI_KERNEL &&
	       (info->si_signo == SIGINT || info->si_signo == SIGQUIT) &&
	       (in_our_group(keeper) || in_our_group(guard->page->command));
}

/* The keeper was killed. The guardian, our child now, is ending the command; if it is dead as well,
 * we end it. */
static int bereaved(const struct dbl_guard *guard, int signo)
{
	struct dbl_page *page = guard->page;
	pid_t spared = 0;

	if (page->guardian) {
		kill(page->guardian, SIGCONT); /* somebody may have stopped it */
		waitpid(page->guardian, NULL, 0);
	}
	dbl_tree_end(&spared);
	if (spared)
		page->spared = spared;
	dbl_guard_outlast(guard);
	if (page->order == DBL_ORDER_NONE) {
		dbl_cli_error(guard->cli, "its keeper was killed by signal %d", signo);
		return DBL_EXIT_SIGNAL + signo;
	}
	if (page->outcome == DBL_OUTCOME_NONE)
		page->outcome = DBL_OUTCOME_LOST;
	return dbl_guard_code(guard, "its keeper was killed");
}

int dbl_front(const struct dbl_guard *guard, pid_t keeper)
{
	dbl_guard_drop_stdio(1);
	dbl_guard_close_rest(guard);
	return dbl_front_term(guard, keeper);
}

/* How to exit with this code: see dbl_signals_end(). A signal that came after the command's end is
 * for us alone, as it would be for a shell. */
static int as_it_ended(const struct dbl_guard *guard, int late, int code)
{
	const struct dbl_page *page = guard->page;
	bool ended = page->outcome == DBL_OUTCOME_COMMAND;

	if (ended && WIFSIGNALED(page->status))
		guard->signals->fatal = WTERMSIG(page->status);
	else if (ended && late) {
		guard->signals->fatal = late;
		return DBL_EXIT_SIGNAL + late;
	} else {
		guard->signals->fatal = page->caught;
	}
	return code;
}

int dbl_front_term(const struct dbl_guard *guard, pid_t keeper)
{
	siginfo_t info;
	int status, late = 0;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* While the keeper waits in our job, ^Z may stop it. */
	while (!dbl_guard_ended(keeper, guard->page->order != DBL_ORDER_NONE, &status)) {
		int signo;

		if (guard->page->kept)
			return as_it_ended(guard, late, dbl_guard_code(guard, ""));
		signo = dbl_guard_sleep(guard, -1, &info);
		if (signo <= 0 || signo == SIGCHLD || had_it_too(guard, &info, keeper))
			continue;
		if (guard->page->outcome == DBL_OUTCOME_COMMAND)
			late = signo;
		kill(keeper, signo);
	}
	if (WIFSIGNALED(status))
		return bereaved(guard, WTERMSIG(status));
	return as_it_ended(guard, late, WEXITSTATUS(status));
}
