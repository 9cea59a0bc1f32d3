/* SPDX-License-Identifier: MIT */
/*
 * A command is run for each message. Its standard input is a file in memory, so it may read all of it, or a part, or
 * nothing, and we need not write while it reads. If we die, so does it: whoever delivers next does not do it beside it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/outbox/outbox.h"

enum { TEMPORARILY_NOT = 75, NEVER = 65 }; /* EX_TEMPFAIL, EX_DATAERR */
enum { KILL_AFTER_MS = 5000, WITH_US_MS = 100 };

/* Whether it was delivered is not known. */
#define NOT_DELIVERED DBLOCK_E_UNSURE

/* What the process has that becomes the command. */
struct child {
	const struct dbl_consumer *consumer;
	const struct dblock_message *message;
	int input;
	volatile int *error; /* shared with us: why it could not be started */
};

static int fail(struct dblock_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int fail(struct dblock_error *err, int code, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	err->code = code;
	vsnprintf(err->message, sizeof(err->message), fmt, args);
	va_end(args);
	return code;
}

/* ---- its input ------------------------------------------------------------------------------- */

static bool write_all(int fd, const char *text, size_t n)
{
	for (ssize_t done; n > 0; text += done, n -= (size_t)done) {
		done = write(fd, text, n);
		if (done < 0)
			return false;
	}
	return true;
}

/* A file with the message's line, at its beginning; -1: errno says why there is none. */
static int input_of(const struct dblock_message *m)
{
	json_t *object = dbl_message_json(m);
	char *line = json_dumps(object, JSON_COMPACT);
	int fd = line ? memfd_create("message", MFD_CLOEXEC) : -1;

	json_decref(object);
	if (fd >= 0 && !(write_all(fd, line, strlen(line)) && write_all(fd, "\n", 1) &&
			 lseek(fd, 0, SEEK_SET) == 0)) {
		close(fd);
		fd = -1;
	}
	free(line);
	return fd;
}

/* ---- the process ----------------------------------------------------------------------------- */

/* What a `dblock run` around us has set is not true of this token. */
static int set_environment(const struct dblock_message *m)
{
	char number[24], token[24];

	snprintf(number, sizeof(number), "%" PRId64, m->number);
	snprintf(token, sizeof(token), "%" PRId64, m->token);
	return unsetenv("DBLOCK_NAME") || unsetenv("DBLOCK_SLOT") ||
	       setenv("DBLOCK_TOPIC", m->topic, 1) || setenv("DBLOCK_KEY", m->key, 1) ||
	       setenv("DBLOCK_NUMBER", number, 1) || setenv("DBLOCK_TOKEN", token, 1);
}

/* In the child: execute the command. */
static _Noreturn void become(const struct child *child, pid_t parent)
{
	const struct dbl_consumer *c = child->consumer;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(DBL_EXIT_NOT_FOUND);
	if (set_environment(child->message) || dbl_cli_set_place(c->cli) ||
	    (child->input ? dup2(child->input, 0) : fcntl(0, F_SETFD, 0)) < 0) {
		*child->error = errno;
		_exit(DBL_EXIT_NOT_FOUND);
	}
	sigprocmask(SIG_SETMASK, &c->signals->original, NULL);
	execvp(c->command[0], c->command);
	*child->error = errno;
	_exit(DBL_EXIT_NOT_FOUND);
}

/* The terminal sends ^C and ^\ to the whole foreground group, and the command is in ours. */
static bool had_it_too(const siginfo_t *info, pid_t pid)
{
	return info->si_code == SI_KERNEL && getpgid(pid) == getpgrp();
}

/* What ends a command that takes too long. */
struct patience {
	int64_t until; /* us; 0: for ever */
	int signal;    /* the next one; 0: none has been sent yet */
};

static void lose_patience(struct patience *p, pid_t pid)
{
	p->signal = p->signal ? SIGKILL : SIGTERM;
	p->until = dbl_now_us() + KILL_AFTER_MS * INT64_C(1000);
	kill(pid, p->signal);
}

/* Wait for its end, or a signal, or the end of our patience. */
static void wait_a_while(const struct dbl_consumer *c, pid_t pid, struct patience *p)
{
	int64_t left = p->until ? p->until - dbl_now_us() : INT64_C(3600000000);
	struct timespec time = {(time_t)(left / 1000000), left % 1000000 * 1000};
	sigset_t set = c->signals->ours;
	siginfo_t info;
	int signo;

	if (left <= 0) {
		lose_patience(p, pid);
		return;
	}
	sigaddset(&set, SIGCHLD);
	signo = sigtimedwait(&set, &info, &time);
	if (signo <= 0 || signo == SIGCHLD)
		return;
	c->signals->caught = signo;
	if (!had_it_too(&info, pid))
		kill(pid, signo);
}

/* Returns whether it was ended because it took too long. */
static bool wait_for(const struct dbl_consumer *c, pid_t pid, int *status)
{
	struct patience p = {.until = c->timeout_ms ? dbl_now_us() + c->timeout_ms * INT64_C(1000)
						    : 0};

	while (waitpid(pid, status, WNOHANG) == 0)
		wait_a_while(c, pid, &p);
	return p.signal != 0;
}

/* ---- its outcome ----------------------------------------------------------------------------- */

/* The call is wrong, and not the message: nothing is delivered, and no try counts. */
static int not_started(struct dbl_consumer *c, int error, struct dblock_error *err)
{
	const char *name = c->command[0];
	bool is_line = !c->command[1] && strpbrk(name, " \t;|&<>") && !strchr(name, '/');

	c->code = error == ENOENT ? DBL_EXIT_NOT_FOUND : DBL_EXIT_CANNOT_RUN;
	dbl_cli_error(c->cli, "%s: %s%s", name, strerror(error),
		      is_line ? "; a line for a shell wants sh -c before it" : "");
	return fail(err, DBLOCK_E_UNAVAILABLE, "it cannot be run");
}

/* Was it ended by the signal that ends us? A terminal, or a service's manager, sends it to both, and ours may come a
 * moment later. A message is not to blame then. */
static bool ended_with_us(const struct dbl_consumer *c, int signo)
{
	return sigismember(&c->signals->ours, signo) == 1 &&
	       dbl_signals_wait(c->signals, WITH_US_MS) == signo;
}

static int ended(const struct dbl_consumer *c, int status, bool too_late, struct dblock_error *err)
{
	const char *name = c->command[0];
	int signo = WIFSIGNALED(status) ? WTERMSIG(status) : 0, code = WEXITSTATUS(status);
	char time[DBL_DURATION_TEXT];

	if (!signo && code == 0)
		return DBLOCK_OK;
	dbl_duration_text(c->timeout_ms, time);
	if (too_late)
		return fail(err, NOT_DELIVERED, "%s was ended, as it took longer than %s", name,
			    time);
	if (signo)
		return fail(err, ended_with_us(c, signo) ? DBLOCK_E_UNAVAILABLE : NOT_DELIVERED,
			    "%s was ended by signal %d (%s)", name, signo, strsignal(signo));
	return fail(err,
		    code == TEMPORARILY_NOT ? DBLOCK_E_UNAVAILABLE
		    : code == NEVER         ? DBLOCK_E_REFUSED
					    : NOT_DELIVERED,
		    "%s ended with exit status %d", name, code);
}

/* *pid negative: it could not be forked. */
static int run(struct dbl_consumer *c, const struct child *child, struct dblock_error *err)
{
	pid_t parent = getpid(), pid = fork();
	bool too_late;
	int status;

	if (pid == 0)
		become(child, parent);
	if (pid < 0)
		return fail(err, DBLOCK_E_UNAVAILABLE, "no process can be started: %s",
			    strerror(errno));
	too_late = wait_for(c, pid, &status);
	return *child->error ? not_started(c, *child->error, err) : ended(c, status, too_late, err);
}

int dbl_consume(struct dbl_consumer *c, const struct dblock_message *m, struct dblock_error *err)
{
	struct child child = {.consumer = c, .message = m, .input = input_of(m)};
	void *page =
		mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int rc;

	child.error = page;
	if (child.input < 0 || page == MAP_FAILED)
		rc = fail(err, DBLOCK_E_UNAVAILABLE, "no memory for a message: %s",
			  strerror(errno));
	else
		rc = run(c, &child, err);
	if (page != MAP_FAILED)
		munmap(page, sizeof(int));
	if (child.input >= 0)
		close(child.input);
	return rc;
}
