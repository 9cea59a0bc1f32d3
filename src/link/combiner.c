/* SPDX-License-Identifier: MIT */
#include "link/combiner_queue.h"

/* Told to one that waits: it hosts, and has to look at the clock. */
enum { HOSTS = DBL_SEAT_ASTRAY + 1 };

/* No turn waits longer for company. */
#define LONGEST_US 1000

/* So many in so many more turns than not are worth a second connection. */
enum { MANY = 12, TURNS = 32 };

/* ---- when to begin -------------------------------------------------------------------------- */

static void count_arrival(struct dbl_seats_pace *pace, int64_t now)
{
	if (now <= pace->until)
		pace->early++;
	else
		pace->late++;
}

/* A turn has ended; so many were served. Who came back early after the last one will do so again,
 * if they are a crowd, and not those who just happened to come then. */
static void set_pace(struct dbl_seats *seats, unsigned served)
{
	struct dbl_seats_pace *pace = &seats->pace;
	unsigned w = seats->n_waiting;
	unsigned here = pace->left + pace->early;
	/* In a file a batch costs what its members cost. */
	bool crowd = pace->begun && pace->early >= 2 * pace->late + 2 &&
		     seats->target->dialect->batch != DBL_BATCH_SINGLY;
	int64_t now = dbl_now(seats->target->env);

	pace->ended = now;
	pace->until = now + (pace->begun ? dbl_least((now - pace->begun) / 2, LONGEST_US) : 0);
	pace->company =
		!crowd ? 0 : (unsigned)dbl_least(dbl_least(here, w + served), DBL_BATCH_MAX);
	if (pace->company >= MANY)
		pace->crowds++;
	else if (pace->crowds)
		pace->crowds--;
	pace->begun = 0;
	pace->left = w;
	pace->early = pace->late = 0;
}

/* May it wait for company, where so many are there? */
static bool awaits(const struct dbl_seats *seats, const struct dbl_seat *seat, unsigned there,
		   int64_t now)
{
	return there < seats->pace.company && now < seats->pace.until &&
	       dbl_batch_joins(seats->target, NULL, 0, &seat->member, now);
}

/* The connection is free: the first who waits for it has it from now on. NULL: nobody has; or he
 * awaits others, as the host. */
static struct dbl_seat *pass_on(struct dbl_seats *seats, int64_t now)
{
	struct dbl_seat **at = seats->first ? dbl_line_first(seats, false) : &seats->first;
	struct dbl_seat *next = *at;

	seats->taken = next != NULL;
	/* Who has hosted before, and was passed over, has waited enough. */
	seats->host = next && awaits(seats, next, seats->n_waiting, now) &&
				      dbl_latch_get(&next->latch) != HOSTS
			      ? next
			      : NULL;
	if (!next || seats->host)
		return NULL;
	dbl_line_take_out(seats, at);
	return next;
}

static void lead(struct dbl_seat *next)
{
	if (next)
		dbl_latch_set(&next->latch, DBL_SEAT_LEADS);
}

/* ---- taking it ------------------------------------------------------------------------------ */

/* He hosts no more, and leaves the line. NULL, or who has the connection then. */
static struct dbl_seat *give_up(struct dbl_seats *seats, struct dbl_seat *seat)
{
	dbl_line_take_out(seats, dbl_line_find(seats, seat));
	if (seats->host != seat)
		return NULL;
	seats->pace.company = 0;
	return pass_on(seats, 0);
}

/* How it stands with one whose time `until` has come, or that was told something. HOSTS: he
 * goes on waiting; for ever, if somebody is serving him, or has just made him the next one. */
static int look(struct dbl_seat *seat, int64_t deadline, int64_t *until)
{
	struct dbl_seats *seats = dbl_line_lock(seat);
	int64_t now = dbl_now(seats->target->env);
	struct dbl_seat *next = NULL;
	int is = HOSTS;

	if (now >= deadline) {
		*until = DBL_NEVER;
		if (*dbl_line_find(seats, seat)) {
			next = give_up(seats, seat);
			is = DBL_SEAT_LATE;
		}
	} else if (seats->host != seat) {
		*until = deadline;
	} else if (now < seats->pace.until) {
		*until = dbl_least(deadline, seats->pace.until);
	} else {
		seats->host = NULL;
		dbl_line_take_out(seats, dbl_line_find(seats, seat));
		is = DBL_SEAT_LEADS;
	}
	dbl_unlock(&seats->mutex);
	lead(next);
	return is;
}

static enum dbl_seated wait(const struct dbl_env *env, struct dbl_seat *seat, int64_t deadline,
			    int64_t until)
{
	uint32_t told = 0;
	int is;

	for (;;) {
		told = dbl_latch_wait(&seat->latch, told, env, until);
		if (told == DBL_SEAT_SERVED)
			return DBL_SEAT_SERVED;
		if (told == DBL_SEAT_LEADS)
			break;
		is = look(seat, deadline, &until);
		if (is != HOSTS)
			return (enum dbl_seated)is;
	}
	if (until != DBL_NEVER || deadline == DBL_NEVER)
		return DBL_SEAT_LEADS;
	dbl_seats_end(seat->in, NULL, 0);
	return DBL_SEAT_LATE;
}

/* There are others, or there will be. Unlocks. */
static enum dbl_seated join(struct dbl_seats *seats, struct dbl_seat *seat, int64_t now,
			    int64_t until)
{
	/* Who may not wait goes before the host: nobody has the connection as yet. */
	bool leads =
		(!seats->taken || seats->host) && !awaits(seats, seat, seats->n_waiting + 1, now);
	int64_t first_until = until;

	if (leads)
		seats->host = NULL;
	else if (!seats->taken)
		seats->host = seat;
	if (seats->host == seat)
		first_until = dbl_least(until, seats->pace.until);
	seats->taken = true;
	if (!leads)
		dbl_line_append(seats, seat);
	dbl_unlock(&seats->mutex);
	return leads ? DBL_SEAT_LEADS : wait(seats->target->env, seat, until, first_until);
}

enum dbl_seated dbl_seats_take(struct dbl_seats *seats, struct dbl_seat *seat, int64_t until)
{
	int64_t now = dbl_now(seats->target->env);

	dbl_lock(&seats->mutex);
	if (!dbl_line_takes(seats, seat)) {
		dbl_unlock(&seats->mutex);
		return DBL_SEAT_ASTRAY;
	}
	seat->in = seats;
	count_arrival(&seats->pace, now);
	seat->alone = !seats->taken && !seats->first && !seats->pace.company;
	if (!seat->alone)
		return join(seats, seat, now, until);
	seats->taken = true;
	seats->pace.begun = now;
	dbl_unlock(&seats->mutex);
	return DBL_SEAT_LEADS;
}

unsigned dbl_seats_gather(struct dbl_seats *seats, int64_t now,
			  struct dbl_member *members[DBL_BATCH_MAX], unsigned n)
{
	struct dbl_seat **at;

	dbl_lock(&seats->mutex);
	seats->pace.begun = now;
	at = n ? NULL : dbl_line_first(seats, true);
	if (at && *at) {
		members[n++] = &(*at)->member;
		dbl_line_take_out(seats, at);
	}
	for (at = &seats->first; n && *at && n < DBL_BATCH_MAX;) {
		struct dbl_seat *seat = *at;

		if (!dbl_batch_joins(seats->target, members, n, &seat->member, now)) {
			at = &seat->next;
			continue;
		}
		dbl_line_take_out(seats, at);
		members[n++] = &seat->member;
	}
	dbl_unlock(&seats->mutex);
	return n;
}

static void tell(struct dbl_seat *seat)
{
	if (seat->over)
		seat->over(seat);
	else
		dbl_latch_set(&seat->latch, DBL_SEAT_SERVED);
}

/* Last of all: mostly those who were served have come back by then, and he has nothing to do. */
static void tell_host(struct dbl_seats *seats)
{
	struct dbl_seat *host;

	dbl_lock(&seats->mutex);
	host = seats->host;
	if (host)
		dbl_latch_put(&host->latch, HOSTS);
	dbl_unlock(&seats->mutex);
	if (host)
		dbl_latch_wake(&host->latch);
}

void dbl_seats_end(struct dbl_seats *seats, struct dbl_member *const *served, unsigned n)
{
	struct dbl_seat *next;
	bool hosted;

	dbl_lock(&seats->mutex);
	set_pace(seats, n + 1);
	next = pass_on(seats, seats->pace.ended);
	hosted = seats->host != NULL;
	dbl_unlock(&seats->mutex);
	/* First who has the connection: those who are served only have to return. */
	lead(next);
	for (unsigned i = 0; i < n; i++)
		tell((struct dbl_seat *)served[i]);
	if (hosted)
		tell_host(seats);
}

/* ---- two lines ------------------------------------------------------------------------------ */

bool dbl_seats_are_many(struct dbl_seats *seats)
{
	bool many;

	dbl_lock(&seats->mutex);
	many = seats->open == DBL_SEATS_ALL && seats->pace.crowds >= TURNS;
	dbl_unlock(&seats->mutex);
	return many;
}

/* Some have come over: if nobody has the connection, the first of them has it now. */
static struct dbl_seat *begin(struct dbl_seats *seats)
{
	seats->pace = (struct dbl_seats_pace){0};
	return seats->taken ? NULL : pass_on(seats, 0);
}

void dbl_seats_part(struct dbl_seats *first, struct dbl_seats *other, bool two)
{
	struct dbl_seats *from = two ? first : other, *to = two ? other : first;
	struct dbl_seat *next;

	dbl_lock(&first->mutex);
	dbl_lock(&other->mutex);
	first->open = two ? DBL_SEATS_FIRST_HALF : DBL_SEATS_ALL;
	other->open = two ? DBL_SEATS_OTHER_HALF : DBL_SEATS_NONE;
	dbl_line_move(from, to);
	next = begin(to);
	dbl_unlock(&other->mutex);
	dbl_unlock(&first->mutex);
	lead(next);
}
