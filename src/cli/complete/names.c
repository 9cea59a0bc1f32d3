/* SPDX-License-Identifier: MIT */
/* Names of locks, pools, topics and keys of messages, for somebody who waits for them with a finger on the TAB key. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/complete/complete.h"
#include "cli/ui/print.h"

enum { NAMES_MAX = 1000, CALL_MS = 1000, ALL_S = 2 };

struct names {
	enum dbl_names what;
	const char *topic; /* of keys; the pool, of members */
	FILE *out;
	const char *before, *beginning;
	size_t hidden; /* so much of each is not shown */
	int n;         /* of topics and keys */
	char last[DBLOCK_NAME_MAX + 1];
};

/* Beginning with any of the pattern's own characters, behind what is hidden. NULL: there is no memory. To be freed. */
static char *pattern_for(const char *hidden, const char *beginning)
{
	char *pattern = malloc(strlen(hidden) + 2 * strlen(beginning) + 2), *to;

	if (!pattern)
		return NULL;
	to = stpcpy(pattern, hidden);
	for (; *beginning; beginning++) {
		if (strchr("*?\\", *beginning))
			*to++ = '\\';
		*to++ = *beginning;
	}
	memcpy(to, "*", 2);
	return pattern;
}

static bool is_of_use(const char *name)
{
	char *safe = dbl_text_safe(name);
	bool same = safe && strcmp(safe, name) == 0;

	free(safe);
	return same && *name != '-';
}

/* Of a lock that several hold each is told. */
static int print_name(void *arg, const struct dblock_holder *holder)
{
	struct names *names = arg;
	const char *name = holder->name + names->hidden;

	if (strcmp(names->last, holder->name) == 0)
		return 0;
	snprintf(names->last, sizeof(names->last), "%s", holder->name);
	if (is_of_use(name))
		fprintf(names->out, "%s%s\n", names->before, name);
	return 0;
}

/* These lists have no pattern. Not 0: it is enough. */
static int print_label(struct names *names, const char *name)
{
	if (is_of_use(name) && strncmp(name, names->beginning, strlen(names->beginning)) == 0) {
		fprintf(names->out, "%s%s\n", names->before, name);
		names->n++;
	}
	return names->n == NAMES_MAX;
}

static int print_topic(void *names, const struct dblock_outbox_topic *topic)
{
	return print_label(names, topic->topic);
}

static int print_key(void *names, const struct dblock_outbox_failure *failure)
{
	return print_label(names, failure->key);
}

static int print_pool(void *arg, const struct dblock_pool_member *member)
{
	struct names *names = arg;

	if (strcmp(names->last, member->pool) == 0)
		return 0;
	snprintf(names->last, sizeof(names->last), "%s", member->pool);
	return print_label(names, member->pool);
}

static int print_member(void *names, const struct dblock_pool_member *member)
{
	return print_label(names, member->name);
}

/* ---- a file is only looked at ---------------------------------------------------------------- */

/* The path in a URL of SQLite; what does not fit is cut, and not found. */
static void read_path(const char *url, char *path, size_t room)
{
	char *end = path + room - 1, hex[3] = "";

	if (strncmp(url, "//", 2) == 0)
		url += 2;
	for (; *url && *url != '?' && path < end; path++) {
		if (*url == '%' && url[1] && url[2]) {
			memcpy(hex, url + 1, 2);
			*path = (char)strtol(hex, NULL, 16);
			url += 3;
		} else {
			*path = *url++;
		}
	}
	*path = '\0';
}

/* To open a file that is not there would make it, and one that is not in WAL mode, as ours is, would be
 * switched to that. */
static bool would_write(const char *url)
{
	static const char scheme[] = "sqlite:", magic[16] = "SQLite format 3";
	char path[4096], head[20];
	bool ours;
	int fd;

	if (strncmp(url, scheme, strlen(scheme)) != 0)
		return false;
	read_path(url + strlen(scheme), path, sizeof(path));
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ours = fd >= 0 && read(fd, head, sizeof(head)) == (ssize_t)sizeof(head) &&
	       memcmp(head, magic, sizeof(magic)) == 0 && head[18] == 2 && head[19] == 2;
	if (fd >= 0)
		close(fd);
	return !ours;
}

/* ---- the names ------------------------------------------------------------------------------- */

/* Whatever it hangs in. */
static void give_up(int signal)
{
	(void)signal;
	_exit(DBL_EXIT_OK);
}

/* A name that is not told is not worth a message in the middle of somebody's command line. */
static void keep_quiet_and_short(void)
{
	const struct sigaction action = {.sa_handler = give_up};
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null >= 0) {
		dup2(null, STDERR_FILENO);
		close(null);
	}
	fflush(stdout);
	sigaction(SIGALRM, &action, NULL);
	alarm(ALL_S);
}

static int list_locks(struct dblock_client *client, const char *pattern, struct names *names,
		      struct dblock_error *err)
{
	struct dblock_list_options list = DBLOCK_LIST_OPTIONS_INIT;

	list.pattern = pattern;
	list.limit = NAMES_MAX;
	list.free_too = 1;
	return dblock_list(client, &list, print_name, names, err);
}

/* 0: it has told all that it knows. */
static int list_names(const struct dbl_cli *cli, const char *url, int64_t timeout_ms,
		      const char *pattern, struct names *names)
{
	struct dblock_client_options options = dbl_cli_options(cli);
	struct dblock_client *client;
	struct dblock_error err;
	int rc;

	options.timeout_ms = timeout_ms;
	options.observe = true;
	options.auto_migrate = false;
	rc = would_write(url) ? DBLOCK_E_INVALID : dblock_open(url, &options, &client, &err);
	if (rc != DBLOCK_OK)
		return rc;
	if (names->what == DBL_NAMES_OF_TOPICS)
		rc = dblock_outbox_topics(client, print_topic, names, &err);
	else if (names->what == DBL_NAMES_OF_KEYS)
		rc = dblock_outbox_failures(client, names->topic, print_key, names, &err);
	else if (names->what == DBL_NAMES_OF_POOLS)
		rc = dblock_pool_members(client, NULL, print_pool, names, &err);
	else if (names->what == DBL_NAMES_OF_MEMBERS)
		rc = dblock_pool_members(client, names->topic, print_member, names, &err);
	else
		rc = list_locks(client, pattern, names, &err);
	dblock_close(client, NULL);
	return rc;
}

/* In the database, or at the first member of a cluster that answers: any minority may be silent, and there is time
 * for another one. */
static void ask(const struct dbl_cli *cli, const char *pattern, struct names *names)
{
	char *members[DBL_URLS_MAX];
	size_t n = dbl_cli_members(cli, members);
	int64_t each_ms = n > 1 ? ALL_S * 1000 / (int64_t)(n / 2 + 1) : CALL_MS;
	bool told = false;

	for (size_t i = 0; i < n; i++) {
		told = told || list_names(cli, members[i], each_ms, pattern, names) == 0 ||
		       names->last[0];
		free(members[i]);
	}
}

void dbl_names_print(const struct dbl_cli *cli, enum dbl_names what, const char *topic,
		     const char *before, const char *beginning)
{
	const char *hidden = dbl_cli_is_cluster(cli) ? DBL_OF_CLUSTER : "";
	char *pattern = pattern_for(hidden, beginning), *text = NULL;
	size_t size = 0;
	struct names names = {.what = what,
			      .topic = topic,
			      .out = open_memstream(&text, &size),
			      .before = before,
			      .beginning = beginning,
			      .hidden = strlen(hidden)};

	keep_quiet_and_short();
	if (pattern && names.out)
		ask(cli, pattern, &names);
	alarm(0);
	if (names.out && fclose(names.out) == 0)
		fputs(text, stdout);
	free(text);
	free(pattern);
}
