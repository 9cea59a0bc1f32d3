/* SPDX-License-Identifier: MIT */
/*
 * Two locks at a time, in one thread with one loop: event_loop [URL]
 *
 * Each wait has a file descriptor; epoll(7) says when one of them has something to do. Between two
 * steps the loop is free for whatever else it has: here, a second client that holds both locks at
 * first, and gives them back one after the other when a timer ticks. No step waits for the database,
 * and nor does a release that is begun here: threads of the client ask it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <dblock/dblock.h>

enum { LOCKS = 2, TICK_MS = 200 };

static const char *const names[LOCKS] = {"left", "right"};

struct loop {
	int epoll, timer;
	struct dblock_client *holder, *client;
	struct dblock_lock *held[LOCKS];  /* the holder's */
	struct dblock_wait *waits[LOCKS]; /* ours: for a lock, and then for its release */
	int going_on;                     /* how many of these are */
};

static void check(int rc, const struct dblock_error *err)
{
	if (rc == DBLOCK_OK)
		return;
	fprintf(stderr, "event_loop: %s\n", err->message);
	exit(EXIT_FAILURE);
}

static struct dblock_client *client(const char *url)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client;
	struct dblock_error err;

	options.auto_migrate = 1;
	check(dblock_open(url, &options, &client, &err), &err);
	return client;
}

/* The loop hears of this descriptor under that number. */
static void watch(struct loop *loop, int fd, int number)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = number};

	if (fd < 0 || epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event)) {
		perror("event_loop");
		exit(EXIT_FAILURE);
	}
}

static void watch_wait(struct loop *loop, int i)
{
	struct dblock_error err;
	int fd;

	check(dblock_wait_fd(loop->waits[i], &fd, &err), &err);
	watch(loop, fd, i);
}

static void begin(struct loop *loop, int i)
{
	struct dblock_error err;

	check(dblock_acquire_begin(loop->client, names[i], NULL, &loop->waits[i], &err), &err);
	watch_wait(loop, i);
	loop->going_on++;
	printf("waiting for %s\n", names[i]);
}

/* What a wait has brought, a lock or the news that it is released. The descriptor leaves the loop as
 * dblock_wait_end() closes it. */
static void end(struct loop *loop, int i, struct dblock_lock *lock)
{
	struct dblock_error err;

	dblock_wait_end(loop->waits[i]);
	if (!lock) {
		loop->going_on--;
		printf("%s is released\n", names[i]);
		return;
	}
	printf("got %s, with token %lld\n", names[i], (long long)dblock_token(lock));
	check(dblock_release_begin(lock, &loop->waits[i], &err), &err);
	watch_wait(loop, i);
}

static void step(struct loop *loop, int i)
{
	struct dblock_error err;
	struct dblock_lock *lock;
	int rc = dblock_wait_step(loop->waits[i], &lock, &err);

	if (rc == DBLOCK_WAITING)
		return;
	check(rc, &err);
	end(loop, i, lock);
}

/* The holder gives back one of its locks, the last one first. */
static void tick(struct loop *loop)
{
	struct dblock_error err;
	uint64_t ticks;

	if (read(loop->timer, &ticks, sizeof(ticks)) != sizeof(ticks))
		return;
	for (int i = LOCKS - 1; i >= 0; i--) {
		if (!loop->held[i])
			continue;
		printf("%s is given back\n", names[i]);
		check(dblock_release(loop->held[i], &err), &err);
		loop->held[i] = NULL;
		return;
	}
}

static void run(struct loop *loop)
{
	struct epoll_event events[LOCKS + 1];

	while (loop->going_on > 0) {
		int n = epoll_wait(loop->epoll, events, LOCKS + 1, -1);

		for (int e = 0; e < n; e++) {
			if (events[e].data.fd == LOCKS)
				tick(loop);
			else
				step(loop, events[e].data.fd);
		}
	}
}

int main(int argc, char **argv)
{
	const char *url = argc > 1 ? argv[1] : "sqlite:event_loop.db";
	struct itimerspec every = {.it_interval.tv_nsec = TICK_MS * 1000000,
				   .it_value.tv_nsec = TICK_MS * 1000000};
	struct loop loop = {.epoll = epoll_create1(EPOLL_CLOEXEC),
			    .timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)};
	struct dblock_error err;

	loop.holder = client(url);
	loop.client = client(url);
	watch(&loop, loop.timer, LOCKS);
	for (int i = 0; i < LOCKS; i++) {
		check(dblock_try(loop.holder, names[i], NULL, &loop.held[i], &err), &err);
		begin(&loop, i);
	}
	timerfd_settime(loop.timer, 0, &every, NULL);
	run(&loop);
	dblock_close(loop.client, NULL);
	dblock_close(loop.holder, NULL);
	close(loop.timer);
	close(loop.epoll);
	return EXIT_SUCCESS;
}
