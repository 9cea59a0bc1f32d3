/* SPDX-License-Identifier: MIT */
/* How one process wakes another on the same machine: by a datagram to an abstract unix socket
 * (unix(7)). Sending never blocks and has no answer. A datagram may be lost: it saves time, but
 * nothing may depend on it. */
#ifndef DBL_BASE_SOCKET_H
#define DBL_BASE_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dbl_socket;

/* An address is boot id, network namespace, and the socket's name: a process in another boot or
 * namespace sees that it cannot reach it. */
#define DBL_SOCKET_ADDRESS_MAX 128

/* found: dbl_socket_send_process() finds it. NULL: there are no such sockets here. */
struct dbl_socket *dbl_socket_new(bool found);
void dbl_socket_free(struct dbl_socket *); /* NULL is allowed; no thread listens any more */

/* Its address, without a space; the text lives as long as the socket. */
const char *dbl_socket_address(const struct dbl_socket *);

/* Send a few bytes to that address; false: it is in another boot or namespace, or its queue is
 * full. `own` is the socket to send from; NULL is allowed and sends nothing. */
bool dbl_socket_send(const struct dbl_socket *own, const char *address, const void *bytes,
		     size_t n);

/* Send to all clients of a process on the same machine that can be found: the names of their
 * sockets have its number. Any process may take such a name, and any may send. */
void dbl_socket_send_process(const struct dbl_socket *own, int64_t pid, const void *bytes,
			     size_t n);

/* Wait for one datagram, in one thread at a time. Returns its length, at most n; 0: dismissed. */
size_t dbl_socket_listen(struct dbl_socket *, void *bytes, size_t n);

/* Wait for one datagram, for so long at most, in one thread at a time. Returns its length, at most n; 0:
 * there is none, or it is empty. */
size_t dbl_socket_hear(struct dbl_socket *, void *bytes, size_t n, int64_t us);

/* Let who listens, or hears, or does so next, look again: an empty datagram. */
void dbl_socket_stir(struct dbl_socket *);

/* Listen at the other one as well, from now on. It must live as long. */
void dbl_socket_also(struct dbl_socket *, struct dbl_socket *other);

/* Listening returns DBL_SOCKET_BESIDE from now on when that descriptor can be read, and reads it empty. It
 * is the socket's. Once only. */
#define DBL_SOCKET_BESIDE SIZE_MAX
void dbl_socket_beside(struct dbl_socket *, int fd);

/* Make every listening return 0, from now on. */
void dbl_socket_dismiss(struct dbl_socket *);

#endif
