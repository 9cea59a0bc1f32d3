/* SPDX-License-Identifier: MIT */
/*
 * The bench: a table of subjects (what takes and gives a lock) by a table of experiments (what is
 * done with it, and under which loads). Each file of subjects/ and experiments/ enters its own
 * rows; bench/README.md says how to add one.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histogram.h"

struct bench_subject;

/* One holding of a lock: the subject needs this to give it back. */
struct bench_grant {
	void *handle;
	uint64_t nonce;
	int64_t token; /* the fencing token; 0: it has none */
};

/* A subject is opened with this. */
struct bench_place {
	const struct bench_subject *subject;
	const char *server; /* the folder with its server's state */
	const char *url;    /* the contents of its file "url" */
};

/*
 * A way to lock. Whatever fails ends the process: bench_fail(). The function pointers, in the order
 * in which they are called:
 */
struct bench_subject {
	const char *name;   /* in the CSV */
	const char *server; /* the server it needs: a script of servers/ */
	const char *in;     /* the experiments that it takes part in, by name */
	bool quick;         /* also in a quick run */
	bool brief;         /* runs only under the loads of a quick run */
	bool lone;          /* runs only with one worker */
	int most;           /* the largest number of workers; 0: any number */
	bool rows_only;     /* a name must have a row: no loads with ever new names */
	const char *absent; /* why it cannot be built; NULL: it can */
	const void *settings;
	/* Makes tables, once a run, in another process. May be NULL. */
	void (*prepare)(const struct bench_place *);
	/* Does that for `rows` names that are known, and free. May be NULL. */
	void (*fill)(const struct bench_place *, int64_t rows);
	void *(*open)(const struct bench_place *); /* once a process */
	void *(*enter)(void *process);             /* once a thread */
	void (*acquire)(void *thread, const char *name, struct bench_grant *);
	void (*release)(void *thread, const char *name, struct bench_grant *);
	void (*leave)(void *thread);
	void (*close)(void *process);
};

/* The name that a worker takes next. */
enum bench_names {
	BENCH_OWN,  /* always its own one */
	BENCH_NEW,  /* one that nobody ever had, each time */
	BENCH_ONE,  /* all the same one */
	BENCH_MANY, /* any of `names`, of which each worker has its share */
};

struct bench_load {
	const char *name; /* in the CSV */
	int processes;
	int threads; /* of each process */
	enum bench_names names_are;
	int64_t names;
	int64_t held;   /* the number of grants that are held meanwhile */
	int hold_us;    /* how long a grant is kept */
	bool quick;     /* also in a quick run */
	double seconds; /* the time, instead of the run's */
	int rounds;     /* the largest number of rounds; 0: any number */
};

struct bench_worker;

struct bench_experiment {
	int order; /* its place among the others */
	const char *name;
	const char *what;
	const struct bench_load *loads;
	size_t n_loads;
	int64_t rows;     /* the number of names that its subjects are filled with before */
	bool in_queue;    /* counting begins when each worker has had its grant */
	bool apart;       /* it opens its subjects itself, in processes of its own */
	bool left_behind; /* the process ends without closing: too many grants to give back */
	void (*begin)(struct bench_worker *); /* before anything is counted; may be NULL */
	void (*work)(struct bench_worker *);  /* while bench_going() */
};

enum bench_phase { BENCH_OPENING, BENCH_WARMING, BENCH_COUNTING, BENCH_OVER };

/* The counts of one worker. */
struct bench_tally {
	int64_t grants;
	int64_t switches; /* grants after another worker's */
	int64_t violations;
	struct bench_histogram took;
};

struct bench_process {
	int64_t cpu_us; /* CPU time while it was counted */
	int64_t bytes;  /* by which the process grew from what it holds */
};

#define BENCH_PROCESSES 64

/* Memory that all processes of a measurement share. */
struct bench_shared {
	_Atomic int phase;
	_Atomic int ready;
	_Atomic int64_t held; /* the number of grants held */
	_Atomic int begun;    /* workers that have come to the point the experiment defines */
	char error[400];
	_Atomic int n_errors;
	/* For the one name that all contend for; its holder writes them. */
	_Atomic int inside;
	int last_holder;
	int64_t last_token;
	int64_t released_ns;
	struct bench_process processes[BENCH_PROCESSES];
	struct bench_tally tallies[];
};

/* One measurement: a subject under a load in a round. */
struct bench_run {
	const struct bench_subject *subject;
	const struct bench_experiment *experiment;
	const struct bench_load *load;
	struct bench_place place;
	int round;
	int serial; /* the number of the measurement, so that names can be new */
	double seconds;
};

struct bench_worker {
	const struct bench_run *run;
	struct bench_shared *shared;
	struct bench_tally *tally;
	int process;
	int thread; /* its number in its process */
	int index;  /* its number among all */
	void *own;  /* the subject's, returned by enter() */
	uint64_t random;
};

/* --- for subjects and experiments --- */

int64_t bench_now_ns(void);
void bench_sleep_us(int64_t us);
uint64_t bench_random(uint64_t *state); /* xorshift; the state is not 0 */
uint64_t bench_nonce(void);             /* for this thread, never the same again */
void *bench_alloc(size_t size);         /* returns zeroed memory */
bool bench_going(const struct bench_worker *);
void bench_count(struct bench_worker *, int64_t ns);
/* Makes the i-th name of the worker. */
void bench_name(const struct bench_worker *, int64_t i, char *name, size_t size);
/* Reads a file of the server's state, without the newline at its end; NULL: there is none. */
char *bench_read_state(const char *server, const char *file);

/* Writes the reason into the measurement's row, and ends this process. */
_Noreturn void bench_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

void bench_enter_subjects(const struct bench_subject *subjects, size_t n);
void bench_enter_experiment(const struct bench_experiment *experiment);

/* Enters a file's rows into the table. */
#define BENCH_SUBJECTS(table)                                                                      \
	__attribute__((constructor)) static void enter_subjects(void)                              \
	{                                                                                          \
		bench_enter_subjects(table, sizeof(table) / sizeof((table)[0]));                   \
	}

#define BENCH_EXPERIMENT(experiment)                                                               \
	__attribute__((constructor)) static void enter_##experiment(void)                          \
	{                                                                                          \
		bench_enter_experiment(&(experiment));                                             \
	}

#endif
