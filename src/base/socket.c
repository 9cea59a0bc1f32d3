/* SPDX-License-Identifier: MIT */
#include "base/socket.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
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

/* So many of them can be found by its number. */
enum { BELLS_OF_PROCESS = 8 };

struct dbl_bell {
	int socket;
	int dismissed; /* an event */
	size_t world;  /* so many bytes of the address say where sockets have such names */
	char address[DBL_BELL_ADDRESS_MAX];
};

/* "BOOT/NAMESPACE/": names of abstract sockets belong to a network namespace, whose number belongs
 * to a boot. False: it cannot be told. */
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

/* The name of a process's bell number k. Returns its length. */
static socklen_t name_of(struct sockaddr_un *name, int64_t pid, int k)
{
	int len;

	*name = (struct sockaddr_un){.sun_family = AF_UNIX};
	len = snprintf(name->sun_path + 1, sizeof(name->sun_path) - 1, "dblock.%" PRId64 ".%d", pid,
		       k);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);
}

/* To a name by which our process can be found; if all are taken, to one that the kernel chooses. */
static bool bind_name(const struct dbl_bell *bell)
{
	struct sockaddr_un name;

	for (int k = 0; k < BELLS_OF_PROCESS; k++) {
		socklen_t len = name_of(&name, dbl_host_pid(), k);

		if (bind(bell->socket, (struct sockaddr *)&name, len) == 0)
			return true;
	}
	return bind(bell->socket, (struct sockaddr *)&name, sizeof(name.sun_family)) == 0;
}

/* Bind it, and append its name to the address. */
static bool bind_socket(struct dbl_bell *bell)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	socklen_t len = sizeof(name);
	size_t room = sizeof(bell->address) - bell->world;

	bell->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (bell->socket < 0 || !bind_name(bell))
		return false;
	if (getsockname(bell->socket, (struct sockaddr *)&name, &len))
		return false;
	len -= (socklen_t)offsetof(struct sockaddr_un, sun_path) + 1;
	if (len == 0 || len >= room)
		return false;
	memcpy(bell->address + bell->world, name.sun_path + 1, len);
	bell->address[bell->world + len] = '\0';
	return true;
}

struct dbl_bell *dbl_bell_new(void)
{
	struct dbl_bell *bell = dbl_alloc(sizeof(*bell));

	if (!bell)
		return NULL;
	bell->socket = -1;
	bell->dismissed = dbl_event_new();
	if (bell->dismissed >= 0 && read_world(bell->address, sizeof(bell->address))) {
		bell->world = strlen(bell->address);
		if (bind_socket(bell))
			return bell;
	}
	dbl_bell_free(bell);
	return NULL;
}

void dbl_bell_free(struct dbl_bell *bell)
{
	if (!bell)
		return;
	if (bell->socket >= 0)
		close(bell->socket);
	dbl_event_free(bell->dismissed);
	dbl_free(bell);
}

const char *dbl_bell_address(const struct dbl_bell *bell)
{
	return bell->address;
}

bool dbl_bell_ring(const struct dbl_bell *own, const char *address, const void *bytes, size_t n)
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

void dbl_bell_ring_process(const struct dbl_bell *own, int64_t pid, const void *bytes, size_t n)
{
	struct sockaddr_un name;

	for (int k = 0; own && k < BELLS_OF_PROCESS; k++) {
		socklen_t len = name_of(&name, pid, k);

		(void)sendto(own->socket, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL,
			     (struct sockaddr *)&name, len);
	}
}

size_t dbl_bell_listen(struct dbl_bell *bell, void *bytes, size_t n)
{
	struct pollfd fds[] = {{.fd = bell->dismissed, .events = POLLIN},
			       {.fd = bell->socket, .events = POLLIN}};
	ssize_t got;

	for (;;) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return 0;
		if (fds[0].revents)
			return 0;
		got = recv(bell->socket, bytes, n, MSG_DONTWAIT);
		if (got > 0)
			return (size_t)got;
	}
}

void dbl_bell_dismiss(struct dbl_bell *bell)
{
	dbl_event_set(bell->dismissed);
}
