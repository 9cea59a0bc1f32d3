/* SPDX-License-Identifier: MIT */
/*
 * A history, told call by call: the rules are about this. A call is one acquire and all that
 * followed, up to its release; or a release by token alone, of a grant that may be anybody's; or a
 * break.
 *
 * A call holds its lock certainly for a shorter time than it possibly does, and each rule takes the
 * time that it needs. Certainly: from when its client had received the grant until it began to
 * release it, or was told that it is lost, or somebody else began to take it away by force; but no
 * longer than the handle was seen to be valid, or the process lived: the kernel tells others at once
 * that it was killed. Possibly: all time besides, while a reply is
 * under way, or a row of the dead is left.
 */
#ifndef TESTS_HISTORY_STORY_H
#define TESTS_HISTORY_STORY_H

#include "history/pace.h"

#define NEVER INT64_MAX

/* Events that did not happen are NULL. */
struct call {
	const struct event *called, *queued, *canceling, *granted, *declined, *told, *releasing,
		*released, *killed; /* queued: the last time, as a new session gets a new ticket */
	/* The call may be none of these, but a break of what somebody has: */
	const struct event *breaking, *broken;
	/* The first break that may have taken its grant away; and the first that need not have
	 * waited until its holder knew (story_breaks.c). */
	const struct event *taken, *forced;
	/* The transaction that was fenced last: */
	const struct event *fencing, *fenced, *written, *committing, *committed;
	int outcomes, releases, ends, tellings; /* how many of each: one is right */
	int changes, changed;                   /* upgrades and downgrades; those that ended */
	int client, thread;
	const struct event *first; /* of all the call's events */
	int64_t valid_until;       /* the latest time up to which it was known to be valid */
	const struct call *enters; /* the same thread's, whose grant it got again, or NULL */
};

/* A time in which a call certainly holds its name in one mode. An upgrade ends one stay and begins
 * another; so does a downgrade, whose stay in the weaker mode begins when it is asked for. */
struct stay {
	struct call *call;
	const struct event *asked, *begins; /* begins: GRANTED, UPGRADED, DOWNGRADING, DOWNGRADED */
	int mode;
	int64_t weight, capacity, token;
	int64_t until; /* the holder relied on it until then */
};

/* An upgrade or a downgrade; `ended` is NULL if its end was never recorded. */
struct change {
	struct call *call;
	const struct event *began, *ended;
};

/* All who wait for a name are made to wait for so long already; `ended` is NULL if its end was never recorded. */
struct ageing {
	const struct event *began, *ended;
};

/* All that is about one name: the calls by when they began, the grants by when they were received,
 * the stays and changes by when they began, and what was presented to the protected resource. */
struct lock_story {
	const char *name;
	struct call **calls, **grants;
	struct stay **stays;
	struct change **changes;
	const struct event **presented;
	struct ageing *ageings;
	size_t n_calls, n_grants, n_stays, n_changes, n_presented, n_ageings;
	/* How many permits there are changes: who could have it together is not known, and rules about that
	 * pass it over. */
	bool resized;
};

struct client_story {
	int id;
	const struct event *opened, *closed, *killed;
	int64_t ttl;
	int64_t row_wait; /* for so long one of its statements may wait for a row */
	bool posts;       /* its releases need not wait for the database */
};

/* A time in which a client could not do what it should; client 0: nobody could. */
struct trouble {
	int client;
	enum event_kind kind; /* the event that began it */
	int64_t from, to;
};

struct story {
	const struct history *history;
	struct call *calls; /* by client, then by wait */
	size_t n_calls;
	struct stay *stays;
	struct change *changes;
	size_t n_stays, n_changes;
	struct lock_story *locks; /* by name */
	size_t n_locks;
	struct client_story *clients; /* [id]; those without a history have id 0 */
	size_t n_clients;
	struct trouble *troubles;
	size_t n_troubles;
	struct pace pace;
	int64_t end; /* of the history */
};

/* The history must stay as it is while the story exists. */
void story_tell(struct story *, const struct history *);
void story_free(struct story *);

/* Returns when `span` of the time that counts (pace.h) has passed since `from`. */
int64_t story_after(const struct story *, int64_t from, int64_t span);

/* Returns NULL if the client is unknown. */
const struct client_story *story_client(const struct story *, int id);

/* Returns when the outcome came: NEVER if none did. */
int64_t call_ended(const struct call *);

/* Returns when the call's caller stopped wanting the lock; the library may learn of it later. */
int64_t call_left(const struct call *);

/* Returns when the call's holder stopped relying on the grant. */
int64_t call_relied_until(const struct call *);

/* Returns the mode in which a call waits. */
int call_mode(const struct call *);

/* Tells whether two clients may hold in these modes at the same time; permits have to be added up
 * besides. */
bool modes_agree(int a, int b);

/* Tells whether two stays, or what two calls asked for, may be at the same time. */
bool stays_agree(const struct stay *, const struct stay *);

/* Tells whether the stay begins with its own token. */
bool stay_is_grant(const struct stay *);

/* Tells whether the thread entered again what it held: then they are one hold. */
bool stays_are_one(const struct stay *, const struct stay *);

/* A call that waited in between may have been granted the lock, and have lost it by force before it
 * heard of that: then it waits again. */
bool waiter_may_be_broken(const struct lock_story *, int64_t from, int64_t until);

/* Tells whether the handle was of any use when its holder received it. */
bool call_was_of_use(const struct call *);

#endif
