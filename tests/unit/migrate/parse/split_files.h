/* SPDX-License-Identifier: MIT */
/* The corpus: tests/corpus/split/<dialect>/NAME.sql, and NAME.expect. */
#ifndef TESTS_UNIT_MIGRATE_SPLIT_FILES_H
#define TESTS_UNIT_MIGRATE_SPLIT_FILES_H

#include "support/split_laws.h"

/* Returns the file's bytes; the caller frees them. */
char *read_corpus(const char *path, size_t *len);

/* Calls a function for each file of a dialect's corpus, with the path of the .sql. Returns the
 * number of files. */
size_t each_corpus_file(const char *dialect,
			void (*with)(const struct sql_text *, const char *path));

#endif
