/* SPDX-License-Identifier: MIT */
#include "doctor/pool.h"

#include <string.h>

#include "doctor/exam.h"
#include "driver/value.h"

enum { ROUNDS = 3, SNAPSHOTS = 2 * ROUNDS };

static const char topic[] = "pooler";
static const char remedy[] =
	"add pool=transaction to the URL, or connect to the server itself, or through a pool in "
	"session mode, with three connections for each client, four for those with many busy "
	"threads";

enum dbl_pool dbl_pool_judge(const struct dbl_pool_snapshot *snapshots, size_t n)
{
	enum dbl_pool worst = DBL_POOL_NONE, this;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			bool same = snapshots[i].server == snapshots[j].server;

			this = DBL_POOL_NONE;
			if (snapshots[i].second == snapshots[j].second && !same)
				this = DBL_POOL_CHANGES;
			else if (snapshots[i].second != snapshots[j].second && same)
				this = DBL_POOL_SHARES;
			worst = this > worst ? this : worst;
		}
		this = DBL_POOL_NONE;
		if (snapshots[i].second && snapshots[i].marked)
			this = DBL_POOL_LEAKS;
		else if (!snapshots[i].second && !snapshots[i].marked)
			this = DBL_POOL_FORGETS;
		worst = this > worst ? this : worst;
	}
	return worst;
}

/* The mark to look for, and what one statement has seen. */
struct sight {
	const char *mark;
	struct dbl_pool_snapshot snapshot;
	bool told;
};

static int take_snapshot(void *ctx, const struct dbl_value *row)
{
	struct sight *sight = ctx;

	sight->told = row[0].type != DBL_NULL;
	sight->snapshot.server = row[0].i;
	sight->snapshot.marked = row[1].type == DBL_TEXT && row[1].len == strlen(sight->mark) &&
				 memcmp(row[1].text, sight->mark, row[1].len) == 0;
	return 0;
}

static int set_mark(struct dbl_exam *exam, const char *mark, struct dblock_error *err)
{
	struct dbl_value arg = dbl_text(mark);

	return dbl_exam_run(exam, exam->db, DBL_OP_doctor_mark, DBL_ARG(arg), NULL, NULL, err);
}

/* Looks on both connections in turns. *told: the database gives its connections numbers. */
static int look_around(struct dbl_exam *exam, struct dbl_db *second, const char *mark,
		       struct dbl_pool_snapshot *snapshots, bool *told, struct dblock_error *err)
{
	int rc = set_mark(exam, mark, err);

	for (int i = 0; i < SNAPSHOTS && rc == 0; i++) {
		struct sight sight = {.mark = mark, .snapshot = {.second = i % 2}};

		rc = dbl_exam_run(exam, i % 2 ? second : exam->db, DBL_OP_doctor_connection,
				  DBL_NO_ARGS, take_snapshot, &sight, err);
		snapshots[i] = sight.snapshot;
		*told = sight.told;
	}
	if (rc == 0)
		rc = set_mark(exam, "", err);
	return rc;
}

static int say(struct dbl_exam *exam, enum dbl_pool pool)
{
	static const char *const texts[] = {
		[DBL_POOL_CHANGES] = "statements of one connection reach several of the server's",
		[DBL_POOL_SHARES] = "two connections of ours are one of the server's",
		[DBL_POOL_LEAKS] = "settings of one connection leak to others: two of ours are one "
				   "of the server's",
		[DBL_POOL_FORGETS] = "settings of a connection do not last",
	};

	if (pool == DBL_POOL_NONE)
		return dbl_exam_say(exam, DBLOCK_FINDING_OK, topic, NULL,
				    "none is seen: a connection stays one and the same");
	return dbl_exam_say(exam, DBLOCK_FINDING_WRONG, topic, remedy,
			    "a pooler stands before the server: %s", texts[pool]);
}

/* Find out by what statements on both connections see. */
static int look(struct dbl_exam *exam, struct dbl_db *second)
{
	struct dbl_pool_snapshot snapshots[SNAPSHOTS];
	struct dblock_error err = {0};
	char mark[33];
	bool told = false;
	int rc;

	if (dbl_random_hex(exam->target->env, mark))
		return 0;
	rc = look_around(exam, second, mark, snapshots, &told, &err);
	if (rc)
		return dbl_exam_blind(exam, topic, "which connection of the server's is ours", rc,
				      &err);
	return told ? say(exam, dbl_pool_judge(snapshots, SNAPSHOTS)) : 0;
}

/* The URL names the server that is behind it as well. */
static int look_past(struct dbl_exam *exam)
{
	const struct dbl_target *direct = exam->target->direct;
	struct dblock_error err = {0};
	struct dbl_db *past;
	int rc = dbl_db_open(&past, direct, exam->deadline, &err);

	if (rc)
		return dbl_exam_say(exam, DBLOCK_FINDING_WRONG, topic,
				    "name in direct= the server that is behind the pooler",
				    "what is to go past it cannot: %s", err.message);
	rc = dbl_exam_say(exam, DBLOCK_FINDING_OK, topic, NULL,
			  "heartbeats, migrations, and what tells of grants go past it: %s",
			  direct->url.shown);
	if (rc == 0)
		rc = dbl_exam_wake(exam, past);
	dbl_db_close(past);
	return rc;
}

int dbl_exam_pool(struct dbl_exam *exam)
{
	struct dblock_error err = {0};
	struct dbl_db *second;
	int rc;

	if (exam->target->dialect->is_file)
		return 0;
	rc = dbl_db_open(&second, exam->target, exam->deadline, &err);
	if (rc)
		return dbl_exam_say(exam, DBLOCK_FINDING_WRONG, topic,
				    "give each client two connections",
				    "a second connection is refused: %s", err.message);
	if (dbl_db_pooled(exam->db) || dbl_db_pooled(second))
		rc = dbl_exam_say(
			exam, DBLOCK_FINDING_OK, topic, NULL,
			"one stands before the server: each request is a transaction with "
			"settings of its own, of which nothing stays");
	else
		rc = look(exam, second);
	if (rc == 0 && exam->target->direct)
		rc = look_past(exam);
	else if (rc == 0)
		rc = dbl_exam_wake(exam, second);
	dbl_db_close(second);
	return rc;
}
