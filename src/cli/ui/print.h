/* SPDX-License-Identifier: MIT */
/* What commands print: other people's text, times, tables, JSON. */
#ifndef DBL_CLI_PRINT_H
#define DBL_CLI_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

/* ---- other people's text, for a terminal or JSON: text.c ------------------------------------ */

/* Members of a cluster know its locks by names that begin with this, which nobody can type. */
#define DBL_OF_CLUSTER "quorum\x1f"

/* A copy with \xNN for whatever would move the cursor, change the direction of the text, or is not
 * UTF-8; and quorum/NAME for a cluster's lock NAME, as its members know it. NULL: there is no memory.
 * To be freed. */
char *dbl_text_safe(const char *text);

/* A copy with U+FFFD for each byte that is not UTF-8. NULL: there is no memory. To be freed. */
char *dbl_text_utf8(const char *text);

/* Put a word of a command line, quoted for the shell where that is needed. */
void dbl_text_put_word(FILE *, const char *word);

/* The columns of valid UTF-8 on a terminal: two for East Asian letters and emoji, none for
 * combining marks. This is good enough to align a table. */
size_t dbl_text_width(const char *text);

/* Cut the text before it takes more than so many columns. */
void dbl_text_cut(char *text, size_t columns);

/* The end of the text that takes no more columns than that. */
const char *dbl_text_tail(const char *text, size_t columns);

/* Does the text fit the pattern? As the library's: `*` any text, `?` one character, `\` takes the next
 * one as it is. */
bool dbl_text_fits(const char *text, const char *pattern);

/* ---- stdout: out.c --------------------------------------------------------------------------- */

/* Let the reader have what was printed. Not 0: it, or something before it, could not be written. */
int dbl_out_flush(void);

/* Why that was, an errno; 0: it could be, or that is not known. */
int dbl_out_errno(void);

/* ---- the terminal that stdout is, and its colours: screen.c ---------------------------------- */

/* Is it one, and not one that is not named, or says that it is dumb? */
bool dbl_screen_can_move(void);

/* false: it is none, or does not know. */
bool dbl_screen_size(size_t *columns, size_t *rows);

enum dbl_color { DBL_COLOR_OFF, DBL_COLOR_ON, DBL_COLOR_UNKNOWN };

/* What --color says: auto (or NULL), always, never. By itself only on a terminal that has colours,
 * and not with $NO_COLOR. */
enum dbl_color dbl_color_read(const char *when);

/* The end of whatever a colour begins. */
#define DBL_COLOR_END "\033[m"

/* ---- times, for people and for machines: times.c -------------------------------------------- */

/* Microseconds on CLOCK_BOOTTIME, which goes on while the machine sleeps. */
int64_t dbl_now_us(void);

enum { DBL_TIME_TEXT = 64 };

/* Local time, ISO 8601, to the second: 2024-05-01T12:00:00+02:00. "-" if us is 0. */
void dbl_time_local(int64_t us, char text[DBL_TIME_TEXT]);

/* Universal time, ISO 8601, to the microsecond: 2024-05-01T10:00:00.123456Z. */
void dbl_time_utc(int64_t us, char text[DBL_TIME_TEXT]);

/* "in 12s", "3s ago"; "-" for INT64_MIN, which means unknown. */
void dbl_time_left(int64_t ms, char text[DBL_TIME_TEXT]);

/* ---- one thing, a line for each of its fields: field.c --------------------------------------- */

/* Print a line; nothing if the value is "". -1: there is no memory. */
int dbl_field(const char *key, const char *value);

/* Print a time, and how far it is from now; nothing if us is 0. left_ms INT64_MIN: that is unknown. */
int dbl_field_time(const char *key, int64_t us, int64_t left_ms);

/* ---- a table with aligned columns: table.c --------------------------------------------------- */

struct dbl_table {
	const char *const *heads; /* the columns' heads; ends with NULL */
	char **cells;
	size_t count, room;
	const char *spare; /* the head of a column that is left out if all its cells are `usual` */
	const char *usual;
	/* Begins the colour of each cell below this head, "" for none; NULL: there are no colours. */
	const char *painted;
	const char *(*paint)(const char *cell);
	size_t width;  /* of the screen, where rows are cut; 0: they are not */
	size_t height; /* print at most so many lines; 0: all */
	bool over;     /* of a screen that has something already: clear the rest of each line */
};

/* Add a row: as many texts as there are columns, copied, and made safe for a terminal. -1: there is
 * no memory. */
int dbl_table_add(struct dbl_table *, ...);

/* Print heads and cells on stdout, or nothing if there are no cells; and free them. What is beyond the
 * height is counted in the last line. */
void dbl_table_print(struct dbl_table *);

/* Free the cells, if they are not to be printed. */
void dbl_table_free(struct dbl_table *);

/* ---- JSON objects, one per line: json.c ------------------------------------------------------ */

/* Set a text of any bytes: what is not UTF-8 is replaced. NULL becomes null. */
void dbl_json_text(json_t *object, const char *key, const char *text);

void dbl_json_number(json_t *object, const char *key, int64_t number);

/* Set a duration; null for INT64_MIN, which means unknown. */
void dbl_json_ms(json_t *object, const char *key, int64_t ms);

/* Set `<key>_us` as a number and `<key>` as ISO 8601; null if us is 0. */
void dbl_json_time(json_t *object, const char *key, int64_t us);

/* Print the object on a line of its own, and free it; -1: there is no memory. */
int dbl_json_line(json_t *object);

#endif
