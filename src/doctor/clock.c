/* SPDX-License-Identifier: MIT */
/* Finds how far the database's clock and this machine's clock are apart. */
#include <inttypes.h>

#include "doctor/exam.h"
#include "driver/value.h"

/* NTP keeps clocks far closer than this. */
#define APART_MAX_US 1000000
#define SAMPLES      5

static const char topic[] = "clock";
static const char remedy[] =
	"set both by NTP. Waiting calls and dblock_valid() do not depend on it; when a lease ends, "
	"a try that finds a holder expired, and times shown to people do";

static int take_time(void *ctx, const struct dbl_value *row)
{
	*(int64_t *)ctx = row[0].i;
	return 0;
}

/* The database's clock less ours; the true difference lies within `error` of it. */
struct reading {
	int64_t apart, error;
};

/* The database reads its clock at some moment between `before` and `after`. */
static int read_once(struct dbl_exam *exam, struct reading *best, struct dblock_error *err)
{
	const struct dbl_env *env = exam->target->env;
	int64_t before = dbl_wall(env), after, theirs = 0, error;
	int rc = dbl_exam_run(exam, exam->db, DBL_OP_migrate_now, DBL_NO_ARGS, take_time, &theirs,
			      err);

	after = dbl_wall(env);
	error = (after - before) / 2 + 1;
	if (rc || error >= best->error)
		return rc;
	*best = (struct reading){theirs - before - (after - before) / 2, error};
	return 0;
}

static int64_t size(int64_t us)
{
	return us < 0 ? -us : us;
}

int dbl_exam_clock(struct dbl_exam *exam)
{
	struct reading best = {.error = INT64_MAX};
	struct dblock_error err = {0};
	bool near;
	int rc = 0;

	if (exam->target->dialect->is_file)
		return dbl_exam_say(exam, DBLOCK_FINDING_OK, topic, NULL,
				    "the file has no clock of its own: all who use it go by this "
				    "machine's time since its boot");
	for (int i = 0; i < SAMPLES && rc == 0; i++)
		rc = read_once(exam, &best, &err);
	if (rc)
		return dbl_exam_blind(exam, topic, "the clock", rc, &err);
	near = size(best.apart) - best.error <= APART_MAX_US;
	return dbl_exam_say(exam, near ? DBLOCK_FINDING_OK : DBLOCK_FINDING_WARNING, topic,
			    near ? NULL : remedy,
			    "it is %" PRId64 " ms %s this machine's, give or take %" PRId64 " ms",
			    size(best.apart) / 1000, best.apart < 0 ? "behind" : "ahead of",
			    best.error / 1000 + 1);
}
