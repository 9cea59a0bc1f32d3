/* SPDX-License-Identifier: MIT */
#include "cli/metrics/listen.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static const char unix_scheme[] = "unix:";

struct place {
	char host[256], port[8];
};

static const char *path_of(const char *address)
{
	size_t len = strlen(unix_scheme);

	return strncmp(address, unix_scheme, len) == 0 ? address + len : NULL;
}

static bool is_port(const char *text)
{
	size_t len = strlen(text);
	int number = 0;

	if (len < 1 || len > 5 || strspn(text, "0123456789") != len)
		return false;
	sscanf(text, "%d", &number);
	return number <= 65535;
}

/* Take HOST:PORT apart. A host with colons is in brackets, as in a URL. */
static bool parse(const char *address, struct place *place)
{
	const char *colon = strrchr(address, ':');
	const char *port = colon ? colon + 1 : address;
	const char *host = colon ? address : "";
	size_t len = colon ? (size_t)(colon - address) : 0;

	if (len >= 2 && host[0] == '[' && host[len - 1] == ']') {
		host++;
		len -= 2;
	} else if (memchr(host, ':', len) || memchr(host, '[', len)) {
		return false;
	}
	if (!is_port(port) || len >= sizeof(place->host))
		return false;
	snprintf(place->port, sizeof(place->port), "%s", port);
	snprintf(place->host, sizeof(place->host), "%.*s", (int)len, host);
	if (len == 0)
		snprintf(place->host, sizeof(place->host), "127.0.0.1");
	return true;
}

int dbl_listen_check(const struct dbl_cli *cli, const char *address)
{
	const char *path = path_of(address);
	struct place place;

	if (path && strlen(path) >= sizeof(((struct sockaddr_un *)0)->sun_path))
		return dbl_cli_usage(cli,
				     "--listen: the path of a socket has at most %zu bytes: %s",
				     sizeof(((struct sockaddr_un *)0)->sun_path) - 1, path);
	if (path ? *path != '\0' : parse(address, &place))
		return DBL_EXIT_OK;
	return dbl_cli_usage(cli,
			     "--listen: '%s' is no address; it is PORT, HOST:PORT, [::1]:PORT or "
			     "unix:PATH",
			     address);
}

static int refused(const struct dbl_cli *cli, const char *address, int why)
{
	const char *next = why == EADDRINUSE ? "; something else listens there: choose another "
					       "port, or end that (ss -ltnp)"
			   : why == EADDRNOTAVAIL ? "; that is not an address of this machine"
			   : why == EACCES ? "; choose a port from 1024 on, or a folder that "
					     "may be written"
					   : "";

	dbl_cli_error(cli, "cannot listen on %s: %s%s", address, strerror(why), next);
	return DBL_EXIT_IO;
}

/* Bind and listen. 0, or an errno. */
static int add(struct dbl_listeners *listeners, const struct sockaddr *to, socklen_t size)
{
	int fd = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int on = 1, why;

	if (fd < 0)
		return errno;
	/* What is left of earlier connections does not keep the port. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, to, size) == 0 && listen(fd, 64) == 0) {
		listeners->fd[listeners->n++] = fd;
		return 0;
	}
	why = errno;
	close(fd);
	return why;
}

/* The path of a socket that nobody listens on any more is taken over. */
static bool is_left_over(const struct sockaddr_un *to)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct stat st;
	bool over;

	if (fd < 0)
		return false;
	over = lstat(to->sun_path, &st) == 0 && S_ISSOCK(st.st_mode) &&
	       connect(fd, (const struct sockaddr *)to, sizeof(*to)) < 0 && errno == ECONNREFUSED;
	close(fd);
	return over;
}

static int listen_unix(const struct dbl_cli *cli, const char *path, struct dbl_listeners *listeners)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int why;

	snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
	why = add(listeners, (const struct sockaddr *)&to, sizeof(to));
	if (why == EADDRINUSE && is_left_over(&to) && unlink(path) == 0)
		why = add(listeners, (const struct sockaddr *)&to, sizeof(to));
	if (why == EADDRINUSE) {
		dbl_cli_error(cli,
			      "cannot listen on %s: it is there already, and is in use or no "
			      "socket; choose another path, or remove it",
			      path);
		return DBL_EXIT_IO;
	}
	if (why)
		return refused(cli, path, why);
	listeners->path = path;
	dbl_cli_note(cli, "the metrics can be had at unix:%s, path /metrics", path);
	return DBL_EXIT_OK;
}

/* The port may have been 0: any that is free. */
static void say_where(const struct dbl_cli *cli, int fd)
{
	struct sockaddr_storage at;
	socklen_t size = sizeof(at);
	char host[128], port[16];
	bool six;

	if (getsockname(fd, (struct sockaddr *)&at, &size) ||
	    getnameinfo((const struct sockaddr *)&at, size, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV))
		return;
	six = at.ss_family == AF_INET6;
	dbl_cli_note(cli, "the metrics can be had at http://%s%s%s:%s/metrics", six ? "[" : "",
		     host, six ? "]" : "", port);
}

/* A name may stand for several addresses, of which one may be of a kind that is not spoken here. */
static int add_all(struct dbl_listeners *listeners, const struct addrinfo *found)
{
	int why = 0, last = 0;

	for (; found && why == 0 && listeners->n < DBL_LISTENERS_MAX; found = found->ai_next) {
		why = add(listeners, found->ai_addr, found->ai_addrlen);
		if (why == EAFNOSUPPORT || why == EADDRNOTAVAIL) {
			last = why;
			why = 0;
		}
	}
	return why ? why : listeners->n ? 0 : last;
}

int dbl_listen(const struct dbl_cli *cli, const char *address, struct dbl_listeners *listeners)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
	const char *path = path_of(address);
	struct addrinfo *found = NULL;
	struct place place;
	int why;

	*listeners = (struct dbl_listeners){.n = 0};
	if (path)
		return listen_unix(cli, path, listeners);
	if (!parse(address, &place))
		return dbl_listen_check(cli, address);
	why = getaddrinfo(place.host, place.port, &hints, &found);
	if (why)
		return dbl_cli_usage(cli, "--listen: '%s' is not a host that is known here: %s",
				     place.host, gai_strerror(why));
	why = add_all(listeners, found);
	freeaddrinfo(found);
	if (why) {
		dbl_listen_end(listeners);
		return refused(cli, address, why);
	}
	for (int i = 0; i < listeners->n; i++)
		say_where(cli, listeners->fd[i]);
	return DBL_EXIT_OK;
}

void dbl_listen_end(struct dbl_listeners *listeners)
{
	while (listeners->n > 0)
		close(listeners->fd[--listeners->n]);
	if (listeners->path)
		unlink(listeners->path);
	listeners->path = NULL;
}
