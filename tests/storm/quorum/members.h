/* SPDX-License-Identifier: MIT */
/* The members of the storm's cluster: three servers of three kinds, of the test's own. */
#ifndef TESTS_STORM_QUORUM_MEMBERS_H
#define TESTS_STORM_QUORUM_MEMBERS_H

#include "support/kit.h"

/* RESTORED is MySQL, or another PostgreSQL where there is no MySQL; AHEAD is a PostgreSQL whose clock is a day
 * ahead; and the last is MariaDB. */
enum { MEMBERS = 3, RESTORED = 0, AHEAD = 1 };

/* Starts them, and makes them a cluster: support/several.h has the rest. Any failure fails the test. */
void members_start(void);

/* Copies the data of RESTORED, which has been killed; puts that copy in their place, as who restores a backup
 * does, who gets another server with these data. */
void member_copy(void);
void member_restore(void);

/* Makes it a member again, in its own place. */
void member_replace(void);

#endif
