/* SPDX-License-Identifier: MIT */
#include "ring.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bench.h"

/* The abstract name of a member's socket; all have the same parent, and end before the next
 * measurement. */
static socklen_t address_of(int member, struct sockaddr_un *a)
{
	int n;

	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	n = snprintf(a->sun_path + 1, sizeof(a->sun_path) - 1, "dblock-bench-%ld-%d",
		     (long)getppid(), member);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

/* Returns false if there is no such member. */
static bool send_to(const struct bench_ring *r, int member, int64_t token)
{
	struct sockaddr_un a;
	socklen_t size = address_of(member, &a);

	if (sendto(r->fd, &token, sizeof(token), 0, (const struct sockaddr *)&a, size) >= 0)
		return true;
	if (errno != ECONNREFUSED)
		bench_fail("ring: sendto: %s", strerror(errno));
	return false;
}

void bench_ring_enter(struct bench_ring *r)
{
	struct sockaddr_un a;
	socklen_t size;

	r->turns = 0;
	r->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	for (r->member = 0; r->member < BENCH_PROCESSES; r->member++) {
		size = address_of(r->member, &a);
		if (bind(r->fd, (const struct sockaddr *)&a, size) == 0)
			break;
		if (errno != EADDRINUSE)
			bench_fail("ring: bind: %s", strerror(errno));
	}
	if (r->member == 0)
		send_to(r, 0, 0);
}

void bench_ring_leave(struct bench_ring *r)
{
	close(r->fd);
}

int64_t bench_ring_wait(struct bench_ring *r)
{
	int64_t token = 0;

	while (recv(r->fd, &token, sizeof(token), 0) < 0) {
		if (errno != EINTR)
			bench_fail("ring: recv: %s", strerror(errno));
	}
	return token;
}

/* Behind the last member comes the first. They leave in the order of their turns, so that who finds
 * neither of the two is the last of all. */
void bench_ring_pass(struct bench_ring *r, int64_t token)
{
	if (!send_to(r, r->member + 1, token))
		send_to(r, 0, token);
}
