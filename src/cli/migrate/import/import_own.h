/* SPDX-License-Identifier: MIT */
/* A format is a file of this folder: it reads the other tool's files, and makes records. What was
 * allocated lives as long as the import; if there was no memory, that is noted, and told at its end. */
#ifndef DBL_CLI_MIGRATE_IMPORT_OWN_H
#define DBL_CLI_MIGRATE_IMPORT_OWN_H

#include <stddef.h>
#include <stdint.h>

#include "cli/migrate/file/file.h"
#include "cli/migrate/import/import.h"

struct dbl_entry {
	const char *name, *path;
	bool is_folder, was_read;
	const char *
		text; /* with a NUL behind it, without a byte order mark; NULL: it cannot be read */
	size_t len;
};

struct dbl_folder {
	const char *path;
	struct dbl_entry *entries; /* by name; hidden ones are left out */
	size_t n;
};

/* A text that becomes a file. */
struct dbl_part {
	const char *path; /* where it is from; NULL: there is no such text */
	const char *text;
	size_t len;
	const int *lines; /* the line there of each of its lines; NULL: they are the same */
	bool no_transaction;
};

struct dbl_record {
	int64_t version; /* 0: none yet */
	const char *name;
	struct dbl_part up, down;
};

struct dbl_import {
	struct dbl_importing *of;
	struct dblock_error *err;
	struct dbl_folder folder;
	const char *dialect; /* what the files say; NULL: nothing */
	struct dbl_record *records;
	size_t n;
	void **kept;
	size_t n_kept;
	bool no_memory;
	unsigned wrong, left_out;
};

struct dbl_format {
	const char *tool; /* as `migrate adopt` calls it */
	bool weak;        /* it is only meant if none of the others is */
	bool (*is)(struct dbl_import *);
	void (*read)(struct dbl_import *);
};

/* The formats; the last one has no tool. */
extern const struct dbl_format dbl_formats[];

/* ---- record.c ------------------------------------------------------------------------------- */

/* Takes what malloc() returned; it is freed when the import ends. */
void *dbl_import_keep(struct dbl_import *, void *allocated);

/* Tells of something about a file; line 0: as a whole. */
void dbl_import_tell(struct dbl_import *, enum dbl_import_kind, const char *file, int line,
		     const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Adds a record, or returns NULL: there is no memory. */
struct dbl_record *dbl_import_add(struct dbl_import *);

/* ---- source.c: folders, files, lines -------------------------------------------------------- */

/* Reads a folder's entries; deep: those of all folders in it. Not 0: im->err says why. */
int dbl_folder_list(struct dbl_import *, struct dbl_folder *, const char *path, bool deep);

/* The entry of that name, or NULL. */
struct dbl_entry *dbl_folder_find(struct dbl_folder *, const char *name);

/* Reads the entry's text, unless that was done. False: it cannot be read, and that was told. */
bool dbl_entry_read(struct dbl_import *, struct dbl_entry *);

bool dbl_entry_is(const struct dbl_entry *, const char *ending);

/* If it is a program, and its name looks like a migration's, tells that it is left out. */
void dbl_entry_tell_code(struct dbl_import *, struct dbl_entry *);

/* The entry's text as a part. */
struct dbl_part dbl_entry_part(const struct dbl_entry *);

struct dbl_line {
	const char *text;
	size_t len; /* with its end */
	int number; /* from 1 */
};

/* Goes to the next line, from {0} to the first one. */
bool dbl_line_next(const struct dbl_entry *, struct dbl_line *);

/* What the line begins and ends with that is no blank; its length goes to len. */
const char *dbl_line_trim(const struct dbl_line *, size_t *len);

bool dbl_line_is_blank(const struct dbl_line *);
bool dbl_line_is_comment(const struct dbl_line *);

/* ---- text.c: texts that are made of lines, numbers, names ----------------------------------- */

struct dbl_text {
	char *text;
	size_t len, room;
	int *lines;
	size_t n_lines;
	bool no_transaction, any; /* any: there is more than blanks in it */
};

void dbl_text_line(struct dbl_import *, struct dbl_text *, const struct dbl_line *);

/* The text as a part; without anything in it, there is none. */
struct dbl_part dbl_text_part(struct dbl_import *, const struct dbl_text *, const char *path);

/* The number of these digits; false: it is too large, or there are none. */
bool dbl_number_read(const char *digits, size_t len, int64_t *number);

/* The text as a migration's name: what is not allowed in one becomes _. */
const char *dbl_name_of(struct dbl_import *, const char *text, size_t len);

/* ---- variables.c ---------------------------------------------------------------------------- */

/* Replaces each ${NAME} of the line, with --env; else tells of it. `plain`: also $NAME, and defaults,
 * as goose has them. */
void dbl_variables(struct dbl_import *, const char *path, struct dbl_line *, bool plain);

#endif
