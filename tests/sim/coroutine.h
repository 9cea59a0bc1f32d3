/* SPDX-License-Identifier: MIT */
/* The threads of the simulated processes: each has a stack, and one of them runs at a time. This
 * only switches between them; the scheduler decides when. */
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
	uint64_t id;             /* never used again in this world */
	void *(*body)(void *);
	void *arg;
	bool started, done;

	/* The wake-up that it waits for. */
	uint64_t ticket; /* of that wake-up; 0: it is running */
	const void *channel;
	bool woken; /* by somebody, not by the clock */

	bool trying;       /* inside a call that does not wait */
	bool breaking;     /* inside dblock_break(), or dblock_release_token(): */
	bool forced;       /* by force */
	int64_t takes;     /* with that token; 0: whichever holds it */
	bool saw_upgrade;  /* dblock_upgrade() was shown another upgrade under way, */
	int64_t upgrading; /* than that of this grant's token */

	/* For the switch. */
	jmp_buf at;
	ucontext_t first;
	char *stack;
	void *fake_stack; /* for the address sanitizer */
};

/* Returns the running one, or NULL. */
struct coroutine *coroutine_self(void);

/* Returns one from the pool, zeroed but for its stack. */
struct coroutine *coroutine_new(void);
void coroutine_free(struct coroutine *); /* wherever it stands: nothing of it runs any more */

/* Lets it run until it suspends itself or ends. Do not call it inside a coroutine. */
void coroutine_resume(struct coroutine *);
void coroutine_suspend(void);

#endif
