/* SPDX-License-Identifier: MIT */
/* Threads of the simulated processes: one stack each, one of them running at a time. Switching is
 * all that this does; when to switch is the scheduler's business. */
#ifndef TESTS_SIM_COROUTINE_H
#define TESTS_SIM_COROUTINE_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

struct process;
struct world;

struct coroutine {
	struct coroutine *next; /* of its process, or in the pool */
	struct world *world;
	struct process *process; /* NULL: the director */
	uint64_t id;             /* never used again in its world */
	void *(*body)(void *);
	void *arg;
	bool started, done;

	/* What it waits for. */
	uint64_t ticket; /* of the wake that it waits for; 0: it is running */
	const void *channel;
	bool woken; /* by somebody, not by the clock */

	bool trying;       /* inside a call that does not wait */
	bool breaking;     /* inside dblock_break(), or dblock_release_token(): */
	bool forced;       /* by force */
	int64_t takes;     /* that token; 0: whichever holds it */
	bool saw_upgrade;  /* inside dblock_upgrade(): it was shown another one under way, */
	int64_t upgrading; /* than that of this grant */

	/* The switch's own. */
	jmp_buf at;
	ucontext_t first;
	char *stack;
	void *fake_stack; /* of the address sanitizer */
};

/* The one that runs, or NULL. */
struct coroutine *coroutine_self(void);

/* Takes one from the pool, zeroed but for its stack. */
struct coroutine *coroutine_new(void);
void coroutine_free(struct coroutine *); /* wherever it stands: nothing of it runs any more */

/* Let it run until it suspends itself or ends. Not from inside a coroutine. */
void coroutine_resume(struct coroutine *);
void coroutine_suspend(void);

#endif
