/* SPDX-License-Identifier: MIT */
/* Takes any text as a URL, with a secret where a password can stand: no message may have a byte of
 * it, and what hides a password in others' messages must leave their other words alone. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/env.h"
#include "sql/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char secret[] = "Zq9ZQ";

enum { PARTS = 4, PART_MAX = 200 };

struct parts {
	char text[PARTS][PART_MAX];
};

/* The data has a line for each part: before the password's colon; the password before the secret,
 * and behind it; behind the password. */
static void cut(struct parts *parts, const uint8_t *data, size_t size)
{
	size_t at = 0;

	*parts = (struct parts){0};
	for (int i = 0; i < PARTS; i++, at++) {
		for (size_t n = 0; at < size && data[at] != '\n'; at++)
			if (data[at] && n < PART_MAX - 1)
				parts->text[i][n++] = (char)data[at];
	}
}

static void fail(const char *why, const char *url, const char *said)
{
	fprintf(stderr, "%s\nURL:  %s\nsaid: %s\n", why, url, said);
	abort();
}

static void check(const char *text)
{
	static const char words[] = "connection to host failed for user 'Zq9ZQ', port 1";
	struct dblock_error err = {0};
	struct dbl_target target;
	int rc = dbl_target_init(&target, text, NULL, NULL, dbl_env_system(), &err);

	if (strstr(err.message, secret))
		fail("a password is told", text, err.message);
	if (rc == 0 && strstr(target.url.shown, secret))
		fail("a password is shown", text, target.url.shown);
	if (rc == 0) {
		snprintf(err.message, sizeof(err.message), "%s", words);
		dbl_url_hide(&target.url, &err);
		if (strcmp(err.message, words) != 0)
			fail("words were taken for a password", text, err.message);
	}
	dbl_target_free(&target);
}

static bool is_path(const char *head)
{
	return strncasecmp(head, "sqlite:", 7) == 0 || strcasecmp(head, "sqlite") == 0;
}

/* The colon would end the scheme, and the rest would be a name. */
static bool is_name(const struct parts *parts)
{
	return !strchr(parts->text[0], ':') && strncmp(parts->text[1], "//", 2) == 0;
}

/* Tells whether it is scheme://name, behind which nothing but a password, or a port, can come. */
static bool is_plain(const struct parts *parts)
{
	const char *slashes = strstr(parts->text[0], "://");

	return slashes && !slashes[3 + strcspn(slashes + 3, ":/?@,[")] &&
	       strchr(parts->text[0], ':') == slashes && !strpbrk(parts->text[1], "@/?,") &&
	       !strpbrk(parts->text[2], "@,") && !strchr(parts->text[3], '@');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[(PARTS + 1) * PART_MAX];
	struct parts parts;

	cut(&parts, data, size);
	if (is_path(parts.text[0]) || is_name(&parts) || strstr(parts.text[0], secret) ||
	    strstr(parts.text[3], secret))
		return 0;
	snprintf(text, sizeof(text), "%s:%s%s%s@%s", parts.text[0], parts.text[1], secret,
		 parts.text[2], parts.text[3]);
	check(text);
	if (!is_plain(&parts))
		return 0;
	snprintf(text, sizeof(text), "%s:%s%s%s/%s", parts.text[0], parts.text[1], secret,
		 parts.text[2], parts.text[3]);
	check(text);
	return 0;
}
