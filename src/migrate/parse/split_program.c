/* SPDX-License-Identifier: MIT */
/*
 * Reads MySQL's stored programs up to their body: what is created, and where its body begins. Under
 * another delimiter than `;` it matters only whether a program is created.
 */
#include "migrate/parse/split_own.h"

/* What a statement creates. */
enum { UNKNOWN, NOTHING, ROUTINE, TRIGGER, EVENT, PACKAGE, COMPOUND };

/* How far it is read: in the head, between head and body, in the body. */
enum { HEAD, FRONT, BODY };

static const char openers[] = "begin if case loop while repeat for ";

static const char verbs[] =
	"return select insert update delete replace set call with values do execute prepare "
	"deallocate signal resignal truncate alter create drop rename grant revoke analyze "
	"optimize flush lock unlock kill show load commit rollback start savepoint get ";

bool dbl_program_is(const struct dbl_split *s)
{
	return s->track.object > NOTHING;
}

/* Returns what a statement creates, as far as its first word says. */
static int first(const struct dbl_split *s, const struct dbl_token *t)
{
	if (dbl_is_one_of(s, t, "create alter begin "))
		return UNKNOWN;
	/* MariaDB allows these outside programs as well. */
	return dbl_is_one_of(s, t, openers) ? COMPOUND : NOTHING;
}

static int created(const struct dbl_split *s, const struct dbl_token *t)
{
	bool creates = dbl_nth(s, 0, "create ");

	if (dbl_is(s, t, "event"))
		return EVENT;
	if (dbl_is_one_of(s, t, "procedure function "))
		return creates ? ROUTINE : NOTHING;
	if (dbl_is(s, t, "trigger"))
		return creates ? TRIGGER : NOTHING;
	if (dbl_is(s, t, "package"))
		return creates ? PACKAGE : NOTHING;
	return dbl_is_one_of(s, t,
			     "table view index database schema user role server sequence "
			     "tablespace logfile undo resource instance ")
		       ? NOTHING
		       : UNKNOWN;
}

static void decide(struct dbl_split *s, const struct dbl_token *t)
{
	struct dbl_track *track = &s->track;

	if (track->n_words == 0) {
		track->object = first(s, t);
		track->at_start = true;
		track->phase = track->object == COMPOUND ? BODY : HEAD;
	} else if (dbl_nth(s, 0, "begin ")) {
		track->object = dbl_is(s, t, "not") ? COMPOUND : NOTHING;
	} else if (track->before != '=' && track->before != '@' && track->before != '.') {
		track->object = created(s, t);
	}
}

/* Reads the head of a BEGIN NOT ATOMIC. */
static int compound_head(struct dbl_split *s, const struct dbl_token *t, struct dblock_error *err)
{
	struct dbl_token begin = {DBL_TOKEN_WORD, s->track.words[0].offset, 5};

	if (!dbl_is(s, t, "atomic"))
		return 0;
	s->track.phase = BODY;
	s->track.at_start = true;
	return dbl_body_token(s, &begin, err);
}

static int head(struct dbl_split *s, const struct dbl_token *t, struct dblock_error *err)
{
	struct dbl_track *track = &s->track;

	switch (track->object) {
	case ROUTINE: /* behind its parameters */
		if (t->type == DBL_TOKEN_OTHER && s->text[t->offset] == ')' && track->parens == 1)
			track->phase = FRONT;
		return 0;
	case TRIGGER:
		if (dbl_is(s, t, "row") && dbl_follows(s, "each "))
			track->phase = FRONT;
		return 0;
	case EVENT:
		if (track->parens == 0 && dbl_is(s, t, "do"))
			track->phase = FRONT;
		return 0;
	default:
		return compound_head(s, t, err);
	}
}

/* Reads characteristics of a routine, or FOLLOWS of a trigger, up to where the body begins. */
static int front(struct dbl_split *s, const struct dbl_token *t, struct dblock_error *err)
{
	struct dbl_track *track = &s->track;

	if (track->parens > 0 || dbl_follows(s, "returns ") ||
	    (dbl_is(s, t, "set") && dbl_follows(s, "character char ")))
		return 0;
	if (dbl_is_one_of(s, t, "as is "))
		return dbl_body_needs_delimiter(s, t->offset, err,
						"this body is not in the language of MySQL");
	if (!dbl_is_one_of(s, t, openers) && !dbl_is_one_of(s, t, verbs))
		return 0;
	track->phase = BODY;
	track->at_start = true;
	return dbl_body_token(s, t, err);
}

int dbl_program_token(struct dbl_split *s, const struct dbl_token *t, struct dblock_error *err)
{
	if (s->track.object == UNKNOWN && t->type == DBL_TOKEN_WORD)
		decide(s, t);
	if (!dbl_program_is(s) || t->type == DBL_TOKEN_MARK || dbl_delimiter_is_set(s))
		return 0;
	if (s->track.object == PACKAGE)
		return dbl_body_needs_delimiter(s, t->offset, err, "a package");
	if (s->track.phase == HEAD)
		return head(s, t, err);
	if (s->track.phase == FRONT)
		return front(s, t, err);
	return dbl_body_token(s, t, err);
}

int dbl_program_delimiter(struct dbl_split *s, bool *ends, struct dblock_error *err)
{
	return s->track.phase == BODY ? dbl_body_delimiter(s, ends, err) : 0;
}

int dbl_program_end(struct dbl_split *s, struct dblock_error *err)
{
	return s->track.phase == BODY ? dbl_body_end(s, err) : 0;
}
