/* SPDX-License-Identifier: MIT */
/* The URLs of a cluster's members: -u several times, or one text with blanks in between (in a URL a blank is %20).
 * That text goes wherever a URL goes, $DBLOCK_URL and settings files as well. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ui/cli.h"

int dbl_cli_join_urls(struct dbl_cli *cli)
{
	size_t size = 1;
	char *text;

	for (size_t i = 0; i < cli->urls.n; i++)
		size += strlen(cli->urls.text[i]) + 1;
	if (cli->urls.n == 1)
		cli->url = cli->urls.text[0];
	if (cli->urls.n <= 1)
		return DBL_EXIT_OK;
	cli->url = text = calloc(size, 1); /* to the end of the process, as argv is */
	for (size_t i = 0; text && i < cli->urls.n; i++) {
		if (i)
			strcat(text, " ");
		strcat(text, cli->urls.text[i]);
	}
	return text ? DBL_EXIT_OK : DBL_EXIT_INTERNAL;
}

/* NULL: the variable stays as it is. */
static int set(const char *name, const char *value)
{
	return value ? setenv(name, value, 1) : 0;
}

int dbl_cli_set_place(const struct dbl_cli *cli)
{
	return set("DBLOCK_URL", cli->url_from ? NULL : cli->url) ||
	       set("DBLOCK_SCHEMA", cli->schema) || set("DBLOCK_PREFIX", cli->prefix);
}

/* The beginning of another URL, behind blanks. A file's name may have blanks. */
static const char *next_url(const char *from)
{
	static const char *const schemes[] = {"postgresql://", "postgres://", "mysql://",
					      "mariadb://", "sqlite:"};
	const char *at = from;

	while ((at = strpbrk(at, " \t\n"))) {
		const char *word = at + strspn(at, " \t\n");

		for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++) {
			if (strncmp(word, schemes[i], strlen(schemes[i])) == 0)
				return word;
		}
		at = word;
	}
	return NULL;
}

bool dbl_cli_is_cluster(const struct dbl_cli *cli)
{
	return next_url(dbl_cli_url(cli)) != NULL;
}

size_t dbl_cli_members(const struct dbl_cli *cli, char *members[DBL_URLS_MAX])
{
	const char *from = dbl_cli_url(cli), *next;
	size_t n = 0;

	for (; from && n < DBL_URLS_MAX; from = next) {
		size_t len;

		next = next_url(from);
		len = next ? (size_t)(next - from) : strlen(from);
		while (next && len > 0 && isspace((unsigned char)from[len - 1]))
			len--;
		members[n] = strndup(from, len);
		n += members[n] != NULL;
	}
	return n;
}
