/* SPDX-License-Identifier: MIT */
#include "support/proxy_pair.h"

#include <errno.h>
#include <sys/socket.h>

/* ---- sockets and queues ---------------------------------------------------------------------- */

static void end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void reset(int *fd)
{
	struct linger now = {.l_onoff = 1, .l_linger = 0};

	if (*fd >= 0)
		setsockopt(*fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	end(fd);
}

/* The peer may have gone: we hear of that when we read. */
static void send_all(int fd, const char *data, size_t len)
{
	while (fd >= 0 && len > 0) {
		ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			return;
		data += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
}

static void queue_drop(struct proxy_queue *queue)
{
	free(queue->data);
	*queue = (struct proxy_queue){0};
}

static void queue_add(struct proxy_queue *queue, const char *data, size_t len, int64_t due)
{
	if (queue->len == 0)
		queue->due = due;
	queue->data = realloc(queue->data, queue->len + len);
	memcpy(queue->data + queue->len, data, len);
	queue->len += len;
}

static void queue_send(struct proxy_queue *queue, int fd)
{
	send_all(fd, queue->data, queue->len);
	queue_drop(queue);
}

/* ---- the test's side ------------------------------------------------------------------------- */

bool proxy_pair_is_over(const struct proxy_pair *pair)
{
	return pair->client < 0 && pair->server < 0;
}

bool proxy_pair_holds(const struct proxy_pair *pair)
{
	return pair->mode == PROXY_HOLD && pair->up.len > 0;
}

void proxy_pair_cut(struct proxy_pair *pair)
{
	reset(&pair->client);
	queue_drop(&pair->down);
	if (proxy_pair_holds(pair) || pair->leaving)
		return;
	queue_drop(&pair->up);
	end(&pair->server);
}

/* Tells whether one side hears of the other's end. */
static bool tells_ends(const struct proxy_pair *pair)
{
	return pair->mode == PROXY_PASS || pair->mode == PROXY_SLOW;
}

void proxy_pair_set(struct proxy_pair *pair, enum proxy_mode mode)
{
	bool half = (pair->client < 0) != (pair->server < 0);

	if (proxy_pair_holds(pair) || pair->leaving)
		return;
	pair->mode = mode;
	if (tells_ends(pair) && (pair->torn || half))
		proxy_pair_cut(pair);
}

void proxy_pair_deliver(struct proxy_pair *pair)
{
	if (!proxy_pair_holds(pair))
		return;
	pair->leaving = true;
	queue_send(&pair->up, pair->server);
	reset(&pair->client);
	if (pair->server >= 0)
		shutdown(pair->server, SHUT_WR);
}

/* ---- the wire's side ------------------------------------------------------------------------- */

static void client_ended(struct proxy_pair *pair)
{
	end(&pair->client);
	queue_drop(&pair->down);
	if (!tells_ends(pair))
		return;
	queue_send(&pair->up, pair->server);
	end(&pair->server);
}

static void server_ended(struct proxy_pair *pair)
{
	end(&pair->server);
	queue_drop(&pair->up);
	if (pair->mode == PROXY_SILENT || pair->mode == PROXY_SWALLOW)
		return;
	queue_send(&pair->down, pair->client);
	end(&pair->client);
}

void proxy_pair_client_said(struct proxy_pair *pair, const char *data, size_t len)
{
	pair->trips += len > 0 && !pair->asks;
	pair->asks = len > 0;
	if (len == 0)
		client_ended(pair);
	else if (pair->mode == PROXY_SLOW)
		queue_add(&pair->up, data, len, clock_ms() + PROXY_SLOW_MS);
	else if (pair->mode == PROXY_HOLD)
		queue_add(&pair->up, data, len, 0);
	else if (pair->mode == PROXY_SILENT)
		pair->torn = true;
	else if (pair->mode == PROXY_TEAR)
		proxy_pair_cut(pair);
	else
		send_all(pair->server, data, len);
}

void proxy_pair_server_said(struct proxy_pair *pair, const char *data, size_t len)
{
	pair->asks = false;
	if (len == 0)
		server_ended(pair);
	else if (pair->mode == PROXY_SLOW)
		queue_add(&pair->down, data, len, clock_ms() + PROXY_SLOW_MS);
	else if (pair->mode == PROXY_SILENT || pair->mode == PROXY_SWALLOW)
		pair->torn = true;
	else if (pair->mode == PROXY_LOSE)
		proxy_pair_cut(pair);
	else
		send_all(pair->client, data, len);
}

static int64_t queue_due(struct proxy_queue *queue, int fd, int64_t now)
{
	if (queue->due && queue->due <= now)
		queue_send(queue, fd);
	return queue->due ? queue->due : INT64_MAX;
}

int64_t proxy_pair_send_due(struct proxy_pair *pair, int64_t now)
{
	int64_t up = queue_due(&pair->up, pair->server, now);
	int64_t down = queue_due(&pair->down, pair->client, now);

	return up < down ? up : down;
}
