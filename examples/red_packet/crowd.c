/* SPDX-License-Identifier: MIT */
/* The crowd: processes that begin together, one of them killed, and what the books say at last. */
#include "red_packet.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "shop.h"

enum { PATIENCE_S = 60 };

struct crowd {
	struct seat seat;
	pid_t *pids;
};

double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void sit_down(struct crowd *crowd, const struct plan *plan, const struct way *way)
{
	struct shop *shop = shop_open(plan->url);

	crowd->seat = (struct seat){.plan = plan, .way = way};
	crowd->seat.bonus = shop_add_bonus(shop, way->gifts);
	shop_close(shop); /* before fork(): no connection may cross it */
	crowd->pids = calloc((size_t)plan->processes, sizeof(*crowd->pids));
	crowd->seat.board = mmap(NULL, sizeof(struct board), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!crowd->pids || crowd->seat.board == MAP_FAILED || pipe(crowd->seat.ready) ||
	    pipe(crowd->seat.start))
		shop_fail("crowd", "no memory or no pipe");
	/* More customers than gifts: the last ones have to be told so. */
	crowd->seat.board->customers = way->gifts + way->gifts / 2;
}

static pid_t start_one(struct seat *seat)
{
	pid_t pid = fork();

	if (pid < 0)
		shop_fail("crowd", "cannot fork");
	if (pid > 0)
		return pid;
	close(seat->start[1]);
	exit(draw_gifts(seat));
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
		crowd->seat.victim = crowd->seat.way->kill_one && i == 0;
		crowd->pids[i] = start_one(&crowd->seat);
	}
	return all_ready(crowd);
}

/* Each must have ended well, but for the one that was killed. */
static bool wait_for_all(struct crowd *crowd)
{
	bool good = true;
	int status;

	for (int i = 0; i < crowd->seat.plan->processes; i++) {
		waitpid(crowd->pids[i], &status, 0);
		if (crowd->seat.way->kill_one && i == 0)
			good &= WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
		else
			good &= WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
	}
	return good;
}

static void read_books(const struct crowd *crowd, struct tally *tally)
{
	struct shop *shop = shop_open(crowd->seat.plan->url);

	tally->draws = crowd->seat.board->draws;
	tally->given = shop_given(shop, crowd->seat.bonus);
	tally->twice = tally->given - shop_different(shop, crowd->seat.bonus);
	shop_close(shop);
}

static void leave(struct crowd *crowd)
{
	close(crowd->seat.ready[0]);
	close(crowd->seat.start[0]);
	munmap(crowd->seat.board, sizeof(struct board));
	free(crowd->pids);
}

/* The first process is in mid-draw, the others stand before its lock: kill it. How long do they? */
static double kill_the_victim(const struct crowd *crowd, FILE *listing)
{
	const double killed = now();

	kill(crowd->pids[0], SIGKILL);
	list_locks(crowd->seat.plan->url, listing);
	while (crowd->seat.board->draws == 0 && now() < killed + PATIENCE_S)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	return now() - killed;
}

bool run_way(const struct plan *plan, const struct way *way, FILE *listing, struct tally *tally)
{
	struct crowd crowd;
	double began;
	bool good;

	*tally = (struct tally){0};
	sit_down(&crowd, plan, way);
	good = start_all(&crowd);
	began = now();
	close(crowd.seat.start[1]);
	if (good && way->kill_one)
		tally->paused = kill_the_victim(&crowd, listing);
	good &= wait_for_all(&crowd);
	tally->seconds = now() - began;
	read_books(&crowd, tally);
	leave(&crowd);
	return good;
}
