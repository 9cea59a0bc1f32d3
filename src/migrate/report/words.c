/* SPDX-License-Identifier: MIT */
#include "migrate/report/words.h"

#include <stdio.h>
#include <string.h>

const char *dbl_words_again(char text[DBL_COMMAND_TEXT], bool down,
			    const struct dblock_migrate_options *which, int64_t done)
{
	char limit[64] = "";

	if (which->to > 0)
		snprintf(limit, sizeof(limit), " --to %lld", (long long)which->to);
	else if (which->count > (down ? 1 : 0))
		snprintf(limit, sizeof(limit), " -n %lld", (long long)(which->count - done));
	else if (which->all)
		snprintf(limit, sizeof(limit), " --all");
	snprintf(text, DBL_COMMAND_TEXT, "%s%s%s%s%s", down ? "down" : "up", limit,
		 !down && which->allow_out_of_order ? " --allow-out-of-order" : "",
		 !down && which->allow_missing ? " --allow-missing" : "",
		 !down && which->allow_tables ? " --allow-tables" : "");
	return text;
}

int dbl_words_refuse(struct dblock_error *err, int code, const char *fmt, ...)
{
	char text[sizeof(err->message)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return dbl_fail_lines(err, code, text);
}

int dbl_words_unknown(int64_t version, struct dblock_error *err)
{
	return dbl_words_refuse(err, DBLOCK_E_INVALID,
				"there is no migration %lld in this set" DBL_NEXT
				"see with 'dblock migrate status' which there are",
				(long long)version);
}

bool dbl_words_no_database(int rc, const struct dblock_error *err)
{
	return rc == DBLOCK_E_INVALID &&
	       (strcmp(err->sqlstate, "3D000") == 0 || err->native == 1049);
}

/* Returns what to do before the command is run again; NULL: nothing would help. */
static const char *before(int rc, bool is_server)
{
	switch (rc) {
	case DBLOCK_E_INVALID:
		return "correct that";
	case DBLOCK_E_UNAVAILABLE:
		return "see that the database runs, and that the URL is right ('dblock doctor' "
		       "says more)";
	case DBLOCK_E_DENIED:
		return "let this user do it, or take a URL of one who may ('dblock migrate plan "
		       "--sql' makes a script for somebody else to run)";
	case DBLOCK_E_READONLY:
		return is_server ? "take the URL of a database that can be written: the primary, "
				   "no standby"
				 : "see that this user can write the file and its folder";
	case DBLOCK_E_FULL:
		return "make room";
	case DBLOCK_E_NOTDB:
		return "take the URL of a file that is a database, or restore this one";
	case DBLOCK_E_NOMEM:
		return "make memory free";
	case DBLOCK_E_NO_ANSWER:
	case DBLOCK_E_UNSURE:
		return "look with 'dblock migrate status' what is done";
	case DBLOCK_E_SCHEMA:
		return "see to that table or view: rename it, or choose another --prefix or "
		       "--schema";
	default:
		return NULL;
	}
}

void dbl_words_next(struct dblock_error *err, int rc, const char *command)
{
	const char *first;

	if (!err || !err->message[0] || dbl_err_has_line(err, DBL_LINE_NEXT))
		return;
	first = before(rc, err->sqlstate[0]); /* a database file gives no SQLSTATE */
	if (dbl_words_no_database(rc, err))
		first = "make it with 'dblock migrate create', or correct the URL";
	if (first)
		dbl_err_line(err, DBL_LINE_NEXT, "%s, then run 'dblock migrate %s'", first,
			     command);
	else
		dbl_err_line(err, DBL_LINE_NEXT, "look with 'dblock migrate status'");
}

void dbl_words_own(char *text)
{
	static const char of_all[] = "'dblock migrate ", own[] = "'dblock schema ";
	const size_t was = sizeof(of_all) - 1, is = sizeof(own) - 1;

	while ((text = strstr(text, of_all)) != NULL) {
		/* The database is one for all. */
		if (strncmp(text + was, "create'", 7) == 0) {
			text += was;
			continue;
		}
		memcpy(text, own, is);
		memmove(text + is, text + was, strlen(text + was) + 1);
	}
}
