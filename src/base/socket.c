/* SPDX-License-Identifier: MIT */
#include "base/socket.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/event.h"
#include "base/host.h"
#include "base/mem.h"

/* How many sockets of one process can be found by its number. */
enum { SOCKETS_OF_PROCESS = 8 };

struct dbl_socket {
	int socket;
	int dismissed;     /* an event */
	atomic_int beside; /* -1: nothing */
	atomic_int also;   /* another one's; -1: nothing */
	size_t world;      /* the length of the address's part that read_world() writes */
	char address[DBL_SOCKET_ADDRESS_MAX];
};

/* "BOOT/NAMESPACE/": names of abstract sockets belong to a network namespace, whose number belongs
 * to a boot. False: these are not known. */
static bool read_world(char *world, size_t size)
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	struct stat space = {0};
	char boot[40];
	bool known = file && fgets(boot, sizeof(boot), file) && !stat("/proc/self/ns/net", &space);

	if (file)
		fclose(file);
	if (!known)
		return false;
	boot[strcspn(boot, "\n")] = '\0';
	snprintf(world, size, "%s/%lu/", boot, (unsigned long)space.st_ino);
	return true;
}

/* The name of socket number k of a process. Returns its length. */
static socklen_t name_of(struct sockaddr_un *name, int64_t pid, int k)
{
	int len;

	*name = (struct sockaddr_un){.sun_family = AF_UNIX};
	len = snprintf(name->sun_path + 1, sizeof(name->sun_path) - 1, "dblock.%" PRId64 ".%d", pid,
		       k);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);
}

/* Bind it to a name by which our process can be found; if all of those are taken, to one that the
 * kernel chooses. */
static bool bind_name(const struct dbl_socket *sock, bool found)
{
	struct sockaddr_un name;

	for (int k = 0; found && k < SOCKETS_OF_PROCESS; k++) {
		socklen_t len = name_of(&name, dbl_host_pid(), k);

		if (bind(sock->socket, (struct sockaddr *)&name, len) == 0)
			return true;
	}
	name = (struct sockaddr_un){.sun_family = AF_UNIX};
	return bind(sock->socket, (struct sockaddr *)&name, sizeof(name.sun_family)) == 0;
}

/* Bind it, and append its name to the address. */
static bool bind_socket(struct dbl_socket *sock, bool found)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	socklen_t len = sizeof(name);
	size_t room = sizeof(sock->address) - sock->world;

	sock->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (sock->socket < 0 || !bind_name(sock, found))
		return false;
	if (getsockname(sock->socket, (struct sockaddr *)&name, &len))
		return false;
	len -= (socklen_t)offsetof(struct sockaddr_un, sun_path) + 1;
	if (len == 0 || len >= room)
		return false;
	memcpy(sock->address + sock->world, name.sun_path + 1, len);
	sock->address[sock->world + len] = '\0';
	return true;
}

struct dbl_socket *dbl_socket_new(bool found)
{
	struct dbl_socket *sock = dbl_alloc(sizeof(*sock));

	if (!sock)
		return NULL;
	sock->socket = -1;
	atomic_init(&sock->beside, -1);
	atomic_init(&sock->also, -1);
	sock->dismissed = dbl_event_new();
	if (sock->dismissed >= 0 && read_world(sock->address, sizeof(sock->address))) {
		sock->world = strlen(sock->address);
		if (bind_socket(sock, found))
			return sock;
	}
	dbl_socket_free(sock);
	return NULL;
}

void dbl_socket_free(struct dbl_socket *sock)
{
	if (!sock)
		return;
	if (sock->socket >= 0)
		close(sock->socket);
	if (sock->beside >= 0)
		close(sock->beside);
	dbl_event_free(sock->dismissed);
	dbl_free(sock);
}

const char *dbl_socket_address(const struct dbl_socket *sock)
{
	return sock->address;
}

bool dbl_socket_send(const struct dbl_socket *own, const char *address, const void *bytes, size_t n)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	size_t len;

	if (!own || strncmp(address, own->address, own->world) != 0)
		return false;
	len = strlen(address + own->world);
	if (len == 0 || len >= sizeof(name.sun_path))
		return false;
	memcpy(name.sun_path + 1, address + own->world, len);
	len += offsetof(struct sockaddr_un, sun_path) + 1;
	return sendto(own->socket, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&name,
		      (socklen_t)len) == (ssize_t)n;
}

void dbl_socket_send_process(const struct dbl_socket *own, int64_t pid, const void *bytes, size_t n)
{
	struct sockaddr_un name;

	for (int k = 0; own && k < SOCKETS_OF_PROCESS; k++) {
		socklen_t len = name_of(&name, pid, k);

		(void)sendto(own->socket, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL,
			     (struct sockaddr *)&name, len);
	}
}

void dbl_socket_stir(struct dbl_socket *sock)
{
	/* If there is no room for it, there is something to look at. */
	(void)dbl_socket_send(sock, sock->address, "", 0);
}

void dbl_socket_also(struct dbl_socket *sock, struct dbl_socket *other)
{
	atomic_store(&sock->also, other->socket);
	dbl_socket_stir(sock);
}

void dbl_socket_beside(struct dbl_socket *sock, int fd)
{
	atomic_store(&sock->beside, fd);
	dbl_socket_stir(sock);
}

/* False: there was nothing. */
static bool empty(int fd)
{
	char bytes[4096];
	bool any = false;

	while (fd >= 0 && read(fd, bytes, sizeof(bytes)) > 0)
		any = true;
	return any;
}

size_t dbl_socket_listen(struct dbl_socket *sock, void *bytes, size_t n)
{
	ssize_t got;

	for (;;) {
		struct pollfd fds[] = {{.fd = sock->dismissed, .events = POLLIN},
				       {.fd = sock->socket, .events = POLLIN},
				       {.fd = sock->beside, .events = POLLIN},
				       {.fd = sock->also, .events = POLLIN}};

		if (poll(fds, 4, -1) < 0 && errno != EINTR)
			return 0;
		if (fds[0].revents)
			return 0;
		if (fds[2].revents && empty(fds[2].fd))
			return DBL_SOCKET_BESIDE;
		got = recv(fds[3].revents ? fds[3].fd : sock->socket, bytes, n, MSG_DONTWAIT);
		if (got > 0)
			return (size_t)got;
	}
}

size_t dbl_socket_hear(struct dbl_socket *sock, void *bytes, size_t n, int64_t us)
{
	struct pollfd fd = {.fd = sock->socket, .events = POLLIN};
	struct timespec left = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};
	ssize_t got = -1;

	if (ppoll(&fd, 1, &left, NULL) > 0)
		got = recv(sock->socket, bytes, n, MSG_DONTWAIT);
	return got > 0 ? (size_t)got : 0;
}

void dbl_socket_dismiss(struct dbl_socket *sock)
{
	dbl_event_set(sock->dismissed);
}
