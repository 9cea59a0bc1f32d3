/* SPDX-License-Identifier: MIT */
/* Finds whether a notification reaches a connection that listens, by sending one. */
#include "doctor/exam.h"
#include "driver/value.h"

/* How long a notification may take. */
#define NOTIFY_US 2000000

static const char topic[] = "wakeups";
static const char remedy[] =
	"name the server itself as well (direct=host:port in the URL), or connect to it alone, or "
	"through a pool in session mode, with three connections for each client";

static int take_nothing(void *ctx, const struct dbl_value *row)
{
	(void)ctx;
	(void)row;
	return 0;
}

/* Returns 1 if the notification was heard, 0 if not, < 0 for a failure. */
static int try_ring(struct dbl_exam *exam, struct dbl_db *hearer, const char *channel,
		    struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(channel), dbl_text("0 0")};
	const char *said;
	int rc = dbl_db_listen(hearer, channel, exam->deadline, err);

	if (rc == 0)
		rc = dbl_exam_run(exam, exam->db, DBL_OP_ring, DBL_ARGS(args), take_nothing, NULL,
				  err);
	return rc ? rc : dbl_db_hear(hearer, channel, NOTIFY_US, 0, -1, &said, err);
}

int dbl_exam_wake(struct dbl_exam *exam, struct dbl_db *second)
{
	struct dblock_error err = {0};
	char channel[33];
	int rc;

	/* A waiter that sleeps in SQL looks by itself; rules.def says what a missing right
	 * costs. */
	if (!dbl_db_hears(exam->target) || exam->target->dialect->sleeps ||
	    dbl_random_hex(exam->target->env, channel))
		return 0;
	rc = dbl_db_pooled(second) ? 0 : try_ring(exam, second, channel, &err);
	if (rc < 0)
		return dbl_exam_blind(exam, topic, "whether NOTIFY reaches who listens", rc, &err);
	if (rc > 0)
		return dbl_exam_say(
			exam, DBLOCK_FINDING_OK, topic, NULL,
			"NOTIFY reaches who listens: who waits on another host is woken");
	return dbl_exam_say(exam, DBLOCK_FINDING_WARNING, topic, remedy,
			    "NOTIFY does not reach who listens: who waits on another host polls");
}
