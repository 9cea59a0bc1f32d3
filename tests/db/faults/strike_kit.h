/* SPDX-License-Identifier: MIT */
/*
 * The loop of the strike tests plays one scene, with the k-th driver call going wrong in each way,
 * for k = 1, 2, ... until the scene has no k-th call. These must be true whatever was struck: the
 * outcome is one that the header documents, and is right; nobody else gets a lock that is valid; no
 * lock stays held that nobody has; the client goes on; it closes in time and leaves no live
 * session.
 */
#ifndef TESTS_DB_STRIKE_KIT_H
#define TESTS_DB_STRIKE_KIT_H

#include "db/faults/nosync.h"
#include "db/faults/strike_stage.h"
#include "session/internal.h"
#include "support/thin.h"

/* ---- settling ------------------------------------------------------------------------------- */

static inline void wake_heartbeat(struct dbl_session *session)
{
	dbl_lock(&session->mutex);
	dbl_cond_wake(&session->changed);
	dbl_unlock(&session->mutex);
}

static inline int64_t last_beat(struct dbl_session *session)
{
	int64_t when;

	dbl_lock(&session->mutex);
	when = session->clock.before;
	dbl_unlock(&session->mutex);
	return when;
}

/* Lets a heartbeat come, which carries what is left to be resolved. */
static inline void beat(struct stage *s, const struct scene *scene)
{
	struct dbl_session *session = s->client->locks->session;
	int64_t until = clock_ms() + PLENTY_MS, due;

	strike_jump_ms(s->strike, BEAT_MS);
	due = strike_now_us(s->strike);
	while (last_beat(session) < due && clock_ms() < until) {
		wake_heartbeat(session);
		sleep_ms(1);
	}
	if (last_beat(session) < due)
		strike_fail(s, scene, "no heartbeat any more");
}

/* Nobody has the lock: it must come free with the next heartbeat, which carries the cleanup; or
 * with a later one, if that met a file that was locked for longer than it waits. */
static inline void comes_free(struct stage *s, const struct scene *scene, const char *name)
{
	int64_t until = clock_ms() + PLENTY_MS / 4;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int rc, tries = 0;

	while ((rc = dblock_try(s->calm, name, NULL, &lock, &err)) == DBLOCK_BUSY &&
	       clock_ms() < until) {
		if (s->client && ++tries % 1000 == 0)
			beat(s, scene);
		sleep_ms(1);
	}
	if (rc)
		strike_fail(s, scene, "'%s' is held by nobody: %s", name, err.message);
	give(lock);
}

/* ---- what must be true ---------------------------------------------------------------------- */

static inline bool is_one_of(int rc, const int *may)
{
	while (*may && *may != rc)
		may++;
	return *may == rc;
}

/* Only one connection is lost, before any row has come: then the call has to make up for it. */
static inline bool is_single_loss(struct stage *s)
{
	return s->kind <= STRIKE_REPLY_LOST && strncmp(strike_what(s->strike), "next", 4) != 0;
}

/* Making up for a loss also takes real time, on a slow machine more than on others: if a wait is
 * over before a request, that request has 100 ms on SQLite and 3 s elsewhere (lock.h), less the
 * last pause. */
static inline bool had_time_to_heal(const struct scene *scene, int64_t took_us)
{
	return !scene->brief || took_us < dbl_ms(on_backend("sqlite") ? 50 : 1500);
}

static inline void check_outcome(struct stage *s, const struct scene *scene, int rc,
				 int64_t took_us, const struct dblock_error *err,
				 const struct dblock_error *before)
{
	bool healed = !scene->frail && is_single_loss(s) && had_time_to_heal(scene, took_us);

	if (rc && (healed || !is_one_of(rc, scene->may)))
		strike_fail(s, scene, "%s: %s", dblock_outcome_name(rc), err->message);
	if (rc && (err->code != rc || !err->message[0]))
		strike_fail(s, scene, "%s, but err says %s: '%s'", dblock_outcome_name(rc),
			    dblock_outcome_name(err->code), err->message);
	if (rc == 0 && memcmp(err, before, sizeof(*err)))
		strike_fail(s, scene, "DBLOCK_OK, but err was written: %s", err->message);
}

/* The lock is held if we think so; if somebody else can get it, we do not think so. */
static inline void check_held(struct stage *s, const struct scene *scene)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int rc = dblock_try(s->calm, "x", NULL, &lock, &err);

	if (rc && rc != DBLOCK_BUSY)
		strike_fail(s, scene, "the calm one gets %s: %s", dblock_outcome_name(rc),
			    err.message);
	if (rc == 0 && s->lock && dblock_valid(s->lock, 0))
		strike_fail(s, scene, "two hold it");
	if (rc == 0)
		give(lock);
}

/* Checks that the client works: another name can be taken and given back, at once. */
static inline void check_usable(struct stage *s, const struct scene *scene)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int rc = dblock_try(s->client, "y", NULL, &lock, &err);

	if (rc == 0)
		rc = dblock_release(lock, &err);
	if (rc)
		strike_fail(s, scene, "afterwards: %s: %s", dblock_outcome_name(rc), err.message);
}

static inline void give_lock(struct stage *s, const struct scene *scene)
{
	struct dblock_error err = {0};
	bool valid = dblock_valid(s->lock, 0);
	int rc = dblock_release(s->lock, &err);

	s->lock = NULL;
	if (rc && (valid || rc != DBLOCK_LOST))
		strike_fail(s, scene, "release: %s: %s", dblock_outcome_name(rc), err.message);
}

static inline void settle(struct stage *s, const struct scene *scene)
{
	/* A heartbeat comes before any late copy arrives, and another one after it. */
	if (is_pooled(s->kind))
		beat(s, scene);
	/* Once nobody has the lock, a late copy that nobody waits for could take it; so it is given
	 * back first. */
	if (s->kind >= STRIKE_STRAY && s->lock)
		give_lock(s, scene);
	strike_let_go(s->strike);
	check_held(s, scene);
	check_usable(s, scene);
	if (s->kind >= STRIKE_HALF)
		beat(s, scene);
	check_held(s, scene);
	if (s->lock)
		give_lock(s, scene);
	comes_free(s, scene, "x");
}

static inline void close_client(struct stage *s, const struct scene *scene)
{
	dblock_close(s->client, NULL);
	s->client = NULL;
	if (live_sessions(s) != 0)
		strike_fail(s, scene, "a session lives on");
}

/* ---- the loop ------------------------------------------------------------------------------- */

static inline int strike_call(struct stage *s, const struct scene *scene)
{
	struct dblock_error err, before;
	int64_t since = strike_now_us(s->strike), begun = strike_jumped_us(s->strike);
	int64_t in_all, took;
	int rc;

	memset(&err, 'e', sizeof(err));
	before = err;
	strike_arm(s->strike, s->kind, s->k);
	rc = scene->call(s, &err);
	in_all = strike_now_us(s->strike) - since;
	took = (strike_jumped_us(s->strike) - begun) / 1000;
	if (s->kind == STRIKE_STUBBORN || s->kind == STRIKE_DOWN)
		took -= STRIKE_OVERSLEEP_MS;
	if (scene->within_ms && took > scene->within_ms)
		strike_fail(s, scene, "it took %lld ms", (long long)took);
	check_outcome(s, scene, rc, in_all, &err, &before);
	return rc;
}

/* Plays it once, and returns how many calls there were; *struck: there was a k-th. */
static inline int strike_play(struct stage *s, const struct scene *scene, bool *struck)
{
	int calls, rc;

	strike_pooled(s->strike, is_pooled(s->kind));
	if (scene->prepare)
		scene->prepare(s);
	rc = strike_call(s, scene);
	calls = strike_disarm(s->strike);
	*struck = strike_struck(s->strike);
	if (scene->check)
		scene->check(s, rc);
	if (s->client) {
		settle(s, scene);
		close_client(s, scene);
		/* The queue is empty as well; the heartbeat thread may have left it only now. */
		comes_free(s, scene, "x");
	}
	strike_let_go(s->strike);
	if (scene->clear)
		scene->clear(s);
	return calls;
}

/* In a large scene each kind of failure strikes each third call, and each call meets a third of the
 * kinds; in a huge one the share is a ninth; on a server a third of these are played
 * (support/thin.h). */
static inline bool is_played(const struct stage *s, const struct scene *scene)
{
	int share = scene->huge ? 9 : scene->large ? 3 : 1;
	int turn = s->k + (int)s->kind;

	if (tries_all())
		return true;
	return turn % share == 0 && tries_here((unsigned)(turn / share), 3);
}

static inline void strike_scene(struct stage *s, const struct scene *scene)
{
	int64_t begun = clock_ms();
	int calls = 0, plays = 0;

	for (s->kind = 0; s->kind < STRIKE_KINDS; s->kind++) {
		bool struck = true;

		if (scene->kinds && !(scene->kinds & 1u << s->kind))
			continue;
		for (s->k = 1; struck; s->k++) {
			if (!is_played(s, scene))
				continue;
			calls = strike_play(s, scene, &struck);
			plays++;
		}
		/* The last call played did not exist; of a large scene perhaps others did not
		 * either. */
		if (calls < scene->least || s->k - 2 < scene->least)
			strike_fail(s, scene, "only %d calls were struck", s->k - 2);
	}
	print_message("%s: %d calls, played %d times, %lld ms\n", scene->name, calls, plays,
		      (long long)(clock_ms() - begun));
}

/* ---- groups --------------------------------------------------------------------------------- */

static inline int strike_set_up(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct stage *s = calloc(1, sizeof(*s));
	struct dblock_error err = {0};

	s->strike = strike_new();
	options.ttl_ms = DBLOCK_TTL_MAX_MS;
	options.timeout_ms = PLENTY_MS;
	options.auto_migrate = 1;
	expect(OK, dbl_client_open(test_url(), &options, strike_calm(s->strike), &s->calm, &err));
	s->raw = raw_open(strike_calm(s->strike));
	raw_exec(s->raw, "DELETE FROM dblock_lock");
	raw_exec(s->raw, "DELETE FROM dblock_session WHERE app = 'struck'");
	*state = s;
	return 0;
}

static inline int strike_tear_down(void **state)
{
	struct stage *s = *state;

	/* After a failed assertion this says in which play it was. */
	if (s->kind != STRIKE_KINDS)
		print_error("call %d (%s) %s\n", s->k, strike_what(s->strike),
			    strike_names[s->kind]);
	(void)strike_disarm(s->strike);
	strike_let_go(s->strike);
	dblock_close(s->client, NULL);
	raw_close(s->raw);
	dblock_close(s->calm, NULL);
	strike_free(s->strike);
	free(s);
	return 0;
}

#define SCENE(name) cmocka_unit_test_setup_teardown(play_##name, strike_set_up, strike_tear_down)

/* PLAY(name, ...) defines the test play_name of the scene with these members. */
#define PLAY(scene_name, ...)                                                                      \
	static void play_##scene_name(void **state)                                                \
	{                                                                                          \
		static const struct scene scene = {.name = #scene_name, __VA_ARGS__};              \
                                                                                                   \
		strike_scene(*state, &scene);                                                      \
	}

#endif
