/* SPDX-License-Identifier: MIT */
/* The settings files: $XDG_CONFIG_HOME/dblock/config, else ~/.config/dblock/config, and
 * /etc/dblock.conf (or what $DBLOCK_CONF names). Lines `key = value`; # begins a comment. */
#include "cli/ui/cli.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SYSTEM_FILE "/etc/dblock.conf"

struct settings {
	struct dbl_cli *cli;
	char path[4096];
	unsigned line;
	char *url, *schema, *prefix, *password_file;
	unsigned url_line, password_line;
};

static int refuse(const struct settings *s, unsigned line, const char *what, const char *thing)
{
	return dbl_cli_usage(s->cli, "%s:%u: %s%s", s->path, line, what, thing);
}

/* ---- a secret that only its owner reads ------------------------------------------------------ */

static int check_private(const struct settings *s, unsigned line, const struct stat *st,
			 const char *path)
{
	if ((st->st_mode & 077) == 0 && (st->st_uid == geteuid() || st->st_uid == 0))
		return DBL_EXIT_OK;
	return dbl_cli_usage(s->cli,
			     "%s:%u: others can read or change the password in %s; it has to be of "
			     "mode 600 and belong to you or to root",
			     s->path, line, path);
}

/* Read the file's first line. */
static int read_password(const struct settings *s, char *password, int room)
{
	int fd = open(s->password_file, O_RDONLY | O_CLOEXEC | O_NONBLOCK), code;
	struct stat st;
	FILE *file;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || !(file = fdopen(fd, "r"))) {
		if (fd >= 0)
			close(fd);
		return refuse(s, s->password_line,
			      "password_file cannot be read as a file: ", s->password_file);
	}
	code = check_private(s, s->password_line, &st, s->password_file);
	if (code == DBL_EXIT_OK && !fgets(password, room, file))
		code = refuse(s, s->password_line, "there is no password in ", s->password_file);
	fclose(file);
	password[code == DBL_EXIT_OK ? strcspn(password, "\r\n") : 0] = '\0';
	return code;
}

/* The end of the user's name in a URL, or where it would be; *has: a password follows. */
static const char *find_user_end(const char *url, bool *has, bool *at)
{
	const char *slashes = strstr(url, "://"), *from, *end;
	size_t len;

	*has = *at = false;
	if (!slashes)
		return NULL;
	from = slashes + 3;
	len = strcspn(from, "/?");
	end = memchr(from, '@', len);
	*at = end != NULL;
	*has = end && memchr(from, ':', (size_t)(end - from));
	return end ? end : from;
}

static char *with_password(const char *url, const char *end, bool at, const char *password)
{
	char *whole = malloc(strlen(url) + 3 * strlen(password) + 3), *to = whole;

	if (!whole)
		return NULL;
	to += sprintf(to, "%.*s:", (int)(end - url), url);
	for (; *password; password++)
		to += sprintf(to, isalnum((unsigned char)*password) ? "%c" : "%%%02X",
			      (unsigned char)*password);
	sprintf(to, "%s%s", at ? "" : "@", end);
	return whole;
}

static bool any_has_password(const char *urls)
{
	bool any = false, has, at;

	for (const char *url = urls; url && (url = strstr(url, "://")); url += 3) {
		(void)find_user_end(url, &has, &at);
		any = any || has;
	}
	return any;
}

static int add_password(struct settings *s)
{
	char password[1024] = "", *whole;
	bool has = false, at = false;
	const char *end = s->url ? find_user_end(s->url, &has, &at) : NULL;
	int code;

	if (s->url && strpbrk(s->url, " \t\n"))
		return refuse(s, s->password_line, "password_file is of no use: ",
			      "there are several urls: each is to have its own password in it");
	if (!end || has)
		return refuse(s, s->password_line, "password_file is of no use: ",
			      has ? "the url has a password" : "there is no url of a server here");
	code = read_password(s, password, sizeof(password));
	if (code != DBL_EXIT_OK)
		return code;
	whole = with_password(s->url, end, at, password);
	free(s->url);
	s->url = whole;
	return whole ? DBL_EXIT_OK : dbl_cli_exit(s->cli, DBLOCK_E_NOMEM);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static char *trim(char *text)
{
	size_t len;

	text += strspn(text, " \t");
	for (len = strlen(text); len > 0 && isspace((unsigned char)text[len - 1]); len--)
		text[len - 1] = '\0';
	return text;
}

static int take(struct settings *s, const char *key, const char *value)
{
	const struct {
		const char *key;
		char **to;
		unsigned *line;
	} known[] = {{"url", &s->url, &s->url_line},
		     {"schema", &s->schema, NULL},
		     {"prefix", &s->prefix, NULL},
		     {"password_file", &s->password_file, &s->password_line}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(key, known[i].key) != 0)
			continue;
		if (*known[i].to)
			return refuse(s, s->line, "a second line for ", key);
		if (known[i].line)
			*known[i].line = s->line;
		*known[i].to = strdup(value);
		return *known[i].to ? DBL_EXIT_OK : dbl_cli_exit(s->cli, DBLOCK_E_NOMEM);
	}
	return refuse(s, s->line, "this key is none of url, schema, prefix, password_file: ", key);
}

static int read_line(struct settings *s, char *line)
{
	char *key = trim(line), *equals = strchr(key, '=');

	if (!*key || *key == '#')
		return DBL_EXIT_OK;
	/* No message repeats the line, as it may have a password. */
	if (!equals || equals == key || !*trim(equals + 1))
		return refuse(s, s->line, "this is no line `key = value`", "");
	*equals = '\0';
	return take(s, trim(key), trim(equals + 1));
}

static int read_lines(struct settings *s, FILE *file)
{
	struct stat st;
	char *line = NULL;
	size_t size = 0;
	int code = DBL_EXIT_OK;

	while (code == DBL_EXIT_OK && getline(&line, &size, file) >= 0) {
		s->line++;
		code = read_line(s, line);
	}
	free(line);
	if (code == DBL_EXIT_OK && s->password_file)
		return add_password(s);
	if (code == DBL_EXIT_OK &&
	    (any_has_password(s->url) || (s->url && strstr(s->url, "password="))) &&
	    fstat(fileno(file), &st) == 0)
		code = check_private(s, s->url_line, &st, s->path);
	return code;
}

/* ---- one file, and both ---------------------------------------------------------------------- */

static void fill(struct settings *s)
{
	struct dbl_cli *cli = s->cli;

	if (!cli->url && s->url) {
		cli->url = s->url;
		if (asprintf(&cli->url_from, "%s:%u", s->path, s->url_line) < 0)
			cli->url_from = NULL;
	}
	cli->schema = cli->schema ? cli->schema : s->schema;
	cli->prefix = cli->prefix ? cli->prefix : s->prefix;
}

static int read_file(struct settings *s)
{
	FILE *file = s->path[0] ? fopen(s->path, "re") : NULL;
	int code;

	if (!file && (!s->path[0] || errno == ENOENT || errno == ENOTDIR || s->cli->url))
		return DBL_EXIT_OK;
	if (!file)
		return dbl_cli_usage(s->cli, "%s: cannot be read: %s (-u URL does without it)",
				     s->path, strerror(errno));
	code = read_lines(s, file);
	fclose(file);
	if (code == DBL_EXIT_OK)
		fill(s);
	return code;
}

static void find_user_file(struct settings *s)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (xdg && *xdg == '/')
		snprintf(s->path, sizeof(s->path), "%s/dblock/config", xdg);
	else if (home && *home == '/')
		snprintf(s->path, sizeof(s->path), "%s/.config/dblock/config", home);
}

/* A variable that an outer `dblock run` may have set. NULL: it is not set, or empty. */
static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

int dbl_settings_read(struct dbl_cli *cli)
{
	const char *url = variable("DBLOCK_URL"), *file = getenv("DBLOCK_CONF");
	static struct settings of_user, of_system; /* static, as their texts are used to the end */
	int code;

	of_user.cli = of_system.cli = cli;
	if (!cli->url && url) {
		cli->url = url;
		cli->url_from = strdup("$DBLOCK_URL");
	}
	if (!cli->schema)
		cli->schema = variable("DBLOCK_SCHEMA");
	if (!cli->prefix)
		cli->prefix = variable("DBLOCK_PREFIX");
	find_user_file(&of_user);
	snprintf(of_system.path, sizeof(of_system.path), "%s", file ? file : SYSTEM_FILE);
	code = read_file(&of_user);
	return code == DBL_EXIT_OK ? read_file(&of_system) : code;
}
