/* SPDX-License-Identifier: MIT */
#include "lock/core/name.h"

#include <string.h>

#include "base/utf8.h"

/* The end of messages: what the caller should do. */
#define USE "; use UTF-8 without control characters"

/* The character is printable ASCII, as most are: no decoding is needed. */
static bool is_plain(char c)
{
	return c >= ' ' && c <= '~';
}

/* Returns what is wrong with the text, and its offset in *at; NULL: nothing is wrong. */
static const char *fault(const char *text, size_t len, bool controls_allowed, size_t *at)
{
	uint32_t c;
	size_t step;

	for (*at = 0; *at < len; *at += step) {
		step = 1;
		if (is_plain(text[*at]))
			continue;
		step = dbl_utf8_next(text + *at, len - *at, &c);
		if (step == 0)
			return "is not UTF-8";
		if (!controls_allowed && dbl_utf8_is_control(c))
			return "has a control character";
	}
	return NULL;
}

int dbl_name_check(const char *name, struct dblock_error *err)
{
	const char *what;
	size_t len, at;

	if (!name || !*name)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"the lock's name is %s; use 1 to %d bytes of UTF-8",
				name ? "empty" : "NULL", DBL_NAME_MAX);
	len = strlen(name);
	if (len > DBL_NAME_MAX)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"the lock's name is too long: %zu bytes, at most %d are allowed",
				len, DBL_NAME_MAX);
	what = fault(name, len, false, &at);
	if (what)
		return dbl_fail(err, DBLOCK_E_INVALID, "the lock's name %s, at byte %zu" USE, what,
				at + 1);
	return 0;
}

int dbl_label_check(const char *what, const char *text, size_t max, struct dblock_error *err)
{
	size_t len = text ? strlen(text) : 0, at;
	const char *wrong;

	if (len > max)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"%s is %zu bytes long; at most %zu are allowed", what, len, max);
	wrong = fault(text, len, false, &at);
	if (wrong)
		return dbl_fail(err, DBLOCK_E_INVALID, "%s %s, at byte %zu" USE, what, wrong,
				at + 1);
	return 0;
}

int dbl_slot_check(const char *slot, struct dblock_error *err)
{
	if (!slot || !*slot)
		return dbl_fail(err, DBLOCK_E_INVALID, "the slot is %s; it has 1 to %d bytes",
				slot ? "empty" : "NULL", DBL_SLOT_MAX);
	return dbl_label_check("the slot", slot, DBL_SLOT_MAX, err);
}

int dbl_value_check(const char *value, struct dblock_error *err)
{
	size_t len = value ? strlen(value) : 0, at;

	if (len > DBL_VALUE_MAX)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"the value is too long: %zu bytes, at most %d are allowed", len,
				DBL_VALUE_MAX);
	if (len > 0 && fault(value, len, true, &at))
		return dbl_fail(err, DBLOCK_E_INVALID,
				"the value is not UTF-8, at byte %zu; use UTF-8", at + 1);
	return 0;
}

/* The length of the character at text; 1 where it is not UTF-8. */
static size_t step(const char *text)
{
	uint32_t c;
	size_t len = dbl_utf8_next(text, strlen(text), &c);

	return len ? len : 1;
}

/* Compares one literal character; a backslash in the pattern stands for what follows it. */
static bool same(const char *name, const char **pattern)
{
	size_t len = step(name);

	if (**pattern == '\\' && (*pattern)[1])
		++*pattern;
	return strncmp(name, *pattern, len) == 0;
}

bool dbl_name_matches(const char *name, const char *pattern)
{
	/* Where the last star was, and how much of the name it has matched: going back to the last
	 * star is enough, since it makes the choices of earlier ones irrelevant. */
	const char *star = NULL, *eaten = NULL;

	while (*name) {
		const char *p = pattern;

		if (*pattern == '*') {
			star = ++pattern;
			eaten = name;
		} else if (*pattern && (*pattern == '?' || same(name, &p))) {
			size_t len = step(name);

			pattern = *pattern == '?' ? pattern + 1 : p + len;
			name += len;
		} else if (star) {
			eaten += step(eaten);
			name = eaten;
			pattern = star;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}

uint64_t dbl_name_hash(const char *name, size_t len)
{
	uint64_t hash = 14695981039346656037U;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)name[i]) * 1099511628211U;
	return hash;
}
