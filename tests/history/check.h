/* SPDX-License-Identifier: MIT */
/*
 * The checker takes a history, and returns the events that break a promise. It knows nothing of
 * databases, and searches nothing: each grant has a fencing token, and tokens are the order in
 * which grants were made.
 *
 * What it can prove depends on what was recorded. A rule says nothing about times that a recorded
 * fault excuses, and the rules of order say nothing about waits whose tickets nobody knows.
 */
#ifndef TESTS_HISTORY_CHECK_H
#define TESTS_HISTORY_CHECK_H

#include "history/findings.h"

/* Checks a sorted history by all rules. Findings point into it. */
void check_history(const struct history *, struct findings *);

/* Does so by some rules: their names, with a blank before and behind each; NULL: by all. */
void check_some(const struct history *, const char *names, struct findings *);

#endif
