/* SPDX-License-Identifier: MIT */
/* Taking a lock with the options that `run` and `acquire` share. */
#ifndef DBL_CLI_TAKE_H
#define DBL_CLI_TAKE_H

#include "cli.h"
#include "signals.h"

struct dbl_take {
	bool nonblock;
	bool barge;
	int64_t wait_ms; /* -1: for ever */
	int64_t lease_ms;
	int64_t at_least_ms;
	const char *value;
	int64_t busy;     /* exit code if it cannot be had in time */
	const char *slot; /* of a job that is done once; or NULL */
	bool campaign;    /* for a leader, who goes on through outages */
	bool shared;
	bool update;
	const char *permits;   /* "3/10" */
	struct dbl_texts also; /* more names: all or none */
	/* As in struct dblock_acquire_options. */
	void (*requested)(void *arg, struct dblock_lock *, const struct dblock_request *);
	void *requested_arg;
};

#define DBL_TAKE_INIT                                                                              \
	{                                                                                          \
		.wait_ms = -1, .busy = DBL_EXIT_BUSY                                               \
	}

/* The rows of an option table; `type` has a struct dbl_take as its member `take`. */
#define DBL_TAKE_ARGS(type)                                                                        \
	{"nonblock",                                                                               \
	 'n',                                                                                      \
	 DBL_ARG_FLAG,                                                                             \
	 offsetof(struct type, take.nonblock),                                                     \
	 NULL,                                                                                     \
	 0,                                                                                        \
	 0,                                                                                        \
	 "do not wait if somebody else holds the lock"},                                           \
		{"shared",                                                                         \
		 's',                                                                              \
		 DBL_ARG_FLAG,                                                                     \
		 offsetof(struct type, take.shared),                                               \
		 NULL,                                                                             \
		 0,                                                                                \
		 0,                                                                                \
		 "hold it together with others that share it"},                                    \
		{"update",                                                                         \
		 0,                                                                                \
		 DBL_ARG_FLAG,                                                                     \
		 offsetof(struct type, take.update),                                               \
		 NULL,                                                                             \
		 0,                                                                                \
		 0,                                                                                \
		 "the same, but one of these at a time"},                                          \
		{"permits",                                                                        \
		 'p',                                                                              \
		 DBL_ARG_TEXT,                                                                     \
		 offsetof(struct type, take.permits),                                              \
		 "N/CAP",                                                                          \
		 0,                                                                                \
		 0,                                                                                \
		 "N permits of a semaphore that has CAP"},                                         \
		{"barge",                                                                          \
		 0,                                                                                \
		 DBL_ARG_FLAG,                                                                     \
		 offsetof(struct type, take.barge),                                                \
		 NULL,                                                                             \
		 0,                                                                                \
		 0,                                                                                \
		 "if it is free, take it past those who wait in line"},                            \
		{"wait", 'w', DBL_ARG_DURATION,    offsetof(struct type, take.wait_ms),            \
		 "DUR",  0,   DBL_DURATION_MAX_MS, "wait so long at most; default: for ever"},     \
		{"lease",                                                                          \
		 0,                                                                                \
		 DBL_ARG_DURATION,                                                                 \
		 offsetof(struct type, take.lease_ms),                                             \
		 "DUR",                                                                            \
		 DBLOCK_LEASE_MIN_MS,                                                              \
		 DBLOCK_LEASE_MAX_MS,                                                              \
		 "the grant ends by itself after so long"},                                        \
		{"at-least",                                                                       \
		 0,                                                                                \
		 DBL_ARG_DURATION,                                                                 \
		 offsetof(struct type, take.at_least_ms),                                          \
		 "DUR",                                                                            \
		 0,                                                                                \
		 DBLOCK_LEASE_MAX_MS,                                                              \
		 "keep the name taken so long, even if released before"},                          \
	{                                                                                          \
		"value", 0, DBL_ARG_TEXT, offsetof(struct type, take.value), "TEXT", 0, 0,         \
			"text for others to see, at most 1 KiB"                                    \
	}

/* Do the options say how to hold it? DBL_EXIT_OK; else says why not. */
int dbl_take_check(const struct dbl_cli *, const struct dbl_take *);

/* Take it; else say why not, and leave the exit code in *code: with -E even that may be 0, and it
 * is if the slot was done before. */
bool dbl_take(const struct dbl_cli *, struct dblock_client *, const char *name,
	      const struct dbl_take *, struct dbl_signals *, struct dblock_lock **, int *code);

#endif
