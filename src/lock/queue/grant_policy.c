/* SPDX-License-Identifier: MIT */
#include "lock/queue/grant_policy.h"

#include <dblock/lock.h>

#include "base/assert.h"

/* What is held, or will be. */
struct held {
	unsigned shared, update, exclusive;
	int64_t permits, capacity;
};

static void hold(struct held *held, const struct dbl_row *row)
{
	if (row->mode == DBLOCK_SHARED)
		held->shared++;
	else if (row->mode == DBLOCK_UPDATE)
		held->update++;
	else if (row->mode == DBLOCK_PERMITS)
		held->permits += row->weight;
	else
		held->exclusive++;
	if (row->mode == DBLOCK_PERMITS)
		held->capacity = row->capacity;
}

static bool is_compatible(const struct held *held, const struct dbl_row *row)
{
	if (held->exclusive)
		return false;
	if (row->mode == DBLOCK_PERMITS)
		return !held->shared && !held->update &&
		       (!held->permits || held->capacity == row->capacity) &&
		       held->permits <= row->capacity - row->weight;
	if (held->permits)
		return false;
	if (row->mode == DBLOCK_SHARED)
		return true;
	return !held->update && (row->mode == DBLOCK_UPDATE || !held->shared);
}

/* What holds the lock once the plan has been carried out goes together. */
static bool goes_together(const struct held *held)
{
	if (held->exclusive)
		return held->exclusive == 1 && !held->shared && !held->update && !held->permits;
	if (held->permits)
		return !held->shared && !held->update && held->permits <= held->capacity;
	return held->update <= 1;
}

/* It grants to rows that wait, each once, in order of the line, and no more than there is. An
 * upgrade takes the place of its own grant. */
static bool is_sound(const struct dbl_line *line, const struct dbl_plan *plan)
{
	struct held held = {0};

	if (plan->n > DBL_GRANTS_MAX || (plan->what == DBL_PLAN_GRANT) != (plan->n > 0))
		return false;
	for (unsigned i = 0; i < plan->n; i++) {
		unsigned at = plan->grants[i];

		if (at >= line->n || dbl_row_holds(&line->rows[at]) ||
		    (i && at <= plan->grants[i - 1]))
			return false;
		hold(&held, &line->rows[at]);
	}
	for (unsigned i = 0; i < line->n && dbl_row_holds(&line->rows[i]); i++) {
		if (plan->n && line->rows[plan->grants[0]].upgrades != line->rows[i].nonce)
			hold(&held, &line->rows[i]);
	}
	return goes_together(&held);
}

/* ---- upgrades -----------------------------------------------------------------------------------
 */

bool dbl_line_has(const struct dbl_line *line, int64_t nonce)
{
	unsigned n = dbl_line_holders(line);

	DBL_ASSERT(nonce != 0);
	for (unsigned i = 0; i < n; i++) {
		if (line->rows[i].nonce == nonce)
			return true;
	}
	return false;
}

/* It waits for the others to let go of what it holds itself in a weaker mode. */
static bool is_upgrade(const struct dbl_line *line, const struct dbl_row *row)
{
	return !dbl_row_holds(row) && row->upgrades && !row->session_dead &&
	       dbl_line_has(line, row->upgrades);
}

bool dbl_line_other_upgrade(const struct dbl_line *line, int64_t ticket, int64_t upgrades)
{
	for (unsigned i = 0; i < line->n; i++) {
		const struct dbl_row *row = &line->rows[i];

		if (is_upgrade(line, row) && row->ticket < ticket && row->upgrades != upgrades)
			return true;
	}
	return false;
}

/* The first upgrade gets it once nobody but its own grant holds it. True: there is one. */
static bool plan_upgrade(const struct dbl_line *line, struct dbl_plan *plan)
{
	unsigned i = dbl_line_holders(line);

	while (i < line->n && !is_upgrade(line, &line->rows[i]))
		i++;
	if (i == line->n)
		return false;
	if (dbl_line_holders(line) > 1)
		return true;
	plan->what = DBL_PLAN_GRANT;
	plan->grants[plan->n++] = i;
	plan->served = line->served;
	plan->others = true;
	return true;
}

/* ---- the line -----------------------------------------------------------------------------------
 */

/* Waits for its turn; one whose session is dead does not count, nor what is left of an upgrade. */
static bool is_in_line(const struct dbl_line *line, const struct dbl_row *row)
{
	return !dbl_row_holds(row) && row->ticket > line->served && !row->upgrades &&
	       !row->session_dead && row->session_found;
}

static bool looks_alive(const struct dbl_row *row)
{
	return row->session_left == DBL_UNKNOWN || row->session_left > 0;
}

/* Those that look expired are passed over, unless all do. */
static bool any_looks_alive(const struct dbl_line *line)
{
	for (unsigned i = 0; i < line->n; i++) {
		if (is_in_line(line, &line->rows[i]) && looks_alive(&line->rows[i]))
			return true;
	}
	return false;
}

static bool wants_it_alone(const struct dbl_row *row)
{
	return row->mode == DBLOCK_EXCLUSIVE && row->names == 1;
}

static void grant(struct dbl_plan *plan, const struct dbl_line *line, unsigned i)
{
	plan->what = DBL_PLAN_GRANT;
	plan->grants[plan->n++] = i;
	plan->served = line->rows[i].ticket;
}

/* Who came before it goes on, nobody behind it does. */
static void reserve(struct dbl_plan *plan, unsigned i)
{
	plan->others = true;
	if (plan->n > 0)
		return;
	plan->what = DBL_PLAN_RING;
	plan->grants[0] = i;
}

static void plan_line(const struct dbl_line *line, struct held *held, struct dbl_plan *plan)
{
	bool choosy = any_looks_alive(line);

	for (unsigned i = 0; i < line->n; i++) {
		const struct dbl_row *row = &line->rows[i];

		if (!is_in_line(line, row) || (choosy && !looks_alive(row)))
			continue;
		plan->others = !is_compatible(held, row) || plan->n == DBL_GRANTS_MAX;
		if (plan->others)
			return;
		if (wants_it_alone(row)) {
			plan->what = DBL_PLAN_HAND_OVER;
			return;
		}
		if (row->names > 1) {
			reserve(plan, i);
			return;
		}
		hold(held, row);
		grant(plan, line, i);
	}
}

void dbl_plan_make(const struct dbl_line *line, struct dbl_plan *plan)
{
	unsigned n = dbl_line_holders(line);
	struct held held = {0};

	*plan = (struct dbl_plan){.what = line->found ? DBL_PLAN_NOTHING : DBL_PLAN_NAME};
	if (!line->found || line->held)
		return;
	for (unsigned i = 0; i < n; i++) {
		if (dbl_row_is_over(&line->rows[i])) {
			plan->what = DBL_PLAN_EXPEL;
			return;
		}
		hold(&held, &line->rows[i]);
	}
	if (!plan_upgrade(line, plan))
		plan_line(line, &held, plan);
	DBL_ASSERT(is_sound(line, plan), "what %d, %u of %u", (int)plan->what, plan->n, line->n);
	DBL_ASSERT(plan->what != DBL_PLAN_GRANT || plan->served >= line->served, "%lld, %lld",
		   (long long)plan->served, (long long)line->served);
}

void dbl_plan_first(const struct dbl_line *line, int64_t nonce, struct dbl_plan *plan)
{
	*plan = (struct dbl_plan){.others = false};
	for (unsigned i = 0; i < line->n; i++) {
		if (line->rows[i].nonce == nonce)
			grant(plan, line, i);
		else if (is_in_line(line, &line->rows[i]))
			plan->others = true;
	}
	DBL_ASSERT(plan->n <= 1, "%u", plan->n); /* one wait has one row in a line */
}

bool dbl_plan_grants(const struct dbl_plan *plan, const struct dbl_line *line, int64_t nonce)
{
	DBL_ASSERT(nonce != 0); /* the rest of a minimum hold has none */
	for (unsigned i = 0; i < plan->n; i++) {
		if (line->rows[plan->grants[i]].nonce == nonce)
			return true;
	}
	return false;
}

/* ---- kinds --------------------------------------------------------------------------------------
 */

/* Of a semaphore, its capacity; else 0. */
static int64_t kind(int64_t mode, int64_t capacity)
{
	return mode == DBLOCK_PERMITS ? capacity : 0;
}

/* For sure. Who may be dead is waited for, and says nothing about what the name is for. */
static bool is_alive(const struct dbl_row *row)
{
	int64_t left = row->by_time ? row->lease_left : row->session_left;

	if (!row->by_time && (!row->session_found || row->session_dead))
		return false;
	return left != DBL_UNKNOWN && left > 0;
}

const struct dbl_row *dbl_line_misfit(const struct dbl_line *line, int64_t ticket, int64_t mode,
				      int64_t capacity, bool *alone)
{
	*alone = line->held_alive && kind(mode, capacity) != 0;
	for (unsigned i = 0; i < line->n; i++) {
		const struct dbl_row *row = &line->rows[i];

		if (!is_alive(row) ||
		    (!dbl_row_holds(row) && (!is_in_line(line, row) || row->ticket >= ticket)))
			continue;
		if (kind(row->mode, row->capacity) != kind(mode, capacity))
			return row;
	}
	return NULL;
}

int dbl_line_refuse(const char *name, const struct dbl_row *row, struct dblock_error *err)
{
	if (row && row->mode == DBLOCK_PERMITS)
		return dbl_fail(
			err, DBLOCK_E_INVALID,
			"'%s' is in use as a semaphore of %lld permits (host %s, pid %lld): "
			"ask for permits of that capacity, or use another name",
			name, (long long)row->capacity, row->host, (long long)row->pid);
	return dbl_fail(err, DBLOCK_E_INVALID,
			"'%s' is in use as a lock without permits: ask for it exclusive or shared, "
			"or use another name for the semaphore",
			name);
}
