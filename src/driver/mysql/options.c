/* SPDX-License-Identifier: MIT */
#include "driver/mysql/options.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"

enum { LARGEST_FILE = 1 << 20 };

enum kind { TEXT, SECURITY, YES_OR_NO };

static const struct known {
	const char *key;
	size_t at;
	enum kind kind; /* SECURITY needs a value; YES_OR_NO without one is a yes */
} known[] = {
#define AT(field) offsetof(struct dbl_mysql_options, field)
	{"user", AT(user), TEXT},
	{"password", AT(password), TEXT},
	{"database", AT(database), TEXT},
	{"host", AT(host), TEXT},
	{"port", AT(port), TEXT},
	{"socket", AT(socket), TEXT},
	{"protocol", AT(protocol), TEXT},
	{"ssl-mode", AT(ssl_mode), SECURITY},
	{"ssl-ca", AT(ssl_ca), SECURITY},
	{"ssl-cert", AT(ssl_cert), SECURITY},
	{"ssl-key", AT(ssl_key), SECURITY},
	{"ssl", AT(ssl), YES_OR_NO},
	{"ssl-verify-server-cert", AT(ssl_verify), YES_OR_NO},
	{"get-server-public-key", AT(get_public_key), YES_OR_NO},
#undef AT
};

struct reader {
	struct dbl_mysql_options *options;
	const char *group;
	unsigned line;
	bool in_group, is_ours;
	struct dblock_error *err;
};

static int refuse(const struct reader *r, const char *what, const char *thing)
{
	return dbl_fail(r->err, DBLOCK_E_INVALID, "%.200s:%u: %s%.60s", r->options->path, r->line,
			what, thing);
}

/* ---- values ---------------------------------------------------------------------------------- */

static char *trim(char *text)
{
	size_t len;

	text += strspn(text, " \t\r");
	for (len = strlen(text); len > 0 && isspace((unsigned char)text[len - 1]); len--)
		text[len - 1] = '\0';
	return text;
}

/* A # begins a comment, also after other text, but not in quotes. */
static void cut_comment(char *line)
{
	char quote = '\0';
	bool escaped = false;

	for (; *line; line++) {
		if ((*line == '\'' || *line == '"') && !escaped)
			quote = !quote ? *line : quote == *line ? '\0' : quote;
		if (!quote && *line == '#') {
			*line = '\0';
			return;
		}
		escaped = quote && *line == '\\' && !escaped;
	}
}

/* The byte for a character after a backslash; '\0': the backslash stands for itself. */
static char behind_backslash(char c)
{
	static const char letters[] = "btnrs\\\"'", bytes[] = "\b\t\n\r \\\"'";
	const char *at = c ? strchr(letters, c) : NULL;

	return at ? bytes[at - letters] : '\0';
}

/* Remove the quotes around a value and decode its escapes, in place. */
static char *decode(char *value)
{
	size_t len = strlen(value);
	char *to;

	if (len >= 2 && (*value == '\'' || *value == '"') && value[len - 1] == *value) {
		value[len - 1] = '\0';
		value++;
	}
	to = value;
	for (const char *from = value; *from; from++) {
		char byte = *from == '\\' ? behind_backslash(from[1]) : '\0';

		*to++ = byte ? byte : *from;
		from += byte ? 1 : 0;
	}
	*to = '\0';
	return value;
}

bool dbl_mysql_is_yes(const char *word)
{
	return word && (strcasecmp(word, "1") == 0 || strcasecmp(word, "on") == 0 ||
			strcasecmp(word, "true") == 0);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static const struct known *find(const char *key)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i].key, key) == 0)
			return &known[i];
	}
	return NULL;
}

/* The option's name without a prefix; skip-ssl is ssl = 0, so *value becomes "0". */
static const char *without_prefix(const char *key, const char **value)
{
	static const struct {
		const char *text, *value;
	} prefixes[] = {{"skip-", "0"}, {"disable-", "0"}, {"enable-", "1"}};

	if (strncmp(key, "loose-", 6) == 0)
		key += 6;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t len = strlen(prefixes[i].text);
		const struct known *option =
			strncmp(key, prefixes[i].text, len) == 0 ? find(key + len) : NULL;

		if (!option || option->kind != YES_OR_NO)
			continue;
		*value = prefixes[i].value;
		return key + len;
	}
	return key;
}

static int take(const struct reader *r, const char *key, const char *value)
{
	const struct known *option;

	key = without_prefix(key, &value);
	option = find(key);
	if (!option && (strncmp(key, "ssl", 3) == 0 || strncmp(key, "tls", 3) == 0))
		return refuse(
			r, "dblock does not know this option, and passes over none for TLS: ", key);
	/* The programs prompt for a value that is missing; here it is as if the line were
	 * missing. */
	if (!option || (!value && option->kind == TEXT))
		return 0;
	if (option->kind == SECURITY && (!value || !*value))
		return refuse(r, "there is no value for ", key);
	memcpy((char *)r->options + option->at, &(const char *){value ? value : "1"},
	       sizeof(value));
	return 0;
}

static int read_group(struct reader *r, char *name)
{
	char *end = strchr(name, ']');

	if (!end)
		return refuse(r, "there is no ] in this line", "");
	*end = '\0';
	name = trim(name);
	r->in_group = true;
	r->is_ours = strcmp(name, "client") == 0 || strcmp(name, "client-server") == 0 ||
		     strcmp(name, r->group) == 0;
	return 0;
}

/* No message repeats the line, as it may have a password. */
static int read_line(struct reader *r, char *line)
{
	char *key = trim(line), *equals;

	if (!*key || *key == '#' || *key == ';')
		return 0;
	if (*key == '!')
		return refuse(r, "dblock does not follow !include; name that file itself", "");
	if (*key == '[')
		return read_group(r, key + 1);
	if (!r->in_group)
		return refuse(r, "an option stands before the first [group]", "");
	if (!r->is_ours)
		return 0;
	cut_comment(key);
	equals = strchr(key, '=');
	if (equals)
		*equals = '\0';
	key = trim(key);
	for (char *c = key; *c; c++)
		*c = *c == '_' ? '-' : *c;
	return take(r, key, equals ? decode(trim(equals + 1)) : NULL);
}

static int read_lines(struct reader *r, char *text)
{
	int rc = 0;

	while (rc == 0 && text) {
		char *line = text, *end = strchr(text, '\n');

		text = end ? end + 1 : NULL;
		if (end)
			*end = '\0';
		r->line++;
		rc = read_line(r, line);
	}
	return rc;
}

/* ---- the file -------------------------------------------------------------------------------- */

int dbl_mysql_check_secret(const char *what, const char *path, struct dblock_error *err)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return dbl_fail(err, DBLOCK_E_INVALID, "URL: %s '%.200s' cannot be read: %s", what,
				path, strerror(errno));
	if ((st.st_mode & (st.st_uid == 0 ? S_IWGRP | S_IXGRP | S_IRWXO : S_IRWXG | S_IRWXO)) == 0)
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID,
			"URL: others can read or change the secret in %s '%.200s'; chmod 600 (or, "
			"if it is root's, 640)",
			what, path);
}

/* The programs of MySQL ignore such a file, with a warning. */
static int check_writers(const char *path, struct dblock_error *err)
{
	struct stat st;

	if (stat(path, &st) != 0 || (st.st_mode & S_IWOTH) == 0)
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID,
			"URL: everybody can change defaults-file '%.200s'; chmod o-w", path);
}

int dbl_mysql_options_read(struct dbl_mysql_options *options, const char *path, const char *group,
			   struct dblock_error *err)
{
	struct reader r = {.options = options, .group = group, .err = err};
	size_t len = 0;
	int rc;

	*options = (struct dbl_mysql_options){.path = path};
	rc = dbl_file_read(path, LARGEST_FILE, &options->text, &len);
	if (rc)
		return dbl_fail(err, rc == ENOMEM ? DBLOCK_E_NOMEM : DBLOCK_E_INVALID,
				"URL: defaults-file '%.200s' cannot be read: %s", path,
				strerror(rc));
	if (strlen(options->text) != len)
		return dbl_fail(err, DBLOCK_E_INVALID, "URL: defaults-file '%.200s' is no text",
				path);
	rc = check_writers(path, err);
	if (rc == 0)
		rc = read_lines(&r, options->text);
	if (rc == 0 && options->password && *options->password)
		rc = dbl_mysql_check_secret("defaults-file", path, err);
	return rc;
}

void dbl_mysql_options_free(struct dbl_mysql_options *options)
{
	dbl_free(options->text);
	options->text = NULL;
}

const char *dbl_mysql_options_tls_mode(const struct dbl_mysql_options *options)
{
	if (options->ssl_mode)
		return options->ssl_mode;
	if (options->ssl && !dbl_mysql_is_yes(options->ssl))
		return "DISABLED";
	if (dbl_mysql_is_yes(options->ssl_verify))
		return "VERIFY_IDENTITY";
	return options->ssl && !options->ssl_ca ? "REQUIRED" : NULL;
}
