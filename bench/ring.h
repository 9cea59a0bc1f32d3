/* SPDX-License-Identifier: MIT */
/*
 * A ring of processes that hand one token on by datagrams, and a line in a table that each joins
 * anew: what a hand-over between processes costs at least where the database keeps who has the
 * lock. `limit` of each database is made of it: a release is one UPDATE of the lock's row and a
 * datagram to the next member; an acquire is one INSERT into the line, and the wait for the
 * datagram. It keeps nobody out who does not play by it, looks after nobody who dies, and has room
 * for one name only.
 */
#ifndef BENCH_RING_H
#define BENCH_RING_H

#include <stdint.h>

/* Turns after which a member deletes the rows of the line that were served. */
#define BENCH_RING_SWEEP 20

struct bench_ring {
	int fd;
	int member; /* 0 and up, in the order in which they entered */
	int turns;
};

/* Enters the measurement's ring; the first member has the token. */
void bench_ring_enter(struct bench_ring *);
void bench_ring_leave(struct bench_ring *);
/* Waits until it is this member's turn, and returns what the last one sent. */
int64_t bench_ring_wait(struct bench_ring *);
void bench_ring_pass(struct bench_ring *, int64_t token);

#endif
