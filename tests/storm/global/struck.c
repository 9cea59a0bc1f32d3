/* SPDX-License-Identifier: MIT */
/* Who begins a transaction over two databases, of all kinds, is killed at each statement, or stands still there while it
 * is recovered; so is who recovers it. After the next recovery all is alike, and nothing is left. */
#include "storm/global/tests.h"

#include "storm/global/scene.h"
#include "support/thin.h"
#include "support/waiting.h"

/* The normal run takes one of so many pairs, and one of so many statements. Who recovers waits so long for who stands
 * still. */
enum { PAIRS_SHARE = 12, SHARE = 9, BLOCKED_MS = 700 };

struct plays {
	struct scene scene;
	uint64_t turn;
	int asked, played, aborted;
	char what[200];
};

static void fail_with(const struct plays *p, const char *what)
{
	fail_msg("%s: %s\n%s", p->what, what, part_told());
}

static bool is_played(struct plays *p)
{
	bool yes = tries_all() || (uint64_t)p->asked % SHARE == p->turn / PAIRS_SHARE % SHARE;

	p->asked++;
	p->played += yes;
	return yes;
}

/* Once nothing says any more that a database has not let go of a connection. */
static void check(struct plays *p, int status)
{
	const char *wrong;

	wait_until(scene_recovers(&p->scene));
	wrong = scene_wrong(&p->scene, status);
	if (wrong)
		fail_with(p, wrong);
}

/* It is recovered by others, and goes on then: it commits no more if they said that it never will be. */
static int go_on(struct plays *p, pid_t pid)
{
	bool aborted;
	int status;

	(void)scene_recovers(&p->scene);
	aborted = strstr(p->scene.text, "rolled back") != NULL;
	kill(pid, SIGCONT);
	status = part_see(pid);
	if (aborted && WEXITSTATUS(status) == PART_DONE)
		fail_with(p, "it was told that it is committed, after it was rolled back");
	p->aborted += aborted;
	return status;
}

static void play(struct plays *p, struct part part)
{
	pid_t pid;
	int status;

	scene_wipe(&p->scene);
	pid = part_start(&part);
	status = part_see(pid);
	if (WIFEXITED(status))
		fail_with(p, "it has ended, and was not struck");
	check(p, WIFSTOPPED(status) ? go_on(p, pid) : status);
}

/* How many statements there are if nothing goes wrong. */
static int count_statements(struct plays *p, const char *role)
{
	struct part part = scene_part(&p->scene, role, 0, "", 0);
	int status = part_see(part_start(&part)), n = atoi(part_told());

	snprintf(p->what, sizeof(p->what), "nobody is struck");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != PART_DONE || n == 0)
		fail_with(p, "it has failed");
	return n;
}

static void play_pair(struct plays *p, void (*all)(struct plays *), enum place home,
		      enum place branch)
{
	const enum place places[] = {home, branch};

	scene_open(&p->scene, places, 2, SLOWLY_MS(BLOCKED_MS));
	all(p);
	scene_close(&p->scene);
}

static void play_pairs(struct plays *p, void (*all)(struct plays *))
{
	p->turn = tests_seed();
	for (int i = 0; i < PLACES * SQLITE; i++)
		if (tries_all() || (uint64_t)i % PAIRS_SHARE == p->turn % PAIRS_SHARE)
			play_pair(p, all, (enum place)(i / SQLITE), (enum place)(i % SQLITE));
	print_message("played %d of %d\n", p->played, p->asked);
}

static void say_what(struct plays *p, const char *who, enum fate fate, int k)
{
	snprintf(p->what, sizeof(p->what), "%s and %s: %s is %s statement %d",
		 place_name(p->scene.places[0]), place_name(p->scene.places[1]), who,
		 fate_name(fate), k);
}

/* ---- who begins it --------------------------------------------------------------------------- */

static void play_each_fate(struct plays *p)
{
	int n = 0;

	/* The first one notes the home's history, too. */
	for (int i = 0; i < 2; i++) {
		scene_wipe(&p->scene);
		n = count_statements(p, "begin");
		check(p, 0);
	}
	for (enum fate fate = 0; fate < FATES; fate++) {
		for (int k = 1; k <= n; k++) {
			say_what(p, "who begins", fate, k);
			if (is_played(p))
				play(p, scene_part(&p->scene, "begin", fate, "", k));
		}
	}
}

void who_begins_is_struck(void **state)
{
	struct plays p = {.asked = 0};

	(void)state;
	play_pairs(&p, play_each_fate);
	print_message("rolled back while it stood still: %d\n", p.aborted);
	if (tries_all())
		assert_true(p.aborted >= 2 * SQLITE * SQLITE); /* a file is locked then */
}

/* ---- who recovers it ------------------------------------------------------------------------- */

/* Is it prepared only, decided, or committed too. */
static const char *const left[] = {"branch_prepare", "tx_commit", "branch_commit"};

/* MySQL and MariaDB finish a branch for nobody else while the connection is there that has prepared it. */
static int64_t connections(const struct scene *s)
{
	if (s->places[1] == POSTGRESQL)
		return 0;
	return scene_ask(s, 1,
			 "SELECT count(*) FROM information_schema.processlist WHERE db = 'other'");
}

/* Somebody is killed there, and that is noticed. */
static void leave(struct plays *p, const char *at)
{
	struct part part = scene_part(&p->scene, "begin", FATE_KILLED_AFTER, at, 1);
	int64_t before;

	scene_wipe(&p->scene);
	before = connections(&p->scene);
	if (!WIFSIGNALED(part_see(part_start(&part))))
		fail_with(p, "who begins was not killed");
	wait_until(connections(&p->scene) <= before);
}

static void play_recovery(struct plays *p, const char *at, enum fate fate, int k)
{
	struct part part = scene_part(&p->scene, "recover", fate, "", k);
	int status;

	leave(p, at);
	status = part_see(part_start(&part));
	if (!WIFSIGNALED(status))
		fail_with(p, "it has ended, and was not struck");
	check(p, status);
}

static void play_left(struct plays *p, const char *at)
{
	int n;

	leave(p, at);
	n = count_statements(p, "recover");
	check(p, SIGKILL);
	for (enum fate fate = FATE_KILLED_BEFORE; fate <= FATE_KILLED_AFTER; fate++) {
		for (int k = 1; k <= n; k++) {
			say_what(p, "who recovers", fate, k);
			if (is_played(p))
				play_recovery(p, at, fate, k);
		}
	}
}

static void play_each_left(struct plays *p)
{
	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++)
		play_left(p, left[i]);
}

void who_recovers_is_struck(void **state)
{
	struct plays p = {.asked = 0};

	(void)state;
	play_pairs(&p, play_each_left);
}
