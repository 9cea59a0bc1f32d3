/* SPDX-License-Identifier: MIT */
#include "migrate/lint/words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Blanks say where two tokens are apart, and comments that MySQL executes are code. */
static bool is_word(const char *token)
{
	static const char *const none[] = {" ", "\n", "/*", "*/"};

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		if (strncmp(token, none[i], strlen(none[i])) == 0)
			return false;
	return *token != '\0';
}

size_t dbl_words_find(const struct dbl_str *tokens, const char *list[DBL_WORDS_MAX])
{
	size_t n = 0;

	for (size_t at = 0; at < tokens->len && n < DBL_WORDS_MAX;) {
		const char *token = tokens->text + at;

		if (is_word(token))
			list[n++] = token;
		at += strlen(token) + 1;
	}
	return n;
}

/* Whether `word` is one of `a|b`, which has `len` bytes. */
static bool is_one_of(const char *word, const char *words, size_t len)
{
	size_t own = strlen(word);

	for (const char *end = words + len; words < end;) {
		size_t one = strcspn(words, "|");

		one = one < (size_t)(end - words) ? one : (size_t)(end - words);
		if (one == own && strncasecmp(word, words, one) == 0)
			return true;
		words += one + 1;
	}
	return false;
}

bool dbl_words_is(const struct dbl_words *w, size_t at, const char *words)
{
	return at < w->n && is_one_of(w->list[at], words, strlen(words));
}

static bool is_phrase(const struct dbl_words *w, size_t at, const char *phrase)
{
	while (*phrase) {
		size_t len = strcspn(phrase, " ");

		if (at >= w->n || !is_one_of(w->list[at++], phrase, len))
			return false;
		phrase += len + (phrase[len] == ' ');
	}
	return true;
}

size_t dbl_words_seek(const struct dbl_words *w, size_t from, const char *phrase)
{
	while (from < w->n && !is_phrase(w, from, phrase))
		from++;
	return from;
}

bool dbl_words_have(const struct dbl_words *w, const char *phrase)
{
	return dbl_words_seek(w, 0, phrase) < w->n;
}

struct dbl_words dbl_words_part(const struct dbl_words *w, size_t from, size_t to)
{
	to = to < w->n ? to : w->n;
	from = from < to ? from : to;
	return (struct dbl_words){w->list + from, to - from};
}

size_t dbl_words_part_end(const struct dbl_words *w, size_t from)
{
	int depth = 0;

	for (; from < w->n; from++) {
		char c = w->list[from][0];

		if (depth == 0 && (c == ',' || c == ')'))
			break;
		depth += (c == '(') - (c == ')');
	}
	return from;
}

/* ---- names ---------------------------------------------------------------------------------- */

static bool is_name(const char *word)
{
	return isalpha((unsigned char)*word) || strchr("_\"`[", *word) || *word & 0x80;
}

/* Appends a word in small letters, without its quotes. */
static void add_name(char name[DBL_KEY], const char *word)
{
	size_t len = strlen(word), n = strlen(name);
	bool quoted = strchr("\"`[", *word) && len > 1;

	for (size_t i = quoted; i + quoted < len && n + 1 < DBL_KEY; i++)
		name[n++] = (char)tolower((unsigned char)word[i]);
	name[n] = '\0';
}

bool dbl_words_name(const struct dbl_words *w, size_t *at, char name[DBL_KEY])
{
	name[0] = '\0';
	if (*at >= w->n || !is_name(w->list[*at]))
		return false;
	add_name(name, w->list[(*at)++]);
	while (*at + 1 < w->n && w->list[*at][0] == '.' && is_name(w->list[*at + 1])) {
		/* The schema that has the names without one. */
		if (strcmp(name, "public") == 0 || strcmp(name, "main") == 0)
			name[0] = '\0';
		else
			add_name(name, ".");
		add_name(name, w->list[*at + 1]);
		*at += 2;
	}
	return true;
}

/* ---- patterns ------------------------------------------------------------------------------- */

static bool match(const struct dbl_words *w, size_t at, const char *pattern, struct dbl_match *m);

/* The pattern begins with "[": matches with what is in it, else without. */
static bool match_perhaps(const struct dbl_words *w, size_t at, const char *pattern,
			  struct dbl_match *m)
{
	size_t inner = strcspn(pattern + 1, "]");
	const char *rest = pattern + 1 + inner + 1;
	char with[200];

	snprintf(with, sizeof(with), "%.*s%s", (int)inner, pattern + 1, rest);
	return match(w, at, with, m) || match(w, at, rest, m);
}

static bool match(const struct dbl_words *w, size_t at, const char *pattern, struct dbl_match *m)
{
	size_t len;

	pattern += strspn(pattern, " ");
	len = strcspn(pattern, " ");
	m->end = at;
	if (!*pattern)
		return true;
	if (*pattern == '[')
		return match_perhaps(w, at, pattern, m);
	if (*pattern == '@' || *pattern == '*')
		return dbl_words_name(w, &at, *pattern == '@' ? m->table : m->name) &&
		       match(w, at, pattern + 1, m);
	return at < w->n && is_one_of(w->list[at], pattern, len) &&
	       match(w, at + 1, pattern + len, m);
}

bool dbl_words_match(const struct dbl_words *w, const char *pattern, struct dbl_match *m)
{
	*m = (struct dbl_match){.end = 0};
	return match(w, 0, pattern, m);
}
