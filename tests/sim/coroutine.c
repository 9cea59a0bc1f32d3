/* SPDX-License-Identifier: MIT */
/* makecontext() starts a stack; after that _setjmp() and _longjmp() switch, which need no system
 * call, while swapcontext() needs two. */
#include "sim/coroutine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>

#include "base/thread.h"

#ifndef __has_feature
#define __has_feature(x) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
#define STACK_SIZE ((size_t)1024 * 1024)
#else
#define STACK_SIZE                                          ((size_t)256 * 1024)
/* Only the address sanitizer must be told on which stack we are. */
#define __sanitizer_start_switch_fiber(save, bottom, size)  ((void)(save))
#define __sanitizer_finish_switch_fiber(fake, bottom, size) ((void)(fake))
#endif

static struct {
	struct coroutine *self, *pool;
	jmp_buf at;
	void *fake_stack;
	const void *stack;
	size_t stack_size;
} sim;

struct coroutine *coroutine_self(void)
{
	return sim.self;
}

static struct coroutine *map_new(void)
{
	struct coroutine *co = calloc(1, sizeof(*co));

	if (co)
		co->stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
	if (!co || co->stack == MAP_FAILED) {
		perror("sim: a stack");
		exit(1);
	}
	/* A stack that overflows ends the simulator, and does not damage another stack. */
	mprotect(co->stack, 4096, PROT_NONE);
	return co;
}

struct coroutine *coroutine_new(void)
{
	struct coroutine *co = sim.pool;
	char *stack;

	if (!co)
		return map_new();
	sim.pool = co->next;
	stack = co->stack;
	memset(co, 0, sizeof(*co));
	co->stack = stack;
	return co;
}

void coroutine_free(struct coroutine *co)
{
	co->next = sim.pool;
	sim.pool = co;
}

static void enter(void)
{
	struct coroutine *co = sim.self;

	__sanitizer_finish_switch_fiber(NULL, &sim.stack, &sim.stack_size);
	co->body(co->arg);
	co->done = true;
	__sanitizer_start_switch_fiber(NULL, sim.stack, sim.stack_size);
	_longjmp(sim.at, 1);
}

static void start(struct coroutine *co)
{
	co->started = true;
	getcontext(&co->first);
	co->first.uc_stack.ss_sp = co->stack;
	co->first.uc_stack.ss_size = STACK_SIZE;
	co->first.uc_link = NULL;
	makecontext(&co->first, enter, 0);
	setcontext(&co->first);
}

void coroutine_resume(struct coroutine *co)
{
	sim.self = co;
	dbl_thread_number = co->id;
	if (_setjmp(sim.at) == 0) {
		__sanitizer_start_switch_fiber(&sim.fake_stack, co->stack, STACK_SIZE);
		if (co->started)
			_longjmp(co->at, 1);
		start(co);
	}
	__sanitizer_finish_switch_fiber(sim.fake_stack, NULL, NULL);
	dbl_thread_number = 0;
	sim.self = NULL;
}

void coroutine_suspend(void)
{
	struct coroutine *co = sim.self;

	if (_setjmp(co->at) == 0) {
		__sanitizer_start_switch_fiber(&co->fake_stack, sim.stack, sim.stack_size);
		_longjmp(sim.at, 1);
	}
	__sanitizer_finish_switch_fiber(co->fake_stack, &sim.stack, &sim.stack_size);
}
