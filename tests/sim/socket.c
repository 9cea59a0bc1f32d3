/* SPDX-License-Identifier: MIT */
/* base/socket.h, in the place of src/base/socket.c: all processes are on one machine. Some rings
 * come to nothing. */
#include "base/socket.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "sim/schedule.h"

enum { QUEUE = 10, BYTES = 16 };

struct dbl_bell {
	struct process *process;
	char address[DBL_BELL_ADDRESS_MAX];
	bool dismissed;
	int n; /* rings that were not heard yet */
	char rings[QUEUE][BYTES];
};

struct dbl_bell *dbl_bell_new(void)
{
	struct process *p = coroutine_self()->process;
	struct dbl_bell *bell;

	if (p->bell || rng_one_in(&p->world->rng, 8))
		return NULL;
	bell = dbl_alloc(sizeof(*bell));
	bell->process = p;
	snprintf(bell->address, sizeof(bell->address), "bell-of-life-%d", ++p->world->bells);
	p->bell = bell;
	return bell;
}

void dbl_bell_free(struct dbl_bell *bell)
{
	if (!bell)
		return;
	bell->process->bell = NULL;
	dbl_free(bell);
}

const char *dbl_bell_address(const struct dbl_bell *bell)
{
	return bell->address;
}

static struct dbl_bell *find(struct world *w, const char *address)
{
	for (int i = 0; i < PROCESSES_MAX; i++) {
		struct dbl_bell *bell = w->processes[i].bell;

		if (bell && strcmp(bell->address, address) == 0)
			return bell;
	}
	return NULL;
}

bool dbl_bell_ring(const struct dbl_bell *own, const char *address, const void *bytes, size_t n)
{
	struct world *w = coroutine_self()->world;
	struct dbl_bell *bell = own ? find(w, address) : NULL;

	if (!bell || bell->n == QUEUE || n > BYTES || rng_one_in(&w->rng, 8))
		return false;
	COUNT(w, rings);
	memcpy(bell->rings[bell->n++], bytes, n);
	schedule_wake(bell->process, bell);
	return true;
}

/* Nobody is asked to let go in this world. */
void dbl_bell_ring_process(const struct dbl_bell *own, int64_t pid, const void *bytes, size_t n)
{
	(void)own;
	(void)pid;
	(void)bytes;
	(void)n;
}

size_t dbl_bell_listen(struct dbl_bell *bell, void *bytes, size_t n)
{
	while (bell->n == 0 && !bell->dismissed)
		schedule_wait(bell, SCHEDULE_NEVER);
	if (bell->dismissed)
		return 0;
	n = n < BYTES ? n : BYTES;
	memcpy(bytes, bell->rings[0], n);
	memmove(bell->rings[0], bell->rings[1], sizeof(bell->rings[0]) * (size_t)--bell->n);
	return n;
}

void dbl_bell_dismiss(struct dbl_bell *bell)
{
	bell->dismissed = true;
	schedule_wake(bell->process, bell);
}
