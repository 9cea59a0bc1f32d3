/* SPDX-License-Identifier: MIT */
#include "support/proxy.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include "support/proxy_own.h"

enum { BACKLOG = 64 };

/* ---- making ---------------------------------------------------------------------------------- */

/* Reads postgresql://postgres@127.0.0.1:PORT/NAME, and likewise mysql://: see tests/servers. The
 * proxy reads some packets, which MySQL would encrypt otherwise. */
static void read_url(struct proxy *p, const char *url, int port)
{
	const char *host = strchr(strstr(url, "://") + 3, '@') + 1, *rest = strchr(host, '/');

	assert_int_equal(strncmp(host, "127.0.0.1:", 10), 0);
	p->server = (struct sockaddr_in){.sin_family = AF_INET,
					 .sin_port = htons((uint16_t)atoi(host + 10)),
					 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	snprintf(p->url, sizeof(p->url), "%.*s127.0.0.1:%d%s%s", (int)(host - url), url, port, rest,
		 on_backend("mysql") ? "?ssl-mode=DISABLED" : "");
}

static int bind_to(int *port)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)*port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;

	/* Otherwise the connections that it has accepted would keep it from listening again. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) ||
	    getsockname(fd, (struct sockaddr *)&at, &len)) {
		close(fd);
		return -1;
	}
	*port = ntohs(at.sin_port);
	return fd;
}

/* Returns the port. It is bound by number: a port that the kernel chooses does not survive
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

struct proxy *proxy_new_to(const char *url)
{
	struct proxy *p = calloc(1, sizeof(*p));

	for (int i = 0; i < PROXY_PAIRS; i++)
		p->pairs[i].client = p->pairs[i].server = -1;
	read_url(p, url, listen_somewhere(p));
	assert_int_equal(pipe(p->wake), 0);
	pthread_mutex_init(&p->mutex, NULL);
	assert_int_equal(pthread_create(&p->thread, NULL, proxy_forward, p), 0);
	return p;
}

struct proxy *proxy_new(void)
{
	return proxy_new_to(test_env("DBLOCK_TEST_TCP_URL"));
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
	for (int i = 0; i < PROXY_PAIRS; i++) {
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

/* ---- changing -------------------------------------------------------------------------------- */

void proxy_set(struct proxy *p, enum proxy_mode mode)
{
	enter(p);
	proxy_set_all(p, mode);
	leave(p);
}

void proxy_set_new(struct proxy *p, enum proxy_mode mode)
{
	enter(p);
	p->mode = mode;
	leave(p);
}

static void set_at(struct proxy *p, const char *mark, bool at_once, enum proxy_mode mode)
{
	enter(p);
	snprintf(p->mark, sizeof(p->mark), "%s", mark);
	p->at_once = at_once;
	p->next = mode;
	p->hit = false;
	leave(p);
}

/* A statement's text goes to PostgreSQL together with its first run, to MySQL before it. */
void proxy_set_at(struct proxy *p, const char *name, enum proxy_mode mode)
{
	char mark[sizeof(p->mark)];

	snprintf(mark, sizeof(mark), "-- %s:", name);
	set_at(p, mark, !on_backend("mysql"), mode);
}

void proxy_set_at_text(struct proxy *p, const char *text, enum proxy_mode mode)
{
	set_at(p, text, true, mode);
}

void proxy_set_after(struct proxy *p, int n, enum proxy_mode mode)
{
	enter(p);
	p->countdown = n + 1;
	p->next = mode;
	p->hit = false;
	leave(p);
}

int proxy_trips(struct proxy *p)
{
	int trips = 0;

	enter(p);
	for (int i = 0; i < PROXY_PAIRS; i++)
		trips += p->pairs[i].trips;
	leave(p);
	return trips;
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
	for (int i = 0; i < PROXY_PAIRS; i++) {
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
	for (int i = 0; i < PROXY_PAIRS; i++)
		yes = yes && !(p->pairs[i].leaving && p->pairs[i].server >= 0);
	leave(p);
	return yes;
}

void proxy_deliver(struct proxy *p)
{
	int64_t until = clock_ms() + PLENTY_MS;

	enter(p);
	for (int i = 0; i < PROXY_PAIRS; i++)
		proxy_pair_deliver(&p->pairs[i]);
	leave(p);
	while (!is_delivered(p) && clock_ms() < until)
		sleep_ms(2);
	assert_true(is_delivered(p));
}
