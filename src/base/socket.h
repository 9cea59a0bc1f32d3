/* SPDX-License-Identifier: MIT */
/*
 * A bell: how one process wakes another on the same machine, by a datagram to an abstract unix
 * socket (unix(7)). Ringing never blocks, asks for no answer, and may come to nothing: it saves
 * time, and nothing may depend on it.
 */
#ifndef DBL_BASE_SOCKET_H
#define DBL_BASE_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dbl_socket;

/* Boot id, network namespace, name of the socket: who reads it in another world knows. */
#define DBL_SOCKET_ADDRESS_MAX 128

/* NULL: no such thing to be had here. */
struct dbl_socket *dbl_socket_new(void);
void dbl_socket_free(struct dbl_socket *); /* NULL is allowed; nobody listens any more */

/* Where it can be rung, without a space; lives as long as the bell. */
const char *dbl_socket_address(const struct dbl_socket *);

/* Ring the bell at that address, with a few bytes; false: it is not in our world, or takes no more.
 * `own` is a bell of ours (to send from), NULL is allowed and rings nothing. */
bool dbl_socket_ring(const struct dbl_socket *own, const char *address, const void *bytes,
		     size_t n);

/* Ring the bells of all clients of a process on the same machine, as far as they can be found: the
 * name of their sockets says whose they are. Anybody may take such a name, and anybody may ring. */
void dbl_socket_ring_process(const struct dbl_socket *own, int64_t pid, const void *bytes,
			     size_t n);

/* Wait for one ring, for one thread at a time. How many bytes it brought, at most n; 0: dismissed.
 */
size_t dbl_socket_listen(struct dbl_socket *, void *bytes, size_t n);

/* From now on listening returns 0 at once. */
void dbl_socket_dismiss(struct dbl_socket *);

#endif
