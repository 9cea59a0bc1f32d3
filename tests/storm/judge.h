/* SPDX-License-Identifier: MIT */
/* What the checker says of a storm. */
#ifndef TESTS_STORM_JUDGE_H
#define TESTS_STORM_JUDGE_H

#include "history/history.h"

struct law {
	const char *rules; /* their names, with a blank before and behind each; NULL: all */
	int64_t patience;  /* the library's work may take so many times as long as it mostly does */
};

/* Returns how many findings there are, and prints them. */
size_t judge(const struct law *, struct history *);

/* Judges a history that was kept in that folder. Returns the exit code. */
int judge_again(const struct law *, const char *folder);

#endif
