/* SPDX-License-Identifier: MIT */
/* Who the members of a cluster are: the history of each one's database, in the order of their
 * numbers, with blanks in between. A mark before one says that it is being put in that place, and
 * does not vote yet. Inside src/lock/quorum. */
#ifndef DBL_LOCK_QUORUM_ROSTER_H
#define DBL_LOCK_QUORUM_ROSTER_H

#include <stdbool.h>
#include <stdint.h>

enum { DBL_QUORUM_MAX = 9, DBL_ROSTER_SIZE = DBL_QUORUM_MAX * 34 + 1 };

/* Is that the member of that number, without a mark? */
bool dbl_roster_has(const char *roster, int64_t number, const char *history);

/* Is the one of that number marked? */
bool dbl_roster_is_marked(const char *roster, int64_t number);

/* The number of the first one with a mark; 0: none. */
int64_t dbl_roster_marked(const char *roster);

/* The same roster, with that history in the place of that number. */
void dbl_roster_put(char to[DBL_ROSTER_SIZE], const char *roster, int64_t number,
		    const char *history, bool marked);

/* Marks each that the other roster does not have. */
void dbl_roster_doubt(char roster[DBL_ROSTER_SIZE], const char *other);

/* The two differ by nothing but the mark that the first has. */
bool dbl_roster_awaits(const char *marked, const char *roster);

#endif
