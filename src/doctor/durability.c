/* SPDX-License-Identifier: MIT */
/* Tells what a client of this durability may rely on, beside what the server's settings say. */
#include "doctor/exam.h"

static const char topic[] = "durability";

static int say_relaxed(struct dbl_exam *exam)
{
	if (exam->target->durability == DBLOCK_DURABLE)
		return dbl_exam_say(exam, DBLOCK_FINDING_OK, topic, NULL,
				    "relaxed is as durable here: when a commit reaches the disk is "
				    "a setting of the server's, not of a connection");
	if (exam->target->dialect->is_file)
		return 0; /* the rule about `synchronous` has said so */
	return dbl_exam_say(
		exam, DBLOCK_FINDING_OK, topic, NULL,
		"relaxed: a crash of the server can forget the grants of the last three "
		"wal_writer_delay, and give them to others before their holders hear "
		"of it; leases are durable");
}

static int say_remote(struct dbl_exam *exam)
{
	if (exam->endured)
		return dbl_exam_say(exam, DBLOCK_FINDING_WRONG, topic,
				    "set synchronous_standby_names on the server; or be content "
				    "with durable",
				    "remote is refused: %s", exam->why.message);
	return dbl_exam_say(exam, DBLOCK_FINDING_OK, topic, NULL,
			    "remote: a grant is answered once it is on the synchronous standby's "
			    "disk; while none is connected, none is answered");
}

int dbl_exam_durability(struct dbl_exam *exam)
{
	if (exam->endured && exam->endured != DBLOCK_E_INVALID)
		return dbl_exam_blind(exam, topic, "the durability of a connection", exam->endured,
				      &exam->why);
	if (exam->target->requested == DBLOCK_RELAXED)
		return say_relaxed(exam);
	return exam->target->requested == DBLOCK_REMOTE ? say_remote(exam) : 0;
}
