/* SPDX-License-Identifier: MIT */
/* The thread of the proxy. It has the mutex all the time, except in poll(). */
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include "support/proxy_own.h"

enum { PACKET = 65536 };

/* poll(2) watches these, then the two sides of each pair. */
enum { WAKE, LISTENER, FIRST_PAIR, FDS = FIRST_PAIR + 2 * PROXY_PAIRS };

/* ---- the thread; the mutex is held but in poll() --------------------------------------------- */

void proxy_set_all(struct proxy *p, enum proxy_mode mode)
{
	p->mode = mode;
	for (int i = 0; i < PROXY_PAIRS; i++)
		proxy_pair_set(&p->pairs[i], mode);
}

static void hit(struct proxy *p, struct proxy_pair *pair)
{
	pair->armed = false;
	pair->mode = p->next;
	p->hit = true;
}

/* Checks whether this packet is the one that the test waits for. */
static void look_out(struct proxy *p, struct proxy_pair *pair, const char *data, size_t len)
{
	if (pair->armed)
		hit(p, pair);
	if (p->mark[0] && memmem(data, len, p->mark, strlen(p->mark))) {
		p->mark[0] = '\0';
		if (p->at_once)
			hit(p, pair);
		else
			pair->armed = true;
	}
	if (p->countdown > 0 && --p->countdown == 0) {
		proxy_set_all(p, p->next);
		p->hit = true;
	}
}

/* Reads once, from a socket that may be closed; 0: the end, -1: nothing. */
static ssize_t take_bytes(int fd, char data[PACKET])
{
	ssize_t n = recv(fd, data, PACKET, MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? -1 : 0;
	return n;
}

static void serve(struct proxy *p, struct proxy_pair *pair, const struct pollfd fds[2])
{
	char data[PACKET];
	ssize_t n;

	if (fds[0].revents && fds[0].fd == pair->client) {
		n = take_bytes(pair->client, data);
		if (n > 0)
			look_out(p, pair, data, (size_t)n);
		if (n >= 0)
			proxy_pair_client_said(pair, data, (size_t)n);
	}
	if (fds[1].revents && fds[1].fd == pair->server) {
		n = take_bytes(pair->server, data);
		if (n >= 0)
			proxy_pair_server_said(pair, data, (size_t)n);
	}
}

static int at_once(int fd)
{
	int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

static int connect_server(const struct proxy *p)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(fd, (const struct sockaddr *)&p->server, sizeof(p->server)) == 0)
		return at_once(fd);
	close(fd);
	return -1;
}

static void take_client(struct proxy *p)
{
	int fd = accept4(p->listener, NULL, NULL, SOCK_CLOEXEC);
	struct proxy_pair *pair = p->pairs;

	if (fd < 0)
		return;
	while (!proxy_pair_is_over(pair))
		if (++pair == p->pairs + PROXY_PAIRS) {
			fprintf(stderr, "proxy: more than %d connections\n", PROXY_PAIRS);
			abort();
		}
	*pair = (struct proxy_pair){
		.client = at_once(fd), .server = connect_server(p), .mode = p->mode};
	if (pair->server < 0)
		proxy_pair_server_said(pair, NULL, 0);
}

/* Returns how long poll() may take. */
static int list_fds(struct proxy *p, struct pollfd fds[FDS])
{
	int64_t now = clock_ms(), first = now + 1000;

	fds[WAKE] = (struct pollfd){.fd = p->wake[0], .events = POLLIN};
	fds[LISTENER] = (struct pollfd){.fd = p->refusing ? -1 : p->listener, .events = POLLIN};
	for (int i = 0; i < PROXY_PAIRS; i++) {
		struct pollfd *at = &fds[FIRST_PAIR + 2 * i];
		int64_t due = proxy_pair_send_due(&p->pairs[i], now);

		at[0] = (struct pollfd){.fd = p->pairs[i].client, .events = POLLIN};
		at[1] = (struct pollfd){.fd = p->pairs[i].server, .events = POLLIN};
		first = due < first ? due : first;
	}
	return (int)(first - now);
}

void *proxy_forward(void *arg)
{
	struct proxy *p = arg;
	struct pollfd fds[FDS];
	char byte;

	pthread_mutex_lock(&p->mutex);
	while (!p->stop) {
		int ms = list_fds(p, fds);

		pthread_mutex_unlock(&p->mutex);
		poll(fds, FDS, ms);
		pthread_mutex_lock(&p->mutex);
		if (fds[WAKE].revents)
			(void)!read(p->wake[0], &byte, 1);
		if (fds[LISTENER].revents)
			take_client(p);
		for (int i = 0; i < PROXY_PAIRS; i++)
			serve(p, &p->pairs[i], &fds[FIRST_PAIR + 2 * i]);
	}
	pthread_mutex_unlock(&p->mutex);
	return NULL;
}
