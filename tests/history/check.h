/* SPDX-License-Identifier: MIT */
/*
 * The checker: a history in, what breaks a promise out. It knows nothing of databases, and searches
 * nothing: each grant has a fencing token, and that is the order in which they were made.
 *
 * What it can prove depends on what was recorded. A rule says nothing about times that a recorded
 * fault excuses, and the rules of order nothing about waits whose tickets nobody knows.
 */
#ifndef TESTS_HISTORY_CHECK_H
#define TESTS_HISTORY_CHECK_H

#include "history/findings.h"

/* A sorted history, by all rules. Findings point into it. */
void check_history(const struct history *, struct findings *);

#endif
