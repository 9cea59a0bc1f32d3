/* SPDX-License-Identifier: MIT */
/* The parts of the red packet demo: ../red_packet.c says what is done and shows what came of it,
 * crowd.c starts the processes and kills one, draw.c is what each does, shop*.c is what a shop has
 * anyway. To see how dblock is used, read draw.c. */
#ifndef RED_PACKET_H
#define RED_PACKET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct plan {
	const char *url;
	int processes;
	int64_t gifts;
};

/* One way to give all gifts away. */
struct way {
	const char *title;
	int64_t gifts;
	bool locked;    /* each draw holds the lock */
	bool kill_one;  /* the first process is killed in mid-draw */
	int64_t ttl_ms; /* how long a silent process keeps its locks; 0: the default */
};

/* What came of it. */
struct tally {
	int64_t draws; /* that were finished */
	int64_t given;
	int64_t twice; /* of these, gifts that somebody else had already got */
	double seconds;
	double paused; /* from the kill to the next draw */
};

/* In memory that all processes share. */
struct board {
	atomic_llong customers; /* who still stand in line */
	atomic_llong draws;     /* that are finished */
};

/* A process's place in the crowd. */
struct seat {
	const struct plan *plan;
	const struct way *way;
	struct board *board;
	int64_t bonus;
	int number;   /* 1... */
	bool victim;  /* to be killed in mid-draw */
	int ready[2]; /* pipe: a byte from each process that is ready */
	int start[2]; /* pipe: at its end, all begin */
};

/* Seconds on a clock that all processes share. */
double now(void);

/* Let the crowd give all gifts away. What `dblock ls` says right after the kill goes to `listing`.
 * False if a process failed; it has said why. */
bool run_way(const struct plan *plan, const struct way *way, FILE *listing, struct tally *tally);

/* What each process of the crowd does; returns its exit code. */
int draw_gifts(const struct seat *seat);

/* Print who holds what: `dblock ls` if that program is found, else what the library lists. */
void list_locks(const char *url, FILE *to);

#endif
