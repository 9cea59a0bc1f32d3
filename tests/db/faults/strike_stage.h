/* SPDX-License-Identifier: MIT */
/* A scene of the strike tests, and what it plays on. */
#ifndef TESTS_DB_STRIKE_STAGE_H
#define TESTS_DB_STRIKE_STAGE_H

#include "api/client.h"
#include "support/raw.h"
#include "support/strike.h"

/* A heartbeat is due every ten minutes: only when the clock is put forward. */
enum { TTL_MS = 30 * 60000, BEAT_MS = TTL_MS / 3, TIMEOUT_MS = 60000, DAY_MS = 24 * 3600000 };

struct stage {
	struct strike *strike;
	struct dblock_client *calm; /* looks on, and is never struck */
	struct raw *raw;
	struct dblock_client *client; /* is struck; NULL if the scene opens or closes it */
	struct dblock_lock *lock;     /* held by the client */
	struct dblock_lock *theirs;   /* held by the calm one */
	void *own;                    /* for the scene */
	enum strike_kind kind;
	int asked; /* the number of a callback's calls */
	int k;
};

struct scene {
	const char *name;
	void (*prepare)(struct stage *);
	int (*call)(struct stage *, struct dblock_error *);
	void (*check)(struct stage *, int rc); /* that rc is true, resolved or not */
	void (*clear)(struct stage *);         /* ends what prepare made */
	int least;                             /* the least number of driver calls */
	int64_t within_ms; /* the longest it may take, by the virtual clock; 0: not promised */
	/* The outcomes that the header documents, besides DBLOCK_OK; 0 at the end. A single loss
	 * must be made up for, unless `frail`. */
	int may[8];
	bool frail;
	bool brief;     /* its wait is over before a request is: see had_time_to_heal(); */
	bool large;     /* has many calls that are much alike: see is_played(); */
	bool huge;      /* has hundreds of them */
	unsigned kinds; /* a bit for each kind that it is played with; 0: all */
};

static const char *const strike_names[STRIKE_KINDS] = {
	"unsent", "lost", "reply lost",   "half a reply", "stubborn",     "down",
	"dark",   "late", "late, pooled", "stray",        "stray, pooled"};

static inline bool is_pooled(enum strike_kind kind)
{
	return kind == STRIKE_LATE_POOLED || kind == STRIKE_STRAY_POOLED;
}

#define KIND(name) (1u << STRIKE_##name)

/* If a call changes nothing, it does not matter how much was carried out, nor when. */
#define KINDS_OF_READS (KIND(LOST) | KIND(HALF) | KIND(DOWN) | KIND(DARK))

#define strike_fail(s, scene, ...)                                                                 \
	do {                                                                                       \
		print_error("%s, call %d (%s) %s: ", (scene)->name, (s)->k,                        \
			    strike_what((s)->strike), strike_names[(s)->kind]);                    \
		fail_msg(__VA_ARGS__);                                                             \
	} while (0)

/* ---- clients -------------------------------------------------------------------------------- */

static inline int strike_open_client(struct stage *s, const char *url, struct dblock_error *err)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.ttl_ms = TTL_MS;
	options.timeout_ms = TIMEOUT_MS;
	options.app = "struck";
	return dbl_client_open(url, &options, strike_env(s->strike), &s->client, err);
}

static inline void with_client(struct stage *s)
{
	struct dblock_error err = {0};

	expect(OK, strike_open_client(s, test_url(), &err));
}

static inline void with_lock(struct stage *s)
{
	with_client(s);
	s->lock = take(s->client, "x");
}

static inline struct dblock_lock *take_lease(struct dblock_client *client, const char *name)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	how.lease_ms = DAY_MS;
	expect(OK, dblock_try(client, name, &how, &lock, &err));
	return lock;
}

static inline void with_lease(struct stage *s)
{
	with_client(s);
	s->lock = take_lease(s->client, "x");
}

static inline int64_t live_sessions(struct stage *s)
{
	return raw_int(s->raw,
		       "SELECT count(*) FROM dblock_session WHERE NOT dead AND app = 'struck'");
}

#endif
