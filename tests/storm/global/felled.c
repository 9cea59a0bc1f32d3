/* SPDX-License-Identifier: MIT */
/* A server is killed at a step of a transaction over three databases, whose process stands still meanwhile: it finds the
 * server back, or gone. After the next recovery all is alike, and nothing is left. */
#include "storm/global/tests.h"

#include "storm/global/scene.h"
#include "support/several.h"
#include "support/thin.h"
#include "support/waiting.h"

enum { DATABASES = 3, GONE_MS = 2000 };

static const struct {
	const char *text;
	int k;
} steps[] = {{"branch_prepare", 1}, {"branch_prepare", 2}, {"tx_commit", 1},
	     {"branch_commit", 1},  {"branch_commit", 2},  {"decision_forget", 1},
	     {"branch_unmark", 2}};

enum { STEPS = sizeof(steps) / sizeof(steps[0]) };

static const enum place scenes[][DATABASES] = {{POSTGRESQL, MARIADB, THIRD},
					       {MARIADB, THIRD, POSTGRESQL},
					       {THIRD, POSTGRESQL, MARIADB},
					       {SQLITE, MARIADB, POSTGRESQL}};

enum { SCENES = sizeof(scenes) / sizeof(scenes[0]), PLAYS = SCENES * STEPS * DATABASES * 2 };

struct fall {
	struct scene scene;
	const enum place *places;
	int step, victim;
	bool found_back;
};

static struct fall fall_of(int number)
{
	struct fall f = {.places = scenes[number % SCENES]};

	number /= SCENES;
	f.step = number % STEPS;
	number /= STEPS;
	f.victim = number % DATABASES;
	f.found_back = number / DATABASES;
	return f;
}

static void fail_with(const struct fall *f, const char *what)
{
	fail_msg("home %s, '%s' number %d, %s is killed, and is %s: %s\n%s",
		 place_name(f->places[0]), steps[f->step].text, steps[f->step].k,
		 place_name(f->places[f->victim]), f->found_back ? "back" : "gone", what,
		 part_told());
}

/* Who finds it gone does not wait for long. */
static int strike(struct fall *f)
{
	struct part part = scene_part(&f->scene, "begin", FATE_STOPPED_AFTER, steps[f->step].text,
				      steps[f->step].k);
	int server = (int)f->places[f->victim], status;
	pid_t pid;

	if (!f->found_back)
		part.timeout_ms = SLOWLY_MS(GONE_MS);
	pid = part_start(&part);
	if (!WIFSTOPPED(part_see(pid)))
		fail_with(f, "it does not stand still");
	several_signal(server, SIGKILL);
	if (f->found_back)
		several_restart(server);
	kill(pid, SIGCONT);
	status = part_see(pid);
	if (!f->found_back) {
		(void)scene_recovers(&f->scene); /* as far as it can */
		several_restart(server);
	}
	return status;
}

static void play(struct fall *f)
{
	const char *wrong;
	int status;

	if (f->places[f->victim] == SQLITE)
		return;
	scene_open(&f->scene, f->places, DATABASES, SLOWLY_MS(GONE_MS));
	scene_wipe(&f->scene);
	/* No commit on it needs to reach the disk by itself: see scene.c. */
	if (strcmp(place_name(f->places[0]), "postgresql") == 0)
		scene_ask(&f->scene, 0, "CHECKPOINT");
	status = strike(f);
	wait_until(scene_recovers(&f->scene));
	wrong = scene_wrong(&f->scene, status);
	if (wrong)
		fail_with(f, wrong);
	scene_close(&f->scene);
}

void a_server_is_killed(void **state)
{
	(void)state;
	for (int i = 0; i < PLAYS; i++) {
		struct fall f = fall_of(i);

		if (tries_all() || (uint64_t)i == tests_seed() % PLAYS)
			play(&f);
	}
}
