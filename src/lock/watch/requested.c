/* SPDX-License-Identifier: MIT */
/* Being asked: on the heartbeat thread, and told by the watchdog. */
#include "lock/watch/requested.h"
#include "base/event.h"
#include "lock/cache/sticky.h"
#include "lock/core/name.h"
#include "lock/core/value.h"
#include "lock/handle/handle.h"
#include "lock/notify/notifier.h"
#include "lock/watch/own.h"
#include "lock/watch/watchdog.h"

/* The columns of requested, in order. */
enum { NAME, TOKEN, OVER, REASON, BY_HOST, BY_PID, BY_APP, SINCE };

/* Grants that are over, to be forgotten; more of them at the next look. */
enum { OVER_MAX = 32 };

struct over {
	char name[DBL_NAME_MAX + 1];
	int64_t token;
};

/* A look at what this process is asked for. */
struct news {
	struct dbl_locks *locks;
	struct over over[OVER_MAX];
	unsigned n_over;
	bool more; /* than there is room for */
	bool any;  /* that somebody here has to be told */
};

/* ---- one request ----------------------------------------------------------------------------- */

/* A copy of the text at *room, which moves behind it. */
static const char *put(char **room, const struct dbl_value *text)
{
	size_t len = text->type == DBL_TEXT ? text->len : 0;
	char *at = *room;

	dbl_copy_text(at, len + 1, text);
	*room += len + 1;
	return at;
}

static size_t room_for(const struct dbl_value *text)
{
	return (text->type == DBL_TEXT ? text->len : 0) + 1;
}

struct dbl_requester *dbl_requester_new(const struct dbl_value *reason,
					const struct dbl_value *host, int64_t pid,
					const struct dbl_value *app, int64_t since)
{
	size_t size = room_for(reason) + room_for(host) + room_for(app);
	struct dbl_requester *requester = dbl_alloc(sizeof(*requester) + size);
	char *room;

	if (!requester)
		return NULL;
	room = requester->texts;
	requester->request = (struct dblock_request){.size = sizeof(requester->request),
						     .reason = put(&room, reason),
						     .host = put(&room, host),
						     .pid = pid,
						     .app = put(&room, app),
						     .since_us = since};
	return requester;
}

/* ---- looking --------------------------------------------------------------------------------- */

/* Under the mutex; NULL: another client's, or given back. Any name, if that is NULL. A handle of
 * several names is asked for all of them, whichever is meant. */
static struct dblock_lock *find(const struct dbl_locks *locks, const char *name, int64_t token)
{
	struct dblock_lock *lock = dbl_handle_out(locks);

	DBL_ASSERT(token > 0, "%lld", (long long)token); /* what is being acquired has none */
	while (lock && !dbl_handle_has_grant(lock, name, token))
		lock = lock->next;
	return lock;
}

static void note_over(struct news *news, const struct dbl_value *row)
{
	struct over *over = &news->over[news->n_over];

	if (news->n_over == OVER_MAX) {
		news->more = true;
		return;
	}
	dbl_copy_text(over->name, sizeof(over->name), &row[NAME]);
	over->token = row[TOKEN].i;
	news->n_over++;
}

/* It is ours, perhaps: the newest of what is not told yet counts. */
static int note_requester(struct news *news, const struct dbl_value *row)
{
	struct dbl_requester *requester = dbl_requester_new(
		&row[REASON], &row[BY_HOST], row[BY_PID].i, &row[BY_APP], row[SINCE].i);
	char name[DBL_NAME_MAX + 1];
	struct dblock_lock *lock;

	if (!requester)
		return DBLOCK_E_NOMEM;
	dbl_copy_text(name, sizeof(name), &row[NAME]);
	dbl_lock(&news->locks->mutex);
	lock = find(news->locks, name, row[TOKEN].i);
	if (lock && lock->watched.told_for != lock->grant.token) {
		struct dbl_requester *before = lock->watched.requester;

		lock->watched.requester = requester;
		lock->noted = true;
		requester = before;
		atomic_store(&lock->requested_for, lock->grant.token);
		news->any = true;
		dbl_sticky_hurry(lock);
	}
	dbl_unlock(&news->locks->mutex);
	dbl_free(requester);
	return 0;
}

static int take_row(void *ctx, const struct dbl_value *row)
{
	struct news *news = ctx;

	if (!row[OVER].i)
		return note_requester(news, row);
	note_over(news, row);
	return 0;
}

static int read_news(struct news *news, struct dbl_link *link, int64_t deadline)
{
	const struct dbl_host *host = dbl_session_host(news->locks->session);
	struct dbl_value args[] = {dbl_text(host->name), dbl_int(host->pid)};
	struct dbl_request request = {.op = DBL_OP_requested,
				      .args = DBL_ARGS(args),
				      .row = take_row,
				      .ctx = news,
				      .deadline = deadline};

	return dbl_link_run(link, &request, NULL);
}

/* A grant that is over is so for good: whoever of this process comes first may forget it. */
static void forget(const struct news *news, struct dbl_link *link, int64_t deadline)
{
	const struct dbl_host *host = dbl_session_host(news->locks->session);

	for (unsigned i = 0; i < news->n_over && dbl_now(news->locks->env) < deadline; i++) {
		struct dbl_value args[] = {dbl_text(host->name), dbl_int(host->pid),
					   dbl_text(news->over[i].name),
					   dbl_int(news->over[i].token)};
		struct dbl_request request = {
			.op = DBL_OP_request_delete, .args = DBL_ARGS(args), .deadline = deadline};

		/* Should it fail, the next heartbeat tells of it again. */
		(void)dbl_link_run(link, &request, NULL);
	}
}

void dbl_requests_read(struct dbl_locks *locks, struct dbl_link *link, int64_t deadline)
{
	struct news news = {.locks = locks};

	if (!atomic_exchange(&locks->watchdog->look_for_requests, false))
		return;
	/* What could not be read is told again by the next heartbeat. */
	(void)read_news(&news, link, deadline);
	if (news.any)
		dbl_watchdog_wake(locks);
	forget(&news, link, deadline);
	if (news.more)
		dbl_requests_look(locks, 0);
}

void dbl_requests_look(struct dbl_locks *locks, int64_t within)
{
	atomic_store(&locks->watchdog->look_for_requests, true);
	dbl_session_errand(locks->session, within);
}

void dbl_requests_there_are(void *ctx)
{
	struct dbl_locks *locks = ctx;

	atomic_store(&locks->watchdog->look_for_requests, true);
}

void dbl_requests_forget(struct dblock_lock *lock)
{
	dbl_free(lock->watched.requester);
}

void dbl_requests_notified(struct dbl_locks *locks, int64_t token)
{
	const struct dblock_lock *lock;
	bool is_news;

	dbl_lock(&locks->mutex);
	lock = find(locks, NULL, token);
	is_news = lock && !dbl_lock_is_requested(lock);
	/* Perhaps it has been granted, and the answer is still on its way. */
	if (!lock)
		locks->watchdog->wanted_early = token;
	dbl_unlock(&locks->mutex);
	if (is_news)
		dbl_requests_look(locks, 0);
}

int dbl_lock_requested_fd(struct dblock_lock *lock)
{
	struct dbl_locks *locks = lock->locks;
	int fd;

	dbl_lock(&locks->mutex);
	if (lock->requested_fd < 0)
		lock->requested_fd = dbl_event_new();
	fd = lock->requested_fd;
	if (lock->watched.told_for == lock->grant.token)
		dbl_event_set(fd);
	dbl_unlock(&locks->mutex);
	/* Nobody could ring us before. */
	if (dbl_notifier_listen(locks))
		dbl_requests_look(locks, 0);
	return fd;
}
