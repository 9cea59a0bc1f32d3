/* SPDX-License-Identifier: MIT */
/**
 * @file events.h  What happened to locks: losses, breaks, deaths, refusals; who, when, by whom.
 */
#ifndef DBLOCK_EVENTS_H
#define DBLOCK_EVENTS_H

#include <dblock/client.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What happened. That a lock was acquired, or released by its holder, is no event: nothing more is
 * written there than ever. Later versions may know more kinds.
 */
enum dblock_event_kind {
	/** A holder was told that it lost the lock before its release (loss.h); `detail` says why.
	    Written by itself, as soon as it reaches the database. Not where it was broken, released
	    by its token or handed off: that has its own event, or is none */
	DBLOCK_EVENT_LOST = 1,
	/** A session was declared dead, as no heartbeat of it was seen for its ttl; by who waits,
	    then `name` is the lock that he wanted and `token` the grant, or by the reaper, then
	    they are "" and 0. All that it held was free from then on */
	DBLOCK_EVENT_DEAD = 2,
	DBLOCK_EVENT_ENDED = 3, /**< likewise, as its process had ended (alive.h) */
	/** A grant with its own end (a lease) was over and had not been released; by who met that,
	    and freed it */
	DBLOCK_EVENT_EXPIRED = 4,
	/** dblock_break(): who has it is told, and the lock is free when he lets go; or there was
	    nobody to be told, as `detail` says, and it was free at once */
	DBLOCK_EVENT_BROKEN = 5,
	DBLOCK_EVENT_RELEASED = 6, /**< likewise, dblock_release_token() from elsewhere */
	/** What had been taken away, or what a dead session held, was freed, by whom */
	DBLOCK_EVENT_FREED = 7,
	/** A release, an extension or a fence came with a token that does not hold the lock, and was
	    refused; `detail` says what was known of it */
	DBLOCK_EVENT_REFUSED = 8,
	/** dblock_break() with `force`: it was free at once, and its holder may have been at work */
	DBLOCK_EVENT_FORCED = 9,
	DBLOCK_EVENT_SCHEMA = 10 /**< a migration of dblock's own tables was applied */
};

/**
 * One event, as read. Strings live until the callback returns; "" and 0 where unknown. Times are
 * microseconds since the epoch by the database's clock.
 */
struct dblock_event {
	size_t size; /**< sizeof(struct dblock_event) of the library */
	int64_t id;  /**< grows; there may be gaps */
	int64_t at_us;
	int64_t ago_ms; /**< since then */
	enum dblock_event_kind kind;
	const char *name;    /**< of the lock; "": of none, or of all that a session held */
	int64_t token;       /**< of the grant; 0: of none */
	const char *host;    /**< to whom it happened: where, */
	int64_t pid;         /**< which process there, */
	const char *app;     /**< what it calls itself, */
	const char *session; /**< and its session */
	const char *by_host; /**< who did it, or noticed it: where, */
	int64_t by_pid;      /**< which process there, */
	const char *by_app;  /**< and what it calls itself */
	const char *detail;  /**< for people: a line of English, or "" */
};

/** Called for each event found. Not 0 ends the listing, which then returns that number. */
typedef int dblock_event_cb(void *arg, const struct dblock_event *event);

/** Options of dblock_events(). Zero means the default, everywhere. */
struct dblock_events_options {
	size_t size;      /**< sizeof(struct dblock_events_options), set by the initialiser */
	const char *name; /**< only of this lock; default: all, also those of no lock */
	int64_t after;    /**< only those with a larger id: what came since. Not below 0 */
	int64_t since_ms; /**< only of the last so many ms, by the database's clock. Not below 0 */
	int64_t limit;    /**< only the newest so many; default: all. Not below 0 */
};

#define DBLOCK_EVENTS_OPTIONS_INIT                                                                 \
	{                                                                                          \
		sizeof(struct dblock_events_options), NULL, 0, 0, 0                                \
	}

/** A word for the kind: "lost", "dead", ...; "?" if it is none. */
DBLOCK_API const char *dblock_event_name(enum dblock_event_kind kind);

/**
 * List what happened, the newest last. The table keeps the newest 10 000 events of the last 30 days,
 * if dblock_reap() runs now and then, and else up to about 20 000. Nothing is decided by it, and it
 * is complete only as far as its writers came: see docs/operator/events.md. Reads only; a client that was
 * opened with `observe` may.
 * @param options  NULL is allowed
 * @return DBLOCK_OK, what the callback returned, or a failure as dblock_try()
 * Thread-safe; the callback runs without any mutex held and may use the client.
 * One round trip per 200 events.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_events(struct dblock_client *client,
					      const struct dblock_events_options *options,
					      dblock_event_cb *found, void *arg,
					      struct dblock_error *err);

#ifdef __cplusplus
}
#endif
#endif
