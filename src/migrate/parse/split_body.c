/* SPDX-License-Identifier: MIT */
/*
 * Finds the last `;` of a stored program's body under the delimiter `;`. A word opens a block only
 * where a statement may begin: there IF and REPEAT are no functions, and `end` is no column. If the
 * text does not fit this reading, the file is refused; it can use DELIMITER.
 */
#include "migrate/parse/split_own.h"

static char top(const struct dbl_split *s)
{
	return s->track.n_blocks ? s->track.blocks[s->track.n_blocks - 1].kind : '\0';
}

static size_t top_offset(const struct dbl_split *s)
{
	return s->track.blocks[s->track.n_blocks - 1].offset;
}

int dbl_body_needs_delimiter(const struct dbl_split *s, size_t offset, struct dblock_error *err,
			     const char *what)
{
	return dbl_split_fail(s, offset, err,
			      "%s: where this program ends cannot be told for sure; write "
			      "DELIMITER // before it, // behind it, and then DELIMITER ;",
			      what);
}

static int open_block(struct dbl_split *s, const struct dbl_token *t, char kind,
		      struct dblock_error *err)
{
	struct dbl_track *track = &s->track;

	if (track->n_blocks == DBL_SPLIT_DEPTH)
		return dbl_body_needs_delimiter(s, t->offset, err, "blocks in 64 others");
	track->blocks[track->n_blocks++] = (struct dbl_block){kind, t->offset};
	return 0;
}

/* Closes the innermost block; the body is done if it was the last. */
static void close_block(struct dbl_split *s)
{
	struct dbl_track *track = &s->track;

	track->done = --track->n_blocks == 0;
	track->at_start = false;
	track->ending = 0;
}

/* Closes the block of an END. The word behind END says which; none: BEGIN. *took: t is that
 * word. */
static int resolve_end(struct dbl_split *s, const struct dbl_token *t, bool *took,
		       struct dblock_error *err)
{
	size_t at = s->track.ending - 1;
	char kind = 'b';

	*took = t && dbl_is_one_of(s, t, "if case loop while repeat for ");
	if (*took)
		kind = (char)(s->text[t->offset] | 0x20);
	if (kind != top(s))
		return dbl_body_needs_delimiter(s, at, err,
						"this END does not fit what is open here");
	close_block(s);
	return 0;
}

/* ---- words ---------------------------------------------------------------------------------- */

static int then_or_else(struct dbl_split *s, const struct dbl_token *t, struct dblock_error *err)
{
	if (top(s) == 'e')
		return 0;
	if (top(s) != 'i' && top(s) != 'c')
		return dbl_body_needs_delimiter(s, t->offset, err, "no IF or CASE is open here");
	s->track.at_start = true;
	return 0;
}

/* Reads a word where a statement may begin. */
static int at_start(struct dbl_split *s, const struct dbl_token *t, struct dblock_error *err)
{
	struct dbl_track *track = &s->track;

	if (dbl_is(s, t, "end")) {
		if (track->n_blocks == 0)
			return dbl_body_needs_delimiter(s, t->offset, err, "END of nothing");
		track->ending = t->offset + 1;
	} else if (dbl_is_one_of(s, t, "begin loop repeat if case while for ")) {
		track->at_start = dbl_is_one_of(s, t, "begin loop repeat ");
		return open_block(s, t, (char)(s->text[t->offset] | 0x20), err);
	} else if (dbl_is_one_of(s, t, "then else ")) {
		return then_or_else(s, t, err);
	} else if (dbl_is(s, t, "until")) {
		track->until = top(s) == 'r';
	} else if (dbl_is(s, t, "declare")) {
		track->declare = true;
	} else {
		track->label = true;
	}
	return 0;
}

static void inner_end(struct dbl_split *s, const struct dbl_token *t)
{
	if (top(s) == 'e') {
		close_block(s);
		s->track.done = false; /* the END of an expression does not end the body */
	} else if (s->track.until && top(s) == 'r') {
		s->track.ending = t->offset + 1;
	}
}

/* Reads a word where no statement may begin. */
static int inside(struct dbl_split *s, const struct dbl_token *t, struct dblock_error *err)
{
	struct dbl_track *track = &s->track;

	if (dbl_is(s, t, "case"))
		return open_block(s, t, 'e', err);
	if (dbl_is(s, t, "end"))
		inner_end(s, t);
	else if (dbl_is_one_of(s, t, "then else "))
		return then_or_else(s, t, err);
	else if (dbl_is(s, t, "do"))
		track->at_start = top(s) == 'w' || top(s) == 'f';
	else if (dbl_is(s, t, "handler"))
		track->handler = track->declare;
	else if (dbl_is(s, t, "for") && track->handler)
		track->condition = 1;
	else if (track->parens == 0 && dbl_is_one_of(s, t, "begin loop while "))
		return dbl_body_needs_delimiter(s, t->offset, err,
						"no statement is expected to begin here");
	return 0;
}

/* Whether t is in the conditions of DECLARE ... HANDLER FOR condition, condition, ... statement. */
static bool in_conditions(struct dbl_split *s, const struct dbl_token *t)
{
	struct dbl_track *track = &s->track;
	bool comma = t->type == DBL_TOKEN_OTHER && s->text[t->offset] == ',';

	if (track->condition == 0)
		return false;
	if (track->condition == 1) {
		if (!dbl_is_one_of(s, t, "sqlstate value not "))
			track->condition = 2;
		return true;
	}
	track->condition = comma ? 1 : 0;
	if (!comma) {
		track->handler = false;
		track->declare = false;
		track->at_start = true;
	}
	return comma;
}

/* Whether a word may be a keyword: it is not in a.end, end.a or @end. */
static bool is_keyword(const struct dbl_split *s, const struct dbl_token *t)
{
	return t->type == DBL_TOKEN_WORD && s->track.before != '.' && s->track.before != '@' &&
	       !(s->at < s->len && s->text[s->at] == '.');
}

static bool ends_label(const struct dbl_split *s, const struct dbl_token *t)
{
	return s->track.label && t->type == DBL_TOKEN_OTHER && s->text[t->offset] == ':' &&
	       !(s->at < s->len && s->text[s->at] == '=');
}

/* Reads a token behind the last END, where only a label may follow. */
static int behind(struct dbl_split *s, const struct dbl_token *t, struct dblock_error *err)
{
	if (s->track.label || (t->type != DBL_TOKEN_WORD && t->type != DBL_TOKEN_QUOTED))
		return dbl_body_needs_delimiter(s, t->offset, err,
						"only ; is expected behind the END of this body");
	s->track.label = true;
	return 0;
}

int dbl_body_token(struct dbl_split *s, const struct dbl_token *t, struct dblock_error *err)
{
	struct dbl_track *track = &s->track;
	bool starts, labelled = ends_label(s, t), took = false;
	int rc = track->ending ? resolve_end(s, t, &took, err) : 0;

	if (rc || took)
		return rc;
	if (track->done)
		return behind(s, t, err);
	if (in_conditions(s, t))
		return 0;
	starts = track->at_start;
	track->at_start = labelled;
	track->label = starts && t->type == DBL_TOKEN_QUOTED;
	if (!is_keyword(s, t))
		return 0;
	return starts ? at_start(s, t, err) : inside(s, t, err);
}

/* ---- borders -------------------------------------------------------------------------------- */

int dbl_body_delimiter(struct dbl_split *s, bool *ends, struct dblock_error *err)
{
	struct dbl_track *track = &s->track;
	bool took;
	int rc = track->ending ? resolve_end(s, NULL, &took, err) : 0;

	*ends = track->n_blocks == 0;
	if (rc || *ends)
		return rc;
	if (top(s) == 'e')
		return dbl_body_needs_delimiter(s, top_offset(s), err, "this CASE has no END");
	track->at_start = true;
	track->label = track->until = track->declare = track->handler = false;
	track->condition = 0;
	return 0;
}

int dbl_body_end(struct dbl_split *s, struct dblock_error *err)
{
	bool took;
	int rc = s->track.ending ? resolve_end(s, NULL, &took, err) : 0;

	if (rc || s->track.n_blocks == 0)
		return rc;
	return dbl_body_needs_delimiter(s, top_offset(s), err,
					"what is opened here has no END before the file ends");
}
