/* SPDX-License-Identifier: MIT */
/* What the checker says of a storm. */
#ifndef TESTS_STORM_JUDGE_H
#define TESTS_STORM_JUDGE_H

#include "history/history.h"

/* Returns how many findings there are, and prints them. */
size_t judge(struct history *);

/* Judges a history that was kept in that folder. Returns the exit code. */
int judge_again(const char *folder);

#endif
