/* SPDX-License-Identifier: MIT */
/* What befalls the members, and when: all of it follows from the seed. (What befalls processes: schedule.h.) */
#ifndef TESTS_STORM_QUORUM_FAULTS_H
#define TESTS_STORM_QUORUM_FAULTS_H

#include <stdint.h>

enum member_fault {
	MEMBER_KILL,    /* kill -9 */
	MEMBER_START,   /* it comes back */
	MEMBER_STOP,    /* SIGSTOP */
	MEMBER_CONT,    /* SIGCONT */
	MEMBER_COPY,    /* it is killed, its data are copied, and it comes back */
	MEMBER_RESTORE, /* it is killed, and comes back with these data */
	MEMBER_REPLACE, /* somebody notices, and makes it a member again */
	MEMBER_FAULTS
};

struct blow {
	int64_t at_ms;
	enum member_fault kind;
	int member;
};

enum { BLOWS_MAX = 2000 };

/* Returns how many there are, in their order. One member at a time, but for accidents. */
int faults_make(struct blow blows[BLOWS_MAX], uint64_t seed, int64_t length_ms);

const char *fault_of_member(enum member_fault);

#endif
