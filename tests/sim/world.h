/* SPDX-License-Identifier: MIT */
/* One world: a database, or several that know nothing of each other, a network, up to eight processes,
 * and a time that only moves when nothing is left to do at this moment. Everything that happens in it
 * follows from its seed. */
#ifndef TESTS_SIM_WORLD_H
#define TESTS_SIM_WORLD_H

#include "sim/coroutine.h"
#include "sim/database.h"
#include "sim/faults.h"
#include "sim/history.h"
#include "sim/network.h"
#include "sim/process.h"
#include "sim/queue.h"
#include "sim/quorum/cluster.h"
#include "sim/random.h"
#include "sim/rate.h"

/* What may go wrong besides processes and network, on which it depends what can be promised. */
enum regime {
	STEADY, /* clocks differ by origin and rate only, commits stay */
	CLOCKS, /* the database's clock is set, by up to 2 s */
	LOSSY,  /* the server restarts without its last commits */
	REGIMES
};

enum { DATABASES_MAX = 21 };

struct server {
	struct world *world;
	int database; /* its number, of all that the program has */
	struct database_clock clock;
	struct network network;
	bool keeps;    /* what is committed, whatever the regime */
	char name[24]; /* of the server behind it, which is another one when commits were lost */
};

/* What lives in a world, and what must hold in it. */
struct kind {
	const char *prefix;              /* of names, as servers know them */
	const char *clock;               /* what names the origin of a server's clock */
	void (*setup)(struct world *);   /* makes the databases, before the first world */
	void (*begin)(struct world *);   /* draws its servers, names and processes */
	void *(*process)(void *process); /* the main thread of each process, */
	void (*quiet)(struct world *);   /* checks, when all have given everything back; */
	void *(*probe)(void *process);   /* and does, when all are gone, as the last process */
	int (*any_op)(struct world *);   /* draws a statement whose late copy could do harm */
	void (*check)(struct world *);   /* after each event */
	void (*before)(struct world *,
		       const struct letter *); /* a statement is about to be carried out, */
	void (*carried_out)(struct world *, const struct letter *); /* and has been */
	void (*lost_commits)(struct world *, struct server *);
	void (*forget)(struct process *); /* it was killed */
	const struct count *counts;       /* what a thousand worlds must have shown */
};

/* On one database. */
extern const struct kind single_worlds;

struct world {
	const struct kind *kind;
	uint64_t seed;
	enum regime regime;
	bool tells; /* prints what happens */
	struct rng rng;
	int64_t now; /* us; nobody in the world can read this */
	uint64_t tickets, ids;
	int bells; /* the number made so far */
	struct queue queue;
	uint64_t events;

	bool one_host; /* all processes are on one */
	bool modes;    /* all modes are used; else every lock is exclusive */
	bool misuses;  /* and sometimes names are used as another kind */
	bool resizes;  /* capacities are stored, and change; permits are numbered */
	bool ranks;    /* some wait with a priority */
	int n_names;
	int64_t capacity[NAMES_MAX];       /* a semaphore's; 0: the name is a lock */
	struct mark_file marks[MARKS_MAX]; /* the last ones */
	uint64_t n_marks;
	struct process processes[PROCESSES_MAX];
	int n_processes;
	struct coroutine *director;
	int64_t active_until;
	bool ending;  /* no new work */
	bool closing; /* clients close, and processes end */

	struct server servers[SERVERS_MAX];
	int n_servers;
	int on_the_way; /* letters that have not arrived */
	struct faults faults;
	struct history history;
	struct rate_history rates;
	struct cluster cluster;

	const char *broken; /* the invariant that does not hold, or NULL */
	char why[400];
};

/* Makes the world of this seed and runs it to its end, or to the first broken invariant. */
void world_run(struct world *, const struct kind *, uint64_t seed, bool tells);

/* The director's thread ends the world (director.c). */
void *director(void *world);

/* Says that an invariant is broken: the first one counts. */
void world_break(struct world *, const char *invariant, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Writes one line of the trace. */
void world_tell(struct world *, const struct process *, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
