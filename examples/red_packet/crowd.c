/* SPDX-License-Identifier: MIT */
/* The crowd: processes that begin together, one of them killed or stopped, and what the books say
 * at last. */
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "shop.h"

struct crowd {
	struct seat seat;
	pid_t pids[PROCESSES_MAX];
};

double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void sit_down(struct crowd *crowd, const struct plan *plan, const struct scene *scene)
{
	crowd->seat = (struct seat){.plan = plan, .scene = scene};
	crowd->seat.bonus = shop_add_bonus(plan->url, scene->gifts);
	crowd->seat.board = mmap(NULL, sizeof(struct board), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (crowd->seat.board == MAP_FAILED || pipe(crowd->seat.ready) || pipe(crowd->seat.start))
		fail("crowd", "no memory or no pipe");
	/* More customers than gifts: the last ones have to be told so. */
	crowd->seat.board->customers = scene->gifts + scene->gifts / 10;
}

static pid_t start_one(struct seat *seat)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("crowd", "cannot fork");
	if (pid > 0)
		return pid;
	close(seat->start[1]);
	exit(serve_customers(seat));
}

/* True if all are ready. Who failed instead ended, and so does the pipe. */
static bool all_ready(struct crowd *crowd)
{
	int count = 0;
	char byte;

	close(crowd->seat.ready[1]);
	while (count < crowd->seat.plan->processes && read(crowd->seat.ready[0], &byte, 1) == 1)
		count++;
	return count == crowd->seat.plan->processes;
}

static bool start_all(struct crowd *crowd)
{
	fflush(NULL); /* or each child would print what is buffered */
	for (int i = 0; i < crowd->seat.plan->processes; i++) {
		crowd->seat.number = i + 1;
		crowd->pids[i] = start_one(&crowd->seat);
	}
	return all_ready(crowd);
}

/* Each must have ended well, but for the one that was killed. */
static bool wait_for_all(struct crowd *crowd)
{
	const bool kills = crowd->seat.scene->mishap == KILLED;
	bool good = true;

	for (int i = 0; i < crowd->seat.plan->processes; i++) {
		int status = 0;

		waitpid(crowd->pids[i], &status, 0);
		if (kills && i == 0)
			good &= WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
		else
			good &= WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
	}
	return good;
}

static void read_books(const struct crowd *crowd, struct tally *tally)
{
	int64_t different = 0;

	shop_read_books(crowd->seat.plan->url, crowd->seat.bonus, &tally->given, &different);
	tally->twice = tally->given - different;
	tally->draws = crowd->seat.board->draws;
	tally->retries = crowd->seat.board->retries;
}

static void leave(struct crowd *crowd)
{
	close(crowd->seat.ready[0]);
	close(crowd->seat.start[0]);
	munmap(crowd->seat.board, sizeof(struct board));
}

static void wait_for(double seconds)
{
	nanosleep(&(struct timespec){(time_t)seconds, (long)(seconds * 1e9) % 1000000000}, NULL);
}

/* How long until somebody can draw. */
static double wait_for_a_draw(const struct crowd *crowd, double begun)
{
	while (crowd->seat.board->draws == 0 && now() < begun + PATIENCE_S)
		wait_for(0.001);
	return now() - begun;
}

/* The first process stands still in mid-draw, the others have begun. Where it was stopped it goes
 * on when somebody else has drawn; or, if it keeps them from that, when its session is surely over.
 */
static double befall(const struct crowd *crowd, FILE *listing)
{
	const double begun = now();
	double paused;

	if (crowd->seat.scene->mishap == STOPPED_BEHIND_FENCE) {
		wait_for(1.5 * TTL_MS / 1000);
		kill(crowd->pids[0], SIGCONT);
		return wait_for_a_draw(crowd, begun);
	}
	if (crowd->seat.scene->mishap == KILLED) {
		kill(crowd->pids[0], SIGKILL);
		list_locks(crowd->seat.plan->url, listing);
	}
	paused = wait_for_a_draw(crowd, begun);
	kill(crowd->pids[0], SIGCONT);
	return paused;
}

bool play(const struct plan *plan, const struct scene *scene, FILE *listing, struct tally *tally)
{
	struct crowd crowd;
	double began;
	bool good;

	*tally = (struct tally){0};
	sit_down(&crowd, plan, scene);
	good = start_all(&crowd);
	if (good && scene->mishap)
		good = waitpid(crowd.pids[0], &(int){0}, WUNTRACED) == crowd.pids[0];
	began = now();
	close(crowd.seat.start[1]);
	if (good && scene->mishap)
		tally->paused = befall(&crowd, listing);
	else if (scene->mishap)
		kill(crowd.pids[0], SIGKILL); /* who stands still would do so for ever */
	good &= wait_for_all(&crowd);
	tally->seconds = now() - began;
	read_books(&crowd, tally);
	leave(&crowd);
	return good;
}
