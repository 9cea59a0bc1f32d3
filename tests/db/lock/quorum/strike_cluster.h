/* SPDX-License-Identifier: MIT */
/*
 * One of three members goes wrong: the k-th driver call to it, for k = 1, 2, ..., in each way, whichever member it
 * is. The two others are well; so the outcome is the same as if all were, nobody else has it meanwhile, and the
 * next one gets it, everywhere, with a larger token.
 */
#ifndef TESTS_DB_QUORUM_STRIKE_CLUSTER_H
#define TESTS_DB_QUORUM_STRIKE_CLUSTER_H

#include "api/quorum.h"
#include "db/lock/quorum/cluster.h"
#include "support/strike.h"
#include "support/thin.h"

/* Who is slow does not answer in time; then it is no failure that too few have. */
enum { TTL_MS = 1500, TIMEOUT_MS = 400, MAY_BE_SLOW_MS = 100, CALLS_MAX = 60 };

struct stage {
	struct strike *strike;
	struct dblock_client *calm, *client;
	struct dblock_lock *lock, *theirs; /* the client's, and the calm one's */
	int64_t newest;                    /* token */
	int member, k, asked;
	enum strike_kind kind;
};

struct scene {
	const char *name;
	void (*prepare)(struct stage *);
	int (*call)(struct stage *, struct dblock_error *);
	int least;  /* calls to a member */
	bool large; /* there are many, and much alike */
	bool same;  /* its lock is the one that it had */
};

static const char *const kind_names[STRIKE_KINDS] = {
	"unsent", "lost", "reply lost",   "half a reply", "stubborn",     "down",
	"dark",   "late", "late, pooled", "stray",        "stray, pooled"};

/* A member is not behind a pooler. */
static inline bool is_played(enum strike_kind kind)
{
	return kind != STRIKE_LATE_POOLED && kind != STRIKE_STRAY_POOLED;
}

#define strike_fail(s, scene, ...)                                                                 \
	do {                                                                                       \
		print_error("%s, member %d, call %d (%s) %s: ", (scene)->name, (s)->member + 1,    \
			    (s)->k, strike_what((s)->strike), kind_names[(s)->kind]);              \
		fail_msg(__VA_ARGS__);                                                             \
	} while (0)

/* So many members vote for somebody; a lease's vote has no session. */
static inline int taken(void)
{
	int n = 0;

	for (int i = 0; i < MEMBERS; i++)
		n += member_int(i, "count(*)", "x' AND nonce <> '0") == 1;
	return n;
}

/* ---- what must be true ----------------------------------------------------------------------- */

static inline void check_outcome(struct stage *s, const struct scene *scene, int rc,
				 int64_t took_ms, const struct dblock_error *err)
{
	bool failed =
		rc == DBLOCK_E_UNSURE || rc == DBLOCK_E_UNAVAILABLE || rc == DBLOCK_E_NO_ANSWER;

	if (rc && !(failed && took_ms >= MAY_BE_SLOW_MS))
		strike_fail(s, scene, "%s after %lld ms: %s", dblock_outcome_name(rc),
			    (long long)took_ms, err->message);
}

static inline void check_tokens(struct stage *s, const struct scene *scene, int64_t token)
{
	if (token <= s->newest)
		strike_fail(s, scene, "token %lld after %lld", (long long)token,
			    (long long)s->newest);
	s->newest = token;
}

/* What is held is nobody else's. */
static inline void check_held(struct stage *s, const struct scene *scene)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int rc = dblock_try(s->calm, "x", NULL, &lock, &err);

	if (rc == DBLOCK_OK && s->lock && dblock_valid(s->lock, 0))
		strike_fail(s, scene, "two hold it");
	if (rc == DBLOCK_OK) {
		check_tokens(s, scene, dblock_token(lock));
		give(lock);
	}
}

/* Nobody has it any more: the next one gets it, from a majority, and by and by from all. */
static inline void comes_free(struct stage *s, const struct scene *scene)
{
	struct dblock_acquire_options patient = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int rc;

	patient.wait_ms = PLENTY_MS;
	rc = dblock_acquire(s->calm, "x", &patient, &lock, &err);
	if (rc)
		strike_fail(s, scene, "nobody has it: %s", err.message);
	check_tokens(s, scene, dblock_token(lock));
	wait_until(votes("x") == MEMBERS);
	give_in_time_or_not(lock);
}

/* ---- the loop -------------------------------------------------------------------------------- */

static inline void give_back(struct stage *s, const struct scene *scene)
{
	struct dblock_error err = {0};
	bool valid = s->lock && dblock_valid(s->lock, 0);
	int rc = s->lock ? dblock_release(s->lock, &err) : DBLOCK_OK;

	s->lock = NULL;
	if (rc && valid && rc != DBLOCK_E_UNSURE)
		strike_fail(s, scene, "release: %s: %s", dblock_outcome_name(rc), err.message);
	if (s->theirs)
		give(s->theirs);
	s->theirs = NULL;
}

static inline void settle(struct stage *s, const struct scene *scene, int rc)
{
	if (rc == DBLOCK_OK && s->lock && !scene->same)
		check_tokens(s, scene, dblock_token(s->lock));
	check_held(s, scene);
	/* What nobody waits for any more is carried out late, at last. */
	if (s->kind == STRIKE_STRAY)
		give_back(s, scene);
	strike_let_go(s->strike);
	check_held(s, scene);
	give_back(s, scene);
	if (s->client)
		dblock_close(s->client, NULL);
	s->client = NULL;
	strike_let_go(s->strike);
	comes_free(s, scene);
}

/* Returns whether there was a k-th call. */
static inline bool play(struct stage *s, const struct scene *scene)
{
	struct dblock_error err = {0};
	int64_t since;
	int rc;

	strike_aim(s->strike, cluster.database[s->member]);
	if (scene->prepare)
		scene->prepare(s);
	strike_arm(s->strike, s->kind, s->k);
	since = clock_ms();
	rc = scene->call(s, &err);
	check_outcome(s, scene, rc, clock_ms() - since, &err);
	(void)strike_disarm(s->strike);
	settle(s, scene, rc);
	return strike_struck(s->strike);
}

/* The normal run lets each call go wrong in some ways, at one of the members. */
static inline bool is_its_turn(const struct stage *s, const struct scene *scene)
{
	int turn = s->k + (int)s->kind;

	return tries_all() || (turn % MEMBERS == s->member &&
			       tries_here((unsigned)turn / MEMBERS, scene->large ? 9 : 3));
}

/* On a busy machine a majority may be had before this member is asked: then it is played again. */
static inline bool play_patiently(struct stage *s, const struct scene *scene)
{
	bool struck = play(s, scene);

	for (int i = 0; !struck && s->k <= scene->least && i < 20; i++)
		struck = play(s, scene);
	return struck;
}

static inline int play_kind(struct stage *s, const struct scene *scene)
{
	bool struck = true;
	int plays = 0;

	for (s->k = 1; struck && s->k < CALLS_MAX; s->k++) {
		if (!is_its_turn(s, scene))
			continue;
		struck = play_patiently(s, scene);
		plays++;
	}
	if (s->k <= scene->least)
		strike_fail(s, scene, "only %d calls were struck", s->k - 2);
	return plays;
}

static inline void play_all(void **state, const struct scene *scene)
{
	int64_t begun = clock_ms();
	struct stage *s = *state;
	int plays = 0;

	for (s->member = 0; s->member < MEMBERS; s->member++) {
		for (s->kind = 0; s->kind < STRIKE_KINDS; s->kind++)
			plays += is_played(s->kind) ? play_kind(s, scene) : 0;
	}
	print_message("%s: played %d times, %lld ms\n", scene->name, plays,
		      (long long)(clock_ms() - begun));
}

/* ---- all of it ------------------------------------------------------------------------------- */

static inline int set_up(void **state)
{
	static struct stage s;

	s = (struct stage){.strike = strike_new()};
	strike_aim(s.strike, NULL);
	cluster_set_up(NULL);
	s.calm = cluster_client(SLOWLY_MS(TTL_MS));
	*state = &s;
	return 0;
}

static inline int tear_down(void **state)
{
	struct stage *s = *state;

	(void)strike_disarm(s->strike);
	strike_let_go(s->strike);
	if (s->client)
		dblock_close(s->client, NULL);
	dblock_close(s->calm, NULL);
	strike_free(s->strike);
	return cluster_tear_down(NULL);
}

/* PLAY(name, ...) defines the test play_name of the scene with these members. */
#define PLAY(scene_name, ...)                                                                      \
	static void play_##scene_name(void **state)                                                \
	{                                                                                          \
		static const struct scene scene = {.name = #scene_name, __VA_ARGS__};              \
                                                                                                   \
		play_all(state, &scene);                                                           \
	}

#define SCENE(name) cmocka_unit_test_setup_teardown(play_##name, set_up, tear_down)

#endif
