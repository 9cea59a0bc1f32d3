/* SPDX-License-Identifier: MIT */
/* Contenders for one lock, who tell each other what they believe: never two holders, and tokens that grow. */
#ifndef TESTS_DB_QUORUM_LEDGER_H
#define TESTS_DB_QUORUM_LEDGER_H

#include "support/kit.h"

enum { CONTENDERS_MAX = 8 };

struct contender {
	struct dblock_client *client;
	struct dblock_lock *lock; /* while it believes to hold it */
	int grants, losses;
	pthread_t thread;
};

static struct {
	pthread_mutex_t mutex; /* over all that follows */
	struct contender contenders[CONTENDERS_MAX];
	int64_t token;     /* the last one */
	char finding[256]; /* "": none */
} ledger = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static inline void ledger_find(const char *what, int64_t one, int64_t other)
{
	if (!ledger.finding[0])
		snprintf(ledger.finding, sizeof(ledger.finding), "%s: %lld, %lld", what,
			 (long long)one, (long long)other);
}

static inline void ledger_enter(struct contender *c, struct dblock_lock *lock)
{
	int64_t token = dblock_token(lock);

	pthread_mutex_lock(&ledger.mutex);
	if (dblock_valid(lock, 0)) {
		if (token <= ledger.token)
			ledger_find("a token that does not grow", ledger.token, token);
		ledger.token = token > ledger.token ? token : ledger.token;
		for (int i = 0; i < CONTENDERS_MAX; i++) {
			struct dblock_lock *other = ledger.contenders[i].lock;

			if (other && dblock_valid(other, 0) && dblock_valid(lock, 0))
				ledger_find("two holders", dblock_token(other), token);
		}
		c->grants++;
	}
	c->lock = lock;
	pthread_mutex_unlock(&ledger.mutex);
}

static inline void ledger_leave(struct contender *c)
{
	pthread_mutex_lock(&ledger.mutex);
	c->lock = NULL;
	pthread_mutex_unlock(&ledger.mutex);
}

/* How often each of the first n has been granted it, is counted from now on. */
static inline void ledger_count_anew(int n)
{
	pthread_mutex_lock(&ledger.mutex);
	for (int i = 0; i < n; i++)
		ledger.contenders[i].grants = 0;
	pthread_mutex_unlock(&ledger.mutex);
}

/* Each of the first n has been granted it so often; or something was found. */
static inline bool ledger_has(int n, int grants)
{
	bool enough = true;

	pthread_mutex_lock(&ledger.mutex);
	for (int i = 0; i < n; i++)
		enough = enough && ledger.contenders[i].grants >= grants;
	enough = enough || ledger.finding[0];
	pthread_mutex_unlock(&ledger.mutex);
	return enough;
}

#endif
