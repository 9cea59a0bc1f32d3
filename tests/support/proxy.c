/* SPDX-License-Identifier: MIT */
/* One thread forwards; what it goes by is changed, under the mutex, by the test's own threads. */
#include "support/proxy.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include "support/proxy_pair.h"

enum { PAIRS = 256, BACKLOG = 64, PACKET = 65536 };

/* What poll(2) watches: these, then the two sides of each pair. */
enum { WAKE, LISTENER, FIRST_PAIR, FDS = FIRST_PAIR + 2 * PAIRS };

struct proxy {
	pthread_t thread;
	int listener, wake[2];
	struct sockaddr_in server;
	char url[512];

	pthread_mutex_t mutex; /* guards what follows */
	bool stop, refusing;
	enum proxy_mode mode; /* of connections to come */
	struct proxy_pair pairs[PAIRS];
	char mark[64]; /* of proxy_set_at(); "": none, or it was met */
	int countdown; /* of proxy_set_after(); 0: none */
	enum proxy_mode next;
	bool hit;
};

/* ---- the thread; the mutex is held but in poll() -----------------------------------------------
 */

static void set_all(struct proxy *p, enum proxy_mode mode)
{
	p->mode = mode;
	for (int i = 0; i < PAIRS; i++)
		proxy_pair_set(&p->pairs[i], mode);
}

static void hit(struct proxy *p, struct proxy_pair *pair)
{
	pair->armed = false;
	pair->mode = p->next;
	p->hit = true;
}

/* Is this packet the one that the test waits for? To PostgreSQL a statement's text goes together
 * with its first run, to MySQL before it. */
static void look_out(struct proxy *p, struct proxy_pair *pair, const char *data, size_t len)
{
	if (pair->armed)
		hit(p, pair);
	if (p->mark[0] && memmem(data, len, p->mark, strlen(p->mark))) {
		p->mark[0] = '\0';
		if (on_backend("mysql"))
			pair->armed = true;
		else
			hit(p, pair);
	}
	if (p->countdown > 0 && --p->countdown == 0) {
		set_all(p, p->next);
		p->hit = true;
	}
}

/* One read, of what may not be there any more; 0: the end, -1: nothing. */
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
		if (++pair == p->pairs + PAIRS) {
			fprintf(stderr, "proxy: more than %d connections\n", PAIRS);
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
	for (int i = 0; i < PAIRS; i++) {
		struct pollfd *at = &fds[FIRST_PAIR + 2 * i];
		int64_t due = proxy_pair_send_due(&p->pairs[i], now);

		at[0] = (struct pollfd){.fd = p->pairs[i].client, .events = POLLIN};
		at[1] = (struct pollfd){.fd = p->pairs[i].server, .events = POLLIN};
		first = due < first ? due : first;
	}
	return (int)(first - now);
}

static void *forward(void *arg)
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
		for (int i = 0; i < PAIRS; i++)
			serve(p, &p->pairs[i], &fds[FIRST_PAIR + 2 * i]);
	}
	pthread_mutex_unlock(&p->mutex);
	return NULL;
}

/* ---- making -------------------------------------------------------------------------------------
 */

/* postgresql://postgres@127.0.0.1:PORT/NAME, and likewise mysql://: see tests/servers. */
static void read_url(struct proxy *p, const char *url, int port)
{
	const char *host = strchr(strstr(url, "://") + 3, '@') + 1, *rest = strchr(host, '/');

	assert_int_equal(strncmp(host, "127.0.0.1:", 10), 0);
	p->server = (struct sockaddr_in){.sin_family = AF_INET,
					 .sin_port = htons((uint16_t)atoi(host + 10)),
					 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	snprintf(p->url, sizeof(p->url), "%.*s127.0.0.1:%d%s", (int)(host - url), url, port, rest);
}

static int bind_to(int *port)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)*port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;

	/* Else the connections that it has taken would keep it from listening again. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) ||
	    getsockname(fd, (struct sockaddr *)&at, &len)) {
		close(fd);
		return -1;
	}
	*port = ntohs(at.sin_port);
	return fd;
}

/* Returns the port. It is bound by number: one that the kernel chooses does not survive
 * proxy_refuse(). */
static int listen_somewhere(struct proxy *p)
{
	int port;

	do {
		port = 0;
		close(bind_to(&port));
		p->listener = bind_to(&port);
	} while (p->listener < 0);
	assert_int_equal(listen(p->listener, BACKLOG), 0);
	return port;
}

struct proxy *proxy_new(void)
{
	struct proxy *p = calloc(1, sizeof(*p));

	for (int i = 0; i < PAIRS; i++)
		p->pairs[i].client = p->pairs[i].server = -1;
	read_url(p, test_env("DBLOCK_TEST_TCP_URL"), listen_somewhere(p));
	assert_int_equal(pipe(p->wake), 0);
	pthread_mutex_init(&p->mutex, NULL);
	assert_int_equal(pthread_create(&p->thread, NULL, forward, p), 0);
	return p;
}

static void enter(struct proxy *p)
{
	pthread_mutex_lock(&p->mutex);
}

static void leave(struct proxy *p)
{
	pthread_mutex_unlock(&p->mutex);
	assert_int_equal(write(p->wake[1], "", 1), 1);
}

void proxy_free(struct proxy *p)
{
	enter(p);
	p->stop = true;
	leave(p);
	pthread_join(p->thread, NULL);
	for (int i = 0; i < PAIRS; i++) {
		p->pairs[i].mode = PROXY_PASS;
		p->pairs[i].leaving = false;
		proxy_pair_cut(&p->pairs[i]);
	}
	close(p->listener);
	close(p->wake[0]);
	close(p->wake[1]);
	pthread_mutex_destroy(&p->mutex);
	free(p);
}

const char *proxy_url(const struct proxy *p)
{
	return p->url;
}

struct dblock_client *proxy_client(const struct proxy *p, int64_t ttl_ms)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;

	options.ttl_ms = ttl_ms;
	options.timeout_ms = PLENTY_MS;
	options.auto_migrate = 1;
	expect(OK, dblock_open(p->url, &options, &client, &err));
	return client;
}

/* ---- changing
 * ------------------------------------------------------------------------------------ */

void proxy_set(struct proxy *p, enum proxy_mode mode)
{
	enter(p);
	set_all(p, mode);
	leave(p);
}

void proxy_set_at(struct proxy *p, const char *name, enum proxy_mode mode)
{
	enter(p);
	snprintf(p->mark, sizeof(p->mark), "-- %s:", name);
	p->next = mode;
	p->hit = false;
	leave(p);
}

void proxy_set_after(struct proxy *p, int n, enum proxy_mode mode)
{
	enter(p);
	p->countdown = n + 1;
	p->next = mode;
	p->hit = false;
	leave(p);
}

bool proxy_has_hit(struct proxy *p)
{
	bool yes;

	enter(p);
	yes = p->hit;
	leave(p);
	return yes;
}

void proxy_wait_hit(struct proxy *p)
{
	int64_t until = clock_ms() + PLENTY_MS;

	while (!proxy_has_hit(p) && clock_ms() < until)
		sleep_ms(2);
	assert_true(proxy_has_hit(p));
}

void proxy_refuse(struct proxy *p, bool refuse)
{
	int rc;

	enter(p);
	rc = refuse ? shutdown(p->listener, SHUT_RDWR) : listen(p->listener, BACKLOG);
	p->refusing = refuse;
	leave(p);
	assert_int_equal(rc, 0);
}

static void cut(struct proxy *p, bool held_only)
{
	enter(p);
	for (int i = 0; i < PAIRS; i++) {
		if (!held_only || proxy_pair_holds(&p->pairs[i]))
			proxy_pair_cut(&p->pairs[i]);
	}
	leave(p);
}

void proxy_cut(struct proxy *p)
{
	cut(p, false);
}

void proxy_cut_held(struct proxy *p)
{
	cut(p, true);
}

static bool is_delivered(struct proxy *p)
{
	bool yes = true;

	enter(p);
	for (int i = 0; i < PAIRS; i++)
		yes = yes && !(p->pairs[i].leaving && p->pairs[i].server >= 0);
	leave(p);
	return yes;
}

void proxy_deliver(struct proxy *p)
{
	int64_t until = clock_ms() + PLENTY_MS;

	enter(p);
	for (int i = 0; i < PAIRS; i++)
		proxy_pair_deliver(&p->pairs[i]);
	leave(p);
	while (!is_delivered(p) && clock_ms() < until)
		sleep_ms(2);
	assert_true(is_delivered(p));
}
