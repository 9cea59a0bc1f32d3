/* SPDX-License-Identifier: MIT */
#include "cli/run/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <dblock/alive.h>

/* Out of the way of the descriptors that are for input and output. */
enum { ALIVE_FD = 100 };

/* 0: there is none. */
static int make_alive(void)
{
	int low = dblock_alive_new(), high = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, ALIVE_FD);

	if (low >= 0)
		close(low);
	return high > 0 ? high : 0;
}

bool dbl_guard_init(struct dbl_guard *guard, const struct dbl_cli *cli, struct dbl_signals *signals,
		    char *const *command)
{
	void *page = mmap(NULL, sizeof(struct dbl_page), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return false;
	*guard = (struct dbl_guard){.page = page,
				    .alive = make_alive(),
				    .cli = cli,
				    .signals = signals,
				    .name = cli->words.word[0],
				    .command = command,
				    .front = getpid()};
	return true;
}

void dbl_guard_fini(struct dbl_guard *guard)
{
	if (guard->alive)
		close(guard->alive);
	munmap(guard->page, sizeof(struct dbl_page));
}

void dbl_guard_close_rest(const struct dbl_guard *guard)
{
	unsigned kept = (unsigned)guard->alive;

	if (kept > 3)
		close_range(3, kept - 1, 0);
	close_range(kept >= 3 ? kept + 1 : 3, ~0U, 0);
}

void dbl_guard_outlast(const struct dbl_guard *guard)
{
	const struct timespec a_while = {0, 50000000};
	int64_t end = guard->page->deadline + guard->margin;
	pid_t spared = guard->page->spared;

	while (spared && dbl_now_us() < end && (kill(spared, 0) == 0 || errno == EPERM))
		nanosleep(&a_while, NULL);
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* The library's margin: see dblock_valid(). */
static int64_t margin_of(int64_t term_ms)
{
	return most(100, term_ms / 10);
}

/* The time in which a heartbeat that is due has to succeed. */
static int64_t spare_of(int64_t term_ms)
{
	return most(term_ms - margin_of(term_ms) - term_ms / 3, 0);
}

/*
 *  the lock's time, from the heartbeat that was sent last
 *
 *  0             term/3                                 term - margin          term
 *  |---------------|---------------|------------------|-----|------------------|
 *  sent       next heartbeat      TERM at the       KILL at the    others may get in
 *                                 earliest          latest ^ our deadline
 *
 * TERM comes kill_after before KILL, but not in the first half of the time that a heartbeat has to
 * succeed in: one that fails, or is slow, costs no healthy command its life.
 *
 * Of a lease that is taken away nobody waits for the end: once our client has said that it knows,
 * others wait for a ttl.
 */
void dbl_guard_plan(struct dbl_guard *guard, int64_t ttl_ms, int64_t lease_ms,
		    int64_t kill_after_ms)
{
	const int64_t ms = 1000;
	int64_t term_ms = lease_ms ? lease_ms : ttl_ms;

	guard->lease = lease_ms > 0;
	guard->margin = margin_of(term_ms) * ms;
	guard->tick = least(most(term_ms / 10, 10), 1000) * ms;
	guard->life = (term_ms - margin_of(term_ms)) * ms;
	guard->grace = (ttl_ms - margin_of(ttl_ms)) * ms;
	guard->kill_after = kill_after_ms * ms;
	guard->kill_left = least(100 * ms, spare_of(least(term_ms, ttl_ms)) * ms / 8);
	guard->term_left = least(guard->kill_after + guard->kill_left, spare_of(term_ms) * ms / 2);
}

/* The time for the command's end is half of (1 - 1/10 - 1/3) of the lock's time, less kill_left. */
int64_t dbl_guard_enough(int64_t kill_after_ms)
{
	return most((kill_after_ms + 100) * 60 / 17, 1000) + 1000;
}

/* A tenth of it is the margin, at least 100 ms, and 100 ms are kill_left. */
int64_t dbl_guard_enough_ttl(int64_t kill_after_ms)
{
	return most((kill_after_ms + 100) * 10 / 9, 1000) + 1000;
}

int dbl_guard_sleep(const struct dbl_guard *guard, int64_t us, siginfo_t *info)
{
	struct timespec time = {(time_t)(us / 1000000), us % 1000000 * 1000};
	sigset_t set = guard->signals->ours;

	sigaddset(&set, SIGCHLD);
	return sigtimedwait(&set, info, us < 0 ? NULL : &time);
}

bool dbl_guard_ended(pid_t pid, bool go_on, int *status)
{
	if (waitpid(pid, status, WNOHANG | WUNTRACED) != pid)
		return false;
	if (WIFSTOPPED(*status) && go_on)
		kill(pid, SIGCONT);
	return !WIFSTOPPED(*status);
}

void dbl_guard_drop_stdio(int last)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; null >= 0 && fd <= last; fd++)
		dup2(null, fd);
	if (null > last)
		close(null);
}

bool dbl_guard_follow(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGCHLD);
	return getppid() == parent;
}

/* Is it one word that looks like a command line for a shell? */
static bool is_line(char *const *command)
{
	return strpbrk(command[0], " \t;|&<>") && !strchr(command[0], '/') && !command[1];
}

static int failed_code(const struct dbl_guard *guard)
{
	int error = guard->page->error;

	dbl_cli_error(guard->cli, "%s: %s%s", guard->command[0], strerror(error),
		      error == ENOENT && is_line(guard->command)
			      ? "; a line for a shell wants -c before it, or sh -c"
			      : "");
	if (!guard->page->command)
		return DBL_EXIT_INTERNAL;
	return error == ENOENT ? DBL_EXIT_NOT_FOUND : DBL_EXIT_CANNOT_RUN;
}

int dbl_guard_code(const struct dbl_guard *guard, const char *why)
{
	int status = guard->page->status;
	pid_t spared = guard->page->spared;

	if (spared)
		dbl_cli_error(guard->cli, "process %d may not be ended by us: it goes on",
			      (int)spared);
	switch (atomic_load(&guard->page->outcome)) {
	case DBL_OUTCOME_COMMAND:
		return WIFSIGNALED(status) ? DBL_EXIT_SIGNAL + WTERMSIG(status)
					   : WEXITSTATUS(status);
	case DBL_OUTCOME_FAILED:
		return failed_code(guard);
	case DBL_OUTCOME_LATE:
		dbl_cli_error(guard->cli, "lock '%s' was lost before the command began: %s",
			      dbl_guard_name(guard), why);
		return DBL_EXIT_LOST;
	case DBL_OUTCOME_LOST:
		dbl_cli_error(guard->cli,
			      "lock '%s' was lost while the command ran: %s; the command was ended",
			      dbl_guard_name(guard), why);
		return DBL_EXIT_LOST;
	case DBL_OUTCOME_LEFT:
		dbl_cli_error(guard->cli, "pid %d was killed; its command was ended",
			      (int)guard->front);
		return DBL_EXIT_INTERNAL;
	default:
		dbl_cli_error(guard->cli, "the guardian was killed; the command was ended");
		return DBL_EXIT_INTERNAL;
	}
}
