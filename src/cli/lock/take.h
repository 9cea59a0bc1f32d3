/* SPDX-License-Identifier: MIT */
/* Taking a lock with the options that `run` and `acquire` share. */
#ifndef DBL_CLI_TAKE_H
#define DBL_CLI_TAKE_H

#include "cli/ui/cli.h"
#include "cli/ui/signals.h"

/* Who we run inside of: see nested.c. */
enum { DBL_NESTED_MAX = 6, DBL_NESTED_TEXT = 64 };

struct dbl_nested {
	size_t n; /* keepers above us, the nearest first */
	char app[DBL_NESTED_TEXT];
};

struct dbl_take {
	bool nonblock;
	bool barge;
	bool verbose;
	int64_t wait_ms;  /* -1: for ever */
	int64_t busy;     /* exit code if it cannot be had in time */
	const char *slot; /* of a job that is done once; or NULL */
	bool campaign;    /* for a leader, who goes on through outages */
	bool exclusive;   /* said, though it is the default */
	bool shared;
	bool update;
	const char *permits;             /* "3/10" */
	struct dbl_texts also;           /* more names: all or none */
	const struct dbl_nested *nested; /* inside of others, which wait for us; or NULL */
	/* What is to be asked as it is here; the rest of it is made of what is above. */
	struct dblock_acquire_options how;
};

#define DBL_TAKE_INIT                                                                              \
	{                                                                                          \
		.wait_ms = -1, .busy = DBL_EXIT_BUSY, .how = DBLOCK_ACQUIRE_OPTIONS_INIT           \
	}

/* Their rows of an option table, for a struct of options that begins with a struct dbl_take. */
extern const struct dbl_arg dbl_take_args[];

/* Do the options say how to hold it? DBL_EXIT_OK; else says why not. */
int dbl_take_check(const struct dbl_cli *, const struct dbl_take *);

/* Take it; else say why not, and leave the exit code in *code: with -E even that may be 0, and it
 * is if the slot was done before. */
bool dbl_take(const struct dbl_cli *, struct dblock_client *, const char *name,
	      const struct dbl_take *, struct dbl_signals *, struct dblock_lock **, int *code);

/* Open a client; but where the server has no connection left it goes on trying, within the wait
 * of `take`, from which that time is taken away; the first time it says so. False: *code is the
 * exit code, and what is wrong has been said; a signal is in `signals`. */
bool dbl_enter(const struct dbl_cli *, int64_t ttl_ms, struct dbl_take *, struct dbl_signals *,
	       struct dblock_client **, int *code);

/* Who is above us? Read from /proc; where that cannot be read, nobody. */
void dbl_nested_look(struct dbl_nested *);

/* As dblock_acquire(), for a client with that name: DBLOCK_DEADLOCK, too, if it would wait for ever
 * for one that waits for us: the youngest of those on a ring who can know gives up. */
int dbl_nested_acquire(const struct dbl_nested *, struct dblock_client *, const char *name,
		       const struct dblock_acquire_options *, struct dblock_lock **,
		       struct dblock_error *);

#endif
