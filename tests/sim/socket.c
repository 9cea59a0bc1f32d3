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
	struct dbl_socket *also, *listener;
	int n; /* datagrams that were not read yet */
	struct ring {
		size_t n;
		char bytes[BYTES];
	} rings[QUEUE];
};

struct dbl_socket *dbl_socket_new(bool found)
{
	struct process *p = coroutine_self()->process;
	struct dbl_socket *sock;
	int k = 0;

	(void)found;
	while (k < 2 * p->world->n_servers && p->socks[k])
		k++;
	if (k == 2 * p->world->n_servers || rng_one_in(&p->world->rng, 8))
		return NULL;
	sock = dbl_alloc(sizeof(*sock));
	sock->process = p;
	snprintf(sock->address, sizeof(sock->address), "bell-of-life-%d", ++p->world->bells);
	p->socks[k] = sock;
	return sock;
}

void dbl_socket_free(struct dbl_socket *sock)
{
	if (!sock)
		return;
	for (int k = 0; k < PROCESS_SOCKETS_MAX; k++) {
		if (sock->process->socks[k] == sock)
			sock->process->socks[k] = NULL;
	}
	dbl_free(sock);
}

const char *dbl_socket_address(const struct dbl_socket *sock)
{
	return sock->address;
}

static struct dbl_socket *find(struct world *w, const char *address)
{
	for (int i = 0; i < PROCESSES_MAX * PROCESS_SOCKETS_MAX; i++) {
		struct dbl_socket *sock =
			w->processes[i / PROCESS_SOCKETS_MAX].socks[i % PROCESS_SOCKETS_MAX];

		if (sock && strcmp(sock->address, address) == 0)
			return sock;
	}
	return NULL;
}

static void put(struct dbl_socket *sock, const void *bytes, size_t n)
{
	sock->rings[sock->n].n = n;
	memcpy(sock->rings[sock->n++].bytes, bytes, n);
	schedule_wake(sock->process, sock);
	if (sock->listener)
		schedule_wake(sock->process, sock->listener);
}

bool dbl_socket_send(const struct dbl_socket *own, const char *address, const void *bytes, size_t n)
{
	struct world *w = coroutine_self()->world;
	struct dbl_socket *sock = own ? find(w, address) : NULL;

	if (!sock || sock->n == QUEUE || n > BYTES || rng_one_in(&w->rng, 8))
		return false;
	COUNT(w, rings);
	put(sock, bytes, n);
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

void dbl_socket_stir(struct dbl_socket *sock)
{
	if (sock->n < QUEUE)
		put(sock, "", 0);
}

static size_t take(struct dbl_socket *sock, void *bytes, size_t n)
{
	struct ring first = sock->rings[0];

	n = n < first.n ? n : first.n;
	memcpy(bytes, first.bytes, n);
	memmove(&sock->rings[0], &sock->rings[1], sizeof(sock->rings[0]) * (size_t)--sock->n);
	return n;
}

size_t dbl_socket_listen(struct dbl_socket *sock, void *bytes, size_t n)
{
	for (;;) {
		if (sock->dismissed)
			return 0;
		if (sock->also && sock->also->n)
			return take(sock->also, bytes, n);
		if (sock->n)
			return take(sock, bytes, n);
		schedule_wait(sock, SCHEDULE_NEVER);
	}
}

void dbl_socket_also(struct dbl_socket *sock, struct dbl_socket *other)
{
	sock->also = other;
	other->listener = sock;
	dbl_socket_stir(sock);
}

size_t dbl_socket_hear(struct dbl_socket *sock, void *bytes, size_t n, int64_t us)
{
	struct process *p = sock->process;
	int64_t until = process_when(p, dbl_add(dbl_now(&p->env), us));

	if (sock->n == 0)
		(void)schedule_wait(sock, until);
	return sock->n ? take(sock, bytes, n) : 0;
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
