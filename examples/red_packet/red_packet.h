/* SPDX-License-Identifier: MIT */
/* The parts of the red packet demo. To see how dblock is used, read ways.c: five ways to draw a
 * gift. shop.c is what a shop has anyway, clerk.c one process of it, crowd.c starts many of them,
 * kills one and stops one; ../red_packet.c says what is done, report.c what came of it. */
#ifndef RED_PACKET_H
#define RED_PACKET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <dblock/dblock.h>

enum { TTL_MS = 2000, PATIENCE_S = 60, PROCESSES_MAX = 64, THREADS_MAX = 16 };

/* One of those who serve customers: a thread in one of the processes. */
struct clerk {
	struct dblock_client *client; /* the process's */
	struct dblock_tx *tx;         /* the clerk's own connection to the shop's tables */
	int64_t bonus;                /* what is on sale */
	int number;                   /* of the process, from 1 */
	const struct seat *seat;
	int steps; /* to its mishap: at so many of the moments that stumble() is for; 0: none */
};

/* A way to draw a gift: whatever it returns but DBLOCK_OK, nothing was given away. */
struct way {
	const char *name, *title;
	int (*draw)(struct clerk *clerk, struct dblock_error *err);
	const char *text;
};

enum { NO_LOCK, LOCK_TABLE, ROW_LOCK, OPTIMISTIC, FENCE, WAYS };
extern const struct way ways[WAYS];

enum mishap { NO_MISHAP, KILLED, STOPPED, STOPPED_BEHIND_FENCE };

struct plan {
	const char *url;
	int processes, threads;
	int64_t gifts;
	bool chosen[WAYS];
};

/* What is played once: all gifts are given away in one way. */
struct scene {
	const struct way *way;
	int64_t gifts;
	enum mishap mishap; /* of the first process */
};

/* What came of it. */
struct tally {
	int64_t draws;   /* that were finished */
	int64_t retries; /* that were begun anew */
	int64_t given;
	int64_t twice; /* of these, gifts that somebody else had already got */
	double seconds;
	double paused; /* from the mishap to the next draw */
};

/* In memory that all processes share. */
struct board {
	atomic_llong customers; /* who still stand in line */
	atomic_llong draws, retries;
	atomic_int ready; /* processes that are */
};

/* A process's place in the crowd. */
struct seat {
	const struct plan *plan;
	const struct scene *scene;
	struct board *board;
	int64_t bonus;
	int number;   /* 1... */
	int ready[2]; /* pipe: a byte from each process that is ready */
	int start[2]; /* pipe: at its end, all begin */
};

/* Seconds on a clock that all processes share. */
double now(void);

/* Let the crowd give all gifts away. What `dblock ls` says right after a kill goes to `listing`.
 * False if a process failed; it has said why. */
bool play(const struct plan *plan, const struct scene *scene, FILE *listing, struct tally *tally);

/* What each process of the crowd does; returns its exit code. */
int serve_customers(const struct seat *seat);

/* Called by each way where it would hurt most to be killed or stopped. */
void stumble(struct clerk *clerk);

/* Print who holds what: `dblock ls` if that program is found, else what the library lists. */
void list_locks(const char *url, FILE *to);

/* What is about to be done; what came of it, and whether that was what is promised. */
void announce(const struct plan *plan, bool own_file);
void announce_mishaps(int64_t gifts);
void print_title(const struct way *way); /* of one column, as soon as that is done */
bool report_ways(const struct plan *plan, const struct tally *tallies);
bool report_mishaps(const struct scene *scenes, const struct tally *tallies, int n, FILE *listing);

/* Print what went wrong, and end the process: it keeps the demo short. */
_Noreturn void fail(const char *what, const char *why);

#endif
