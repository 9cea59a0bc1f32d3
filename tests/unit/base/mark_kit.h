/* SPDX-License-Identifier: MIT */
/* A process that has a mark, for the tests of marks. */
#ifndef TESTS_UNIT_BASE_MARK_KIT_H
#define TESTS_UNIT_BASE_MARK_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mark.h"

enum { BEAT = 4711, NOBODY = 65534, WAIT_MS = 30000 };

/* A process with a mark. It has done `act`, and waits to be ended; what it has left behind as well. */
struct holder {
	pid_t pid;
	int ended; /* the read end of a pipe that all its processes have: its end is theirs */
	char citation[DBL_MARK_CITATION];
};

typedef void act_fn(struct dbl_mark *);

static int go[2] = {-1, -1}; /* a pipe: its end is the word to go on */

/* 2 and 1 are pipes: what closes all others leaves them. */
static inline _Noreturn void hold(act_fn *act)
{
	struct dbl_mark *mark = dbl_mark_new(dbl_env_system());
	char citation[DBL_MARK_CITATION] = "";

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGSEGV, SIG_DFL);
	signal(SIGABRT, SIG_DFL);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0});
	dbl_mark_note(mark, BEAT, dbl_now(dbl_env_system()));
	snprintf(citation, sizeof(citation), "%s", dbl_mark_citation(mark));
	if (act)
		act(mark);
	if (write(2, citation, sizeof(citation)) < 0)
		_exit(9);
	close(2);
	for (;;)
		pause();
}

static inline void start(struct holder *h, act_fn *act)
{
	int said[2], ended[2];

	assert_int_equal(pipe2(said, O_CLOEXEC), 0);
	assert_int_equal(pipe2(ended, O_CLOEXEC), 0);
	h->pid = fork();
	assert_true(h->pid >= 0);
	if (h->pid == 0) {
		dup2(said[1], 2);
		dup2(ended[1], 1);
		close(ended[0]);
		close(said[0]);
		close(go[1]);
		hold(act);
	}
	close(said[1]);
	close(ended[1]);
	h->ended = ended[0];
	assert_int_equal(read(said[0], h->citation, sizeof(h->citation)), sizeof(h->citation));
	close(said[0]);
}

/* Another program, which has nothing open but the pipe whose end is its own. */
static inline void starts_one_that_stays(struct dbl_mark *mark)
{
	int fd = dbl_mark_hand_on(mark);

	if (fork() == 0) {
		dup2(go[0], 0);
		if (dbl_mark_stay(fd) == 0)
			execlp("cat", "cat", (char *)NULL);
		_exit(9);
	}
	close(fd);
}

static inline void await_end_of_all(struct holder *h)
{
	char c;

	assert_int_equal(read(h->ended, &c, 1), 0);
	close(h->ended);
}

static inline void end(struct holder *h)
{
	kill(h->pid, SIGKILL);
	assert_int_equal(waitpid(h->pid, NULL, 0), h->pid);
}

static inline enum dbl_mark_word ask(const struct holder *h)
{
	return dbl_mark_ask(h->citation, BEAT, dbl_now(dbl_env_system()));
}

static inline void assert_cited(const struct holder *h)
{
	assert_memory_equal(h->citation, "1 ", 2);
}

#endif
