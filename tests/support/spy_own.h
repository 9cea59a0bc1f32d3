/* SPDX-License-Identifier: MIT */
/* Shared by spy.c and spy_letter.c. */
#ifndef TESTS_SUPPORT_SPY_OWN_H
#define TESTS_SUPPORT_SPY_OWN_H

#include "support/spy.h"

/* Keeps the request, instead of an earlier one, until the test lets it arrive. */
void spy_letter_keep(struct spy *, const char *sql, const struct dbl_value *args, unsigned n);

void spy_letter_clear(struct spy_letter *);

#endif
