/* SPDX-License-Identifier: MIT */
/* The corpus: tests/corpus/split/<dialect>/NAME.sql, and NAME.expect. */
#ifndef TESTS_UNIT_MIGRATE_SPLIT_FILES_H
#define TESTS_UNIT_MIGRATE_SPLIT_FILES_H

#include "support/split_laws.h"

/* The file's bytes; the caller frees them. */
char *read_corpus(const char *path, size_t *len);

/* Each file of the corpus of a dialect; path is that of the .sql. How many there were. */
size_t each_corpus_file(const char *dialect,
			void (*with)(const struct sql_text *, const char *path));

#endif
