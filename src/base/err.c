/* SPDX-License-Identifier: MIT */
#include "base/err.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

const char *dblock_outcome_name(int code)
{
	switch (code) {
#define X(name, value, text)                                                                       \
	case (value):                                                                              \
		return "DBLOCK_" #name;
		DBLOCK_OUTCOME_MAP(X)
#undef X
	default:
		return "DBLOCK_?";
	}
}

const char *dblock_outcome_text(int code)
{
	switch (code) {
#define X(name, value, text)                                                                       \
	case (value):                                                                              \
		return text;
		DBLOCK_OUTCOME_MAP(X)
#undef X
	default:
		return "unknown outcome";
	}
}

/* A message is one line, but databases like to send several. */
static void one_line(char *text)
{
	size_t len = strlen(text);

	while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == ' '))
		text[--len] = '\0';
	for (; *text; text++) {
		if (*text == '\n' || *text == '\r' || *text == '\t')
			*text = ' ';
	}
}

/* A text that did not fit must not end in the middle of a character. */
static void cut_text(char *text, size_t size)
{
	size_t len = strlen(text), at = len;
	uint32_t c;

	if (len < size - 1)
		return;
	do {
		at--;
	} while (at > 0 && (text[at] & 0xC0) == 0x80);
	if (dbl_utf8_next(text + at, len - at, &c) == 0)
		text[at] = '\0';
}

static void cut_at_character(struct dblock_error *err)
{
	cut_text(err->message, sizeof(err->message));
}

static DBL_PRINTF(5, 0) void fill(struct dblock_error *err, int code, int native,
				  const char *sqlstate, const char *fmt, va_list args)
{
	err->code = code;
	err->native = native;
	snprintf(err->sqlstate, sizeof(err->sqlstate), "%s", sqlstate ? sqlstate : "");
	vsnprintf(err->message, sizeof(err->message), fmt, args);
	cut_at_character(err);
	one_line(err->message);
}

int dbl_fail(struct dblock_error *err, int code, const char *fmt, ...)
{
	va_list args;

	if (!err)
		return code;
	va_start(args, fmt);
	fill(err, code, 0, NULL, fmt, args);
	va_end(args);
	return code;
}

int dbl_fail_native(struct dblock_error *err, int code, int native, const char *sqlstate,
		    const char *fmt, ...)
{
	va_list args;

	if (!err)
		return code;
	va_start(args, fmt);
	fill(err, code, native, sqlstate, fmt, args);
	va_end(args);
	return code;
}

int dbl_fail_lines(struct dblock_error *err, int code, const char *message)
{
	if (!err)
		return code;
	dbl_fail(err, code, "%s", "");
	snprintf(err->message, sizeof(err->message), "%s", message);
	cut_at_character(err);
	return code;
}

/* Space for a new message that is made from the old one. */
struct message {
	char text[sizeof(((struct dblock_error *)0)->message)];
};

static void append(struct message *to, const char *text, size_t len)
{
	size_t used = strlen(to->text);
	size_t room = sizeof(to->text) - 1 - used;

	if (len > room)
		len = room;
	memcpy(to->text + used, text, len);
	to->text[used + len] = '\0';
}

void dbl_err_prefix(struct dblock_error *err, const char *fmt, ...)
{
	struct message whole = {""};
	va_list args;

	if (!err)
		return;
	va_start(args, fmt);
	vsnprintf(whole.text, sizeof(whole.text), fmt, args);
	va_end(args);
	one_line(whole.text);
	append(&whole, ": ", 2);
	append(&whole, err->message, strlen(err->message));
	memcpy(err->message, whole.text, sizeof(err->message));
	cut_at_character(err);
}

void dbl_err_suffix(struct dblock_error *err, const char *fmt, ...)
{
	size_t used;
	va_list args;

	if (!err)
		return;
	used = strlen(err->message);
	va_start(args, fmt);
	vsnprintf(err->message + used, sizeof(err->message) - used, fmt, args);
	va_end(args);
	cut_at_character(err);
}

void dbl_err_line(struct dblock_error *err, const char *head, const char *fmt, ...)
{
	char line[1000];
	size_t used, room;
	va_list args;

	if (!err)
		return;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	cut_text(line, sizeof(line));
	one_line(line);
	used = strlen(err->message);
	room = sizeof(err->message) - strlen(head) - strlen(line) - 2;
	while (used > room || (used > 0 && (err->message[used] & 0xC0) == 0x80))
		used--;
	snprintf(err->message + used, sizeof(err->message) - used, "\n%s%s", head, line);
}

bool dbl_err_has_line(const struct dblock_error *err, const char *head)
{
	const char *at = err->message;

	while ((at = strchr(at, '\n')) != NULL) {
		if (strncmp(++at, head, strlen(head)) == 0)
			return true;
	}
	return false;
}

void dbl_err_join(struct dblock_error *err)
{
	struct message whole = {""};
	const char *at = err ? err->message : "", *lf;

	for (; (lf = strchr(at, '\n')) != NULL; at = lf + 1) {
		append(&whole, at, (size_t)(lf - at));
		append(&whole, "; ", 2);
		lf += strspn(lf + 1, " ");
	}
	append(&whole, at, strlen(at));
	if (err)
		memcpy(err->message, whole.text, sizeof(err->message));
}

void dbl_err_replace(struct dblock_error *err, const char *text, const char *by)
{
	struct message clean = {""};
	const char *from, *hit;

	if (!err || !text || !*text)
		return;
	for (from = err->message; (hit = strstr(from, text)); from = hit + strlen(text)) {
		append(&clean, from, (size_t)(hit - from));
		append(&clean, by, strlen(by));
	}
	append(&clean, from, strlen(from));
	memcpy(err->message, clean.text, sizeof(err->message));
	cut_at_character(err);
}

void dbl_err_clear(struct dblock_error *err)
{
	if (err)
		memset(err, 0, sizeof(*err));
}
