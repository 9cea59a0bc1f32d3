/* SPDX-License-Identifier: MIT */
#include "link/combiner_queue.h"

/* What a sender that waits is told when it leads: to look at the clock. */
enum { GATHERS = DBL_SEND_ELSEWHERE + 1 };

/* No turn waits longer than this for more senders. */
#define LONGEST_US 1000

/* A second connection pays after so many more turns of at least MANY senders than of fewer. */
enum { MANY = 12, TURNS = 32 };

/* ---- when to begin -------------------------------------------------------------------------- */

static void count_arrival(struct dbl_combiner_pace *pace, int64_t now)
{
	if (now <= pace->until)
		pace->early++;
	else
		pace->late++;
}

/* A turn has ended, which has sent for so many. Senders that came back early after the last turn
 * will do so again if they are a crowd, and did not just happen to come then. */
static void set_pace(struct dbl_combiner *combiner, unsigned sent)
{
	struct dbl_combiner_pace *pace = &combiner->pace;
	unsigned w = combiner->n_waiting;
	unsigned here = pace->left + pace->early;
	/* SQLite gains nothing by a batch: it costs what its members cost. */
	bool crowd = pace->begun && pace->early >= 2 * pace->late + 2 &&
		     combiner->target->dialect->batch != DBL_BATCH_SINGLY;
	int64_t now = dbl_now(combiner->target->env);

	pace->ended = now;
	pace->until = now + (pace->begun ? dbl_least((now - pace->begun) / 2, LONGEST_US) : 0);
	pace->batch_size =
		!crowd ? 0 : (unsigned)dbl_least(dbl_least(here, w + sent), DBL_BATCH_MAX);
	if (pace->batch_size >= MANY)
		pace->crowds++;
	else if (pace->crowds)
		pace->crowds--;
	pace->begun = 0;
	pace->left = w;
	pace->early = pace->late = 0;
}

/* May this sender wait for more, where so many are there? */
static bool awaits(const struct dbl_combiner *combiner, const struct dbl_sender *sender,
		   unsigned there, int64_t now)
{
	return there < combiner->pace.batch_size && now < combiner->pace.until &&
	       dbl_batch_joins(combiner->target, NULL, 0, &sender->member, now);
}

/* The connection is free: the first who waits for it gets it. NULL: nobody waits, or the first one
 * waits for more senders, as the leader. */
static struct dbl_sender *pass_on(struct dbl_combiner *combiner, int64_t now)
{
	struct dbl_sender **at = dbl_combiner_first(combiner, false), *next = *at;

	combiner->taken = next != NULL;
	/* A sender that has led before, and was passed over, has waited enough. */
	combiner->leader = next && awaits(combiner, next, combiner->n_waiting, now) &&
					   dbl_latch_get(&next->latch) != GATHERS
				   ? next
				   : NULL;
	if (!next || combiner->leader)
		return NULL;
	dbl_combiner_take_out(combiner, at);
	return next;
}

static void lead(struct dbl_sender *next)
{
	if (next)
		dbl_latch_set(&next->latch, DBL_SEND_LEADS);
}

/* ---- taking it ------------------------------------------------------------------------------ */

/* Take a sender out of the queue; if it was the leader, return who has the connection then. */
static struct dbl_sender *give_up(struct dbl_combiner *combiner, struct dbl_sender *sender)
{
	dbl_combiner_take_out(combiner, dbl_combiner_find(combiner, sender));
	if (combiner->leader != sender)
		return NULL;
	combiner->pace.batch_size = 0;
	return pass_on(combiner, 0);
}

/* What becomes of a sender that was told something, or whose time `until` has come. GATHERS: it
 * goes on waiting; for ever, if another one is sending for it, or has just given it the
 * connection. */
static int look(struct dbl_sender *sender, int64_t deadline, int64_t *until)
{
	struct dbl_combiner *combiner = dbl_combiner_lock(sender);
	int64_t now = dbl_now(combiner->target->env);
	struct dbl_sender *next = NULL;
	int is = GATHERS;

	if (now >= deadline) {
		*until = DBL_NEVER;
		if (*dbl_combiner_find(combiner, sender)) {
			next = give_up(combiner, sender);
			is = DBL_SEND_LATE;
		}
	} else if (combiner->leader != sender) {
		*until = deadline;
	} else if (now < combiner->pace.until) {
		*until = dbl_least(deadline, combiner->pace.until);
	} else {
		combiner->leader = NULL;
		dbl_combiner_take_out(combiner, dbl_combiner_find(combiner, sender));
		is = DBL_SEND_LEADS;
	}
	dbl_unlock(&combiner->mutex);
	lead(next);
	return is;
}

static enum dbl_send_state wait(const struct dbl_env *env, struct dbl_sender *sender,
				int64_t deadline, int64_t until)
{
	uint32_t told = 0;
	int is;

	for (;;) {
		told = dbl_latch_wait(&sender->latch, told, env, until);
		if (told == DBL_SEND_DONE)
			return DBL_SEND_DONE;
		if (told == DBL_SEND_LEADS)
			break;
		is = look(sender, deadline, &until);
		if (is != GATHERS)
			return (enum dbl_send_state)is;
	}
	if (until != DBL_NEVER || deadline == DBL_NEVER)
		return DBL_SEND_LEADS;
	dbl_combiner_end(sender->in, NULL, 0);
	return DBL_SEND_LATE;
}

/* Wait, if others are in the queue or will be. Unlocks. */
static enum dbl_send_state join(struct dbl_combiner *combiner, struct dbl_sender *sender,
				int64_t now, int64_t until)
{
	/* A sender that may not wait goes before the leader, as nobody has the connection yet. */
	bool leads = (!combiner->taken || combiner->leader) &&
		     !awaits(combiner, sender, combiner->n_waiting + 1, now);
	int64_t first_until = until;

	if (leads)
		combiner->leader = NULL;
	else if (!combiner->taken)
		combiner->leader = sender;
	if (combiner->leader == sender)
		first_until = dbl_least(until, combiner->pace.until);
	combiner->taken = true;
	if (!leads)
		dbl_combiner_append(combiner, sender);
	dbl_unlock(&combiner->mutex);
	return leads ? DBL_SEND_LEADS : wait(combiner->target->env, sender, until, first_until);
}

enum dbl_send_state dbl_combiner_take(struct dbl_combiner *combiner, struct dbl_sender *sender,
				      int64_t until)
{
	int64_t now = dbl_now(combiner->target->env);

	dbl_lock(&combiner->mutex);
	if (!dbl_combiner_takes(combiner, sender)) {
		dbl_unlock(&combiner->mutex);
		return DBL_SEND_ELSEWHERE;
	}
	sender->in = combiner;
	count_arrival(&combiner->pace, now);
	sender->alone = !combiner->taken && !combiner->first && !combiner->pace.batch_size;
	if (!sender->alone)
		return join(combiner, sender, now, until);
	combiner->taken = true;
	combiner->pace.begun = now;
	dbl_unlock(&combiner->mutex);
	return DBL_SEND_LEADS;
}

unsigned dbl_combiner_gather(struct dbl_combiner *combiner, int64_t now,
			     struct dbl_member *members[DBL_BATCH_MAX], unsigned n)
{
	struct dbl_sender **at;

	dbl_lock(&combiner->mutex);
	combiner->pace.begun = now;
	at = n ? NULL : dbl_combiner_first(combiner, true);
	if (at && *at) {
		members[n++] = &(*at)->member;
		dbl_combiner_take_out(combiner, at);
	}
	for (at = &combiner->first; n && *at && n < DBL_BATCH_MAX;) {
		struct dbl_sender *sender = *at;

		if (!dbl_batch_joins(combiner->target, members, n, &sender->member, now)) {
			at = &sender->next;
			continue;
		}
		dbl_combiner_take_out(combiner, at);
		members[n++] = &sender->member;
	}
	dbl_unlock(&combiner->mutex);
	return n;
}

static void tell(struct dbl_sender *sender)
{
	if (sender->over)
		sender->over(sender);
	else
		dbl_latch_set(&sender->latch, DBL_SEND_DONE);
}

/* The leader is told last: by then most of the others are back, and it need not wait. */
static void tell_leader(struct dbl_combiner *combiner)
{
	struct dbl_sender *leader;

	dbl_lock(&combiner->mutex);
	leader = combiner->leader;
	if (leader)
		dbl_latch_put(&leader->latch, GATHERS);
	dbl_unlock(&combiner->mutex);
	if (leader)
		dbl_latch_wake(&leader->latch);
}

void dbl_combiner_end(struct dbl_combiner *combiner, struct dbl_member *const *sent, unsigned n)
{
	struct dbl_sender *next;
	bool led;

	dbl_lock(&combiner->mutex);
	set_pace(combiner, n + 1);
	next = pass_on(combiner, combiner->pace.ended);
	led = combiner->leader != NULL;
	dbl_unlock(&combiner->mutex);
	/* Who has the connection next is woken first: it has more to do than the others. */
	lead(next);
	for (unsigned i = 0; i < n; i++)
		tell((struct dbl_sender *)sent[i]);
	if (led)
		tell_leader(combiner);
}

/* ---- two queues ------------------------------------------------------------------------------ */

bool dbl_combiner_are_many(struct dbl_combiner *combiner)
{
	bool many;

	dbl_lock(&combiner->mutex);
	many = combiner->open == DBL_COMBINER_ALL && combiner->pace.crowds >= TURNS;
	dbl_unlock(&combiner->mutex);
	return many;
}

/* Some senders have come over: if nobody has the connection, the first of them gets it. */
static struct dbl_sender *begin(struct dbl_combiner *combiner)
{
	combiner->pace = (struct dbl_combiner_pace){0};
	return combiner->taken ? NULL : pass_on(combiner, 0);
}

void dbl_combiner_part(struct dbl_combiner *first, struct dbl_combiner *other, bool two)
{
	struct dbl_combiner *from = two ? first : other, *to = two ? other : first;
	struct dbl_sender *next;

	dbl_lock(&first->mutex);
	dbl_lock(&other->mutex);
	first->open = two ? DBL_COMBINER_FIRST_HALF : DBL_COMBINER_ALL;
	other->open = two ? DBL_COMBINER_OTHER_HALF : DBL_COMBINER_NONE;
	dbl_combiner_move(from, to);
	next = begin(to);
	dbl_unlock(&other->mutex);
	dbl_unlock(&first->mutex);
	lead(next);
}
