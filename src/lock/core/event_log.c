/* SPDX-License-Identifier: MIT */
#include "lock/core/event_log.h"

#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "lock/core/context.h"
#include "session/session.h"

/* More than so many are not kept in memory. */
enum { PENDING_MAX = 64, TRIM_BATCH = 1000 };

/* The table is looked after by one in so many writers. */
#define TRIM_ONE_IN 64

/* What the column holds, in characters, which are at most so many bytes. */
enum { DETAIL_MAX = 1000 };

struct dbl_event_note {
	struct dbl_event_note *next;
	enum dblock_event_kind kind;
	int64_t at; /* on our clock */
	int64_t token;
	char session[33];
	char name[256];
	char detail[DETAIL_MAX + 1];
};

static void append(struct dbl_locks *locks, struct dbl_event_note *note)
{
	struct dbl_event_log *log = &locks->event_log;
	struct dbl_event_note **at = &log->first;

	DBL_ASSERT_HELD(&locks->mutex);
	while (*at)
		at = &(*at)->next;
	*at = note;
	log->n++;
}

/* Lets the heartbeat thread come to it. */
static void make_due(struct dbl_locks *locks)
{
	atomic_store(&locks->event_log.due, true);
	dbl_session_errand(locks->session, 0);
}

/* Is it this writer who looks after the table? The clock's last digits serve as dice. */
static void throw_dice(struct dbl_locks *locks)
{
	if (dbl_wall(locks->env) % TRIM_ONE_IN == 0)
		atomic_store(&locks->event_log.trim, true);
}

void dbl_event_written(struct dbl_locks *locks)
{
	if (!locks->session)
		return;
	throw_dice(locks);
	if (atomic_load(&locks->event_log.trim))
		make_due(locks);
}

void dbl_event_note(struct dbl_locks *locks, enum dblock_event_kind kind, const char *name,
		    int64_t token, const char *session, const char *detail)
{
	struct dbl_event_note *note;
	bool room;

	if (!locks->session)
		return;
	note = dbl_alloc(sizeof(*note));
	if (!note)
		return;
	note->kind = kind;
	note->at = dbl_now(locks->env);
	note->token = token;
	dbl_utf8_cut(note->session, sizeof(note->session), session);
	dbl_utf8_cut(note->name, sizeof(note->name), name);
	dbl_utf8_cut(note->detail, sizeof(note->detail), detail);
	dbl_lock(&locks->mutex);
	room = locks->event_log.n < PENDING_MAX;
	if (room)
		append(locks, note);
	dbl_unlock(&locks->mutex);
	if (!room)
		dbl_free(note);
	throw_dice(locks);
	/* Whose session is over begins another one soon, and it goes with that. */
	if (*session)
		atomic_store(&locks->event_log.due, true);
	else
		make_due(locks);
}

static struct dbl_event_note *pop(struct dbl_locks *locks)
{
	struct dbl_event_log *log = &locks->event_log;
	struct dbl_event_note *note;

	dbl_lock(&locks->mutex);
	note = log->first;
	if (note) {
		log->first = note->next;
		log->n--;
	}
	dbl_unlock(&locks->mutex);
	return note;
}

static void put_back(struct dbl_locks *locks, struct dbl_event_note *note)
{
	dbl_lock(&locks->mutex);
	note->next = locks->event_log.first;
	locks->event_log.first = note;
	locks->event_log.n++;
	dbl_unlock(&locks->mutex);
	atomic_store(&locks->event_log.due, true);
}

static int write_one(struct dbl_locks *locks, struct dbl_link *link,
		     const struct dbl_event_note *note, int64_t deadline)
{
	const struct dbl_host *host = locks->host;
	int64_t ago = dbl_now(locks->env) - note->at;
	struct dbl_value args[] = {
		dbl_int(ago), dbl_int(note->kind),     dbl_text(note->name), dbl_int(note->token),
		DBL_BY(host), dbl_text(note->session), dbl_text(""),         dbl_int(0),
		dbl_text(""), dbl_text(note->detail)};
	struct dbl_request request = {
		.op = DBL_OP_event, .args = DBL_ARGS(args), .deadline = deadline};

	return dbl_link_run(link, &request, NULL);
}

static void trim(struct dbl_locks *locks, struct dbl_link *link, int64_t deadline)
{
	struct dbl_value args[] = {dbl_int(DBL_EVENTS_KEPT_UNREAPED), dbl_int(DBL_EVENTS_KEPT_US),
				   dbl_int(TRIM_BATCH)};
	struct dbl_request request = {
		.op = DBL_OP_reap_events, .args = DBL_ARGS(args), .deadline = deadline};

	if (!atomic_exchange(&locks->event_log.trim, false))
		return;
	do {
		if (dbl_link_run(link, &request, NULL))
			return;
	} while (request.changed == TRIM_BATCH);
}

/* One whose reply was lost may have been written, and is not written again. */
void dbl_events_write(struct dbl_locks *locks, struct dbl_link *link, int64_t deadline)
{
	struct dbl_event_note *note;

	if (!atomic_exchange(&locks->event_log.due, false))
		return;
	while ((note = pop(locks))) {
		int rc = write_one(locks, link, note, deadline);

		if (rc && rc != DBLOCK_E_UNSURE && dbl_link_may_pass(link, rc)) {
			put_back(locks, note);
			return;
		}
		dbl_free(note);
	}
	trim(locks, link, deadline);
}

void dbl_event_log_free(struct dbl_event_log *log)
{
	struct dbl_event_note *note;

	while ((note = log->first)) {
		log->first = note->next;
		dbl_free(note);
	}
}
