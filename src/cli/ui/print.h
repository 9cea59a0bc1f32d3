/* SPDX-License-Identifier: MIT */
/* What commands print: text that others wrote, moments, tables, JSON. */
#ifndef DBL_CLI_PRINT_H
#define DBL_CLI_PRINT_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

/* ---- text that others wrote, on its way to a terminal or into JSON: text.c ------------------- */

/* A copy in which whatever would move the cursor, change the direction of the text or is not UTF-8
 * stands as \xNN. NULL: out of memory. To be freed. */
char *dbl_text_safe(const char *text);

/* A copy in which each byte that is not UTF-8 is U+FFFD. NULL: out of memory. To be freed. */
char *dbl_text_utf8(const char *text);

/* Columns that valid UTF-8 takes on a terminal: two for East Asian letters and emoji, none for
 * combining marks. Good enough to align a table. */
size_t dbl_text_width(const char *text);

/* End it where it would take more columns than that. */
void dbl_text_cut(char *text, size_t columns);

/* ---- moments, for people and for machines: times.c ------------------------------------------- */

/* Microseconds on CLOCK_BOOTTIME, which goes on while the machine sleeps. */
int64_t dbl_now_us(void);

enum { DBL_TIME_TEXT = 64 };

/* Local time, ISO 8601, to the second: 2024-05-01T12:00:00+02:00. "-" if us is 0. */
void dbl_time_local(int64_t us, char text[DBL_TIME_TEXT]);

/* Universal time, ISO 8601, to the microsecond: 2024-05-01T10:00:00.123456Z. */
void dbl_time_utc(int64_t us, char text[DBL_TIME_TEXT]);

/* "in 12s", "3s ago"; "-" for INT64_MIN, which is unknown. */
void dbl_time_left(int64_t ms, char text[DBL_TIME_TEXT]);

/* ---- a table with aligned columns: table.c --------------------------------------------------- */

struct dbl_table {
	const char *const *heads; /* of the columns; ends with NULL */
	char **cells;
	size_t count, room;
	const char *spare; /* head of a column that is left out if all its cells say `usual` */
	const char *usual;
};

/* The next row: as many texts as there are columns, copied, and made safe for a terminal. -1: out
 * of memory. */
int dbl_table_add(struct dbl_table *, ...);

/* Print heads and cells on stdout, nothing if there are no cells; and free them. */
void dbl_table_print(struct dbl_table *);

/* ---- JSON objects, one per line: json.c ------------------------------------------------------ */

/* Text of any bytes: what is not UTF-8 is replaced. NULL: null. */
void dbl_json_text(json_t *object, const char *key, const char *text);

void dbl_json_number(json_t *object, const char *key, int64_t number);

/* `<key>_us` as a number and `<key>` as ISO 8601, null if us is 0. */
void dbl_json_time(json_t *object, const char *key, int64_t us);

/* Print the object on a line of its own, and free it; -1: out of memory. */
int dbl_json_line(json_t *object);

#endif
