/* SPDX-License-Identifier: MIT */
/*
 * One thread, which waits for all connections at once, so that a slow client keeps nobody. Only the
 * database can keep them all, for as long as --call-timeout says. A connection is for one request.
 * (libmicrohttpd would do all of that but one thing: it ends who is silent for so long, and not who sends
 * a byte now and then.)
 */
#include "cli/metrics/serve.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/metrics/http.h"
#include "cli/ui/print.h"

enum {
	PEERS = 32,        /* more wait to be accepted */
	PEER_US = 5000000, /* for its request, and again for the answer */
	LINGER_US =
		1000000,   /* what it sends on is read for so long: else it would miss the answer */
	FRESH_US = 1000000 /* a snapshot serves all who come meanwhile */
};

enum peer_state { FREE, ASKS, IS_ANSWERED, LINGERS };

struct peer {
	enum peer_state state;
	int fd;
	int64_t until;
	char head[DBL_HTTP_HEAD_MAX];
	size_t got;
	char *answer;
	size_t size, sent;
};

struct server {
	struct dbl_scraper *scraper;
	const struct dbl_listeners *listeners;
	struct dbl_snapshot snapshot;
	int64_t made; /* when that was; 0: never */
	int64_t deaf_until;
	struct peer peers[PEERS];
	struct pollfd fds[PEERS + DBL_LISTENERS_MAX + 1]; /* in this order; the last: signals */
};

static void drop(struct peer *peer)
{
	close(peer->fd);
	free(peer->answer);
	peer->answer = NULL;
	peer->state = FREE;
}

static void linger(struct peer *peer)
{
	shutdown(peer->fd, SHUT_WR);
	peer->state = LINGERS;
	peer->until = dbl_now_us() + LINGER_US;
}

static void send_on(struct peer *peer)
{
	ssize_t n =
		send(peer->fd, peer->answer + peer->sent, peer->size - peer->sent, MSG_NOSIGNAL);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		drop(peer);
		return;
	}
	peer->sent += (size_t)n;
	if (peer->sent == peer->size)
		linger(peer);
}

/* The body for who asks, of a snapshot that is fresh. NULL: there is no memory. */
static char *body_for(struct server *server, enum dbl_metrics_format format, size_t *size)
{
	int64_t now = dbl_now_us();

	if (!server->made || now - server->made >= FRESH_US) {
		(void)dbl_scrape(server->scraper, &server->snapshot);
		server->made = dbl_now_us();
		/* The database has kept us, and them: that is no fault of theirs. */
		for (int i = 0; i < PEERS; i++)
			server->peers[i].until += server->made - now;
	}
	return dbl_snapshot_text(&server->snapshot, format, size);
}

static void answer(struct server *server, struct peer *peer, struct dbl_http_request request)
{
	char *body = NULL;
	size_t size = 0;

	if (request.status == 200) {
		body = body_for(server, request.format, &size);
		if (!body)
			request.status = 500;
	}
	peer->sent = 0;
	peer->answer = dbl_http_answer(&request, body, size, &peer->size);
	free(body);
	if (!peer->answer) {
		drop(peer);
		return;
	}
	peer->state = IS_ANSWERED;
	peer->until = dbl_now_us() + PEER_US;
	send_on(peer);
}

static void hear(struct server *server, struct peer *peer)
{
	ssize_t n = recv(peer->fd, peer->head + peer->got, sizeof(peer->head) - peer->got, 0);
	struct dbl_http_request request;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		drop(peer);
		return;
	}
	peer->got += (size_t)n;
	request = dbl_http_read(peer->head, peer->got);
	if (request.status)
		answer(server, peer, request);
}

/* What comes after the answer is of no interest, but its end is. */
static void see_off(struct peer *peer)
{
	ssize_t n = recv(peer->fd, peer->head, sizeof(peer->head), 0);

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		drop(peer);
}

static void go_on(struct server *server, struct peer *peer)
{
	if (peer->state == ASKS)
		hear(server, peer);
	else if (peer->state == IS_ANSWERED)
		send_on(peer);
	else if (peer->state == LINGERS)
		see_off(peer);
}

static void give_up(struct server *server, struct peer *peer)
{
	if (peer->state == ASKS && peer->got)
		answer(server, peer, (struct dbl_http_request){.status = 408});
	else
		drop(peer);
}

static struct peer *free_peer(struct server *server)
{
	for (int i = 0; i < PEERS; i++)
		if (server->peers[i].state == FREE)
			return &server->peers[i];
	return NULL;
}

static void accept_one(struct server *server, int listener)
{
	struct peer *peer = free_peer(server);
	int fd = peer ? accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK) : -1;

	if (fd >= 0) {
		peer->fd = fd;
		peer->state = ASKS;
		peer->got = 0;
		peer->until = dbl_now_us() + PEER_US;
	} else if (peer && errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
		/* There are no descriptors: it would be told so at once again. */
		server->deaf_until = dbl_now_us() + LINGER_US;
	}
}

/* For how long nothing has to be done, unless somebody says something; ms, -1: for ever. */
static int patience(const struct server *server, int64_t now)
{
	int64_t until = server->deaf_until > now ? server->deaf_until : INT64_MAX;

	for (int i = 0; i < PEERS; i++)
		if (server->peers[i].state != FREE && server->peers[i].until < until)
			until = server->peers[i].until;
	if (until == INT64_MAX)
		return -1;
	return until > now ? (int)((until - now) / 1000 + 1) : 0;
}

static void prepare(struct server *server, int64_t now)
{
	bool hears = free_peer(server) && server->deaf_until <= now;

	for (int i = 0; i < PEERS; i++) {
		const struct peer *peer = &server->peers[i];

		server->fds[i] =
			(struct pollfd){.fd = peer->state == FREE ? -1 : peer->fd,
					.events = peer->state == IS_ANSWERED ? POLLOUT : POLLIN};
	}
	for (int i = 0; i < DBL_LISTENERS_MAX; i++)
		server->fds[PEERS + i] = (struct pollfd){
			.fd = hears && i < server->listeners->n ? server->listeners->fd[i] : -1,
			.events = POLLIN};
}

static void turn(struct server *server)
{
	for (int i = 0; i < PEERS; i++) {
		struct peer *peer = &server->peers[i];

		if (peer->state == FREE)
			continue;
		if (peer->until <= dbl_now_us())
			give_up(server, peer);
		else if (server->fds[i].revents)
			go_on(server, peer);
	}
	for (int i = 0; i < server->listeners->n; i++)
		if (server->fds[PEERS + i].revents)
			accept_one(server, server->listeners->fd[i]);
}

static int serve(struct server *server, int signals)
{
	struct pollfd *end = &server->fds[PEERS + DBL_LISTENERS_MAX];

	*end = (struct pollfd){.fd = signals, .events = POLLIN};
	for (;;) {
		int64_t now = dbl_now_us();

		prepare(server, now);
		if (poll(server->fds, PEERS + DBL_LISTENERS_MAX + 1, patience(server, now)) < 0) {
			if (errno == EINTR)
				continue;
			dbl_cli_error(server->scraper->cli, "poll: %s", strerror(errno));
			return DBL_EXIT_INTERNAL;
		}
		if (end->revents)
			return DBL_EXIT_OK;
		turn(server);
	}
}

int dbl_serve(struct dbl_scraper *scraper, const struct dbl_listeners *listeners,
	      const struct dbl_signals *signals)
{
	struct server *server = calloc(1, sizeof(*server));
	int fd = server ? signalfd(-1, &signals->ours, SFD_CLOEXEC | SFD_NONBLOCK) : -1;
	int code = DBL_EXIT_INTERNAL;

	if (fd < 0) {
		dbl_cli_error(scraper->cli, "cannot serve: %s", strerror(errno));
		free(server);
		return code;
	}
	server->scraper = scraper;
	server->listeners = listeners;
	code = serve(server, fd);
	for (int i = 0; i < PEERS; i++)
		if (server->peers[i].state != FREE)
			drop(&server->peers[i]);
	dbl_snapshot_clear(&server->snapshot);
	close(fd);
	free(server);
	return code;
}
