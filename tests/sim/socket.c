/* SPDX-License-Identifier: MIT */
/* base/socket.h, in the place of src/base/socket.c: all processes are on one machine. Some
 * datagrams get lost. */
#include "base/socket.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "sim/schedule.h"

enum { QUEUE = 10, BYTES = 16 };

struct dbl_socket {
	struct process *process;
	char address[DBL_SOCKET_ADDRESS_MAX];
	bool dismissed;
	int n; /* datagrams that were not read yet */
	char rings[QUEUE][BYTES];
};

struct dbl_socket *dbl_socket_new(void)
{
	struct process *p = coroutine_self()->process;
	struct dbl_socket *sock;

	if (p->sock || rng_one_in(&p->world->rng, 8))
		return NULL;
	sock = dbl_alloc(sizeof(*sock));
	sock->process = p;
	snprintf(sock->address, sizeof(sock->address), "bell-of-life-%d", ++p->world->bells);
	p->sock = sock;
	return sock;
}

void dbl_socket_free(struct dbl_socket *sock)
{
	if (!sock)
		return;
	sock->process->sock = NULL;
	dbl_free(sock);
}

const char *dbl_socket_address(const struct dbl_socket *sock)
{
	return sock->address;
}

static struct dbl_socket *find(struct world *w, const char *address)
{
	for (int i = 0; i < PROCESSES_MAX; i++) {
		struct dbl_socket *sock = w->processes[i].sock;

		if (sock && strcmp(sock->address, address) == 0)
			return sock;
	}
	return NULL;
}

bool dbl_socket_send(const struct dbl_socket *own, const char *address, const void *bytes, size_t n)
{
	struct world *w = coroutine_self()->world;
	struct dbl_socket *sock = own ? find(w, address) : NULL;

	if (!sock || sock->n == QUEUE || n > BYTES || rng_one_in(&w->rng, 8))
		return false;
	COUNT(w, rings);
	memcpy(sock->rings[sock->n++], bytes, n);
	schedule_wake(sock->process, sock);
	return true;
}

/* Nobody is asked to let go in this world, so this sends nothing. */
void dbl_socket_send_process(const struct dbl_socket *own, int64_t pid, const void *bytes, size_t n)
{
	(void)own;
	(void)pid;
	(void)bytes;
	(void)n;
}

size_t dbl_socket_listen(struct dbl_socket *sock, void *bytes, size_t n)
{
	while (sock->n == 0 && !sock->dismissed)
		schedule_wait(sock, SCHEDULE_NEVER);
	if (sock->dismissed)
		return 0;
	n = n < BYTES ? n : BYTES;
	memcpy(bytes, sock->rings[0], n);
	memmove(sock->rings[0], sock->rings[1], sizeof(sock->rings[0]) * (size_t)--sock->n);
	return n;
}

void dbl_socket_beside(struct dbl_socket *sock, int fd)
{
	(void)sock;
	(void)fd;
}

void dbl_socket_dismiss(struct dbl_socket *sock)
{
	sock->dismissed = true;
	schedule_wake(sock->process, sock);
}
