/* SPDX-License-Identifier: MIT */
/* Requests are read by the heartbeat thread, and told by the watchdog. */
#include "lock/watch/requested.h"
#include "base/event.h"
#include "lock/cache/sticky.h"
#include "lock/core/name.h"
#include "lock/core/value.h"
#include "lock/handle/handle.h"
#include "lock/notify/notifier.h"
#include "lock/watch/own.h"
#include "lock/watch/watchdog.h"

/* The columns of the operation `requested`, in order. */
enum { NAME, TOKEN, OVER, REASON, BY_HOST, BY_PID, BY_APP, SINCE };

/* How many requests one look can forget. */
enum { OVER_MAX = 32 };

/* A request for a grant that is over. */
struct over {
	char name[DBL_NAME_MAX + 1];
	int64_t token;
};

/* What one look at the requests of this process has found. */
struct news {
	struct dbl_locks *locks;
	struct over over[OVER_MAX];
	unsigned n_over;
	bool more; /* there are more that are over */
	bool any;  /* there is one that a holder has to be told */
};

/* ---- one request ----------------------------------------------------------------------------- */

/* Copy the text to *room, and move that behind the copy. */
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
	requester->request = (struct dblock_release_request){.size = sizeof(requester->request),
							     .reason = put(&room, reason),
							     .host = put(&room, host),
							     .pid = pid,
							     .app = put(&room, app),
							     .since_us = since};
	return requester;
}

/* ---- looking --------------------------------------------------------------------------------- */

/* Under the mutex: the handle that has this grant; a name of NULL stands for any. NULL: another
 * client of the process has it, or it was given back. */
static struct dblock_lock *find(const struct dbl_locks *locks, const char *name, int64_t token)
{
	struct dblock_lock *lock = dbl_handle_out(locks);

	DBL_ASSERT(token > 0, "%lld", (long long)token); /* what is not granted yet has none */
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

/* Note a request for a grant of this client's, in the place of one that was not told yet. */
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
	const struct dbl_host *host = news->locks->host;
	struct dbl_value args[] = {dbl_text(host->name), dbl_int(host->pid)};
	struct dbl_request request = {.op = DBL_OP_requested,
				      .args = DBL_ARGS(args),
				      .row = take_row,
				      .ctx = news,
				      .deadline = deadline};

	return dbl_link_run(link, &request, NULL);
}

/* A grant that is over is so for good: any client of this process may delete the request. */
static void forget(const struct news *news, struct dbl_link *link, int64_t deadline)
{
	const struct dbl_host *host = news->locks->host;

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
	/* The grant may be one whose reply is still on its way. */
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
	/* Before this client listened, nobody could tell it of a request. */
	if (dbl_notifier_listen(locks))
		dbl_requests_look(locks, 0);
	return fd;
}
