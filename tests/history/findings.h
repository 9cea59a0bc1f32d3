/* SPDX-License-Identifier: MIT */
/* What the checker has found, each finding with the events that prove it. */
#ifndef TESTS_HISTORY_FINDINGS_H
#define TESTS_HISTORY_FINDINGS_H

#include <stdio.h>

#include "history/history.h"

/* A rule counts further findings, but keeps no more than these. */
enum { FINDINGS_PER_RULE = 4, FINDINGS_KEPT = 64, PROOF_MAX = 4 };

struct finding {
	const char *rule, *promise;
	char text[240];
	const struct event *proof[PROOF_MAX];
	int n_proof;
};

struct findings {
	const char *rule, *promise; /* the rule that is being checked */
	int of_rule;
	struct finding kept[FINDINGS_KEPT];
	size_t n_kept;
	size_t n; /* the number of findings */
};

/* Proofs are given in the order of time; NULL is left out. The message is one line. */
void found(struct findings *, const struct event *const proof[PROOF_MAX], const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#define PROOF(...)                                                                                 \
	(const struct event *const[PROOF_MAX])                                                     \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

/* Prints each finding with an excerpt of the history around its proofs. */
void findings_print(const struct findings *, const struct history *, FILE *);

#endif
