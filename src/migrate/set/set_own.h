/* SPDX-License-Identifier: MIT */
/* What the files set*.c share. */
#ifndef DBL_MIGRATE_SET_OWN_H
#define DBL_MIGRATE_SET_OWN_H

#include "base/err.h"
#include "migrate/set/set.h"

enum { DBL_MIGRATION_NAME_MAX = 200 }; /* bytes: the column in the history has no more */

/* So many bytes of a set's texts are kept in memory, and so many of one; what is beyond is mapped. */
enum { DBL_SET_MEMORY = 8 << 20, DBL_SET_MEMORY_ONE = 2 << 20 };

/* ---- set_memory.c --------------------------------------------------------------------------- */

/* Takes over what dbl_alloc() gave, which is freed with the set. If memory runs out it is freed at
 * once, and NULL returned. `p` may be NULL; then NULL is returned. */
void *dbl_set_keep(struct dbl_set *, void *p);

/* The same for a text, of whatever kind. */
char *dbl_set_keep_text(struct dbl_set *, const struct dbl_text *);

int dbl_set_no_memory(struct dblock_error *err);

/* The spool for one more text of the set. */
void dbl_set_spool(const struct dbl_set *, struct dbl_spool *);
/* Ends it, and lets the set own the text. */
int dbl_set_spooled(struct dbl_set *, const struct dbl_script *, struct dbl_spool *,
		    struct dbl_text *, struct dblock_error *err);

/* ---- set_text.c ----------------------------------------------------------------------------- */

/* A text that is being taken: made into its one form, and summed up. */
struct dbl_taking {
	struct dbl_spool spool;
	struct dbl_sha256 sum;
	bool began, cr; /* behind its first part; behind a carriage return */
};

/* Takes the text of a script, whose path must be set, in parts; the first has 3 bytes, unless it is the
 * only one. dbl_script_part() returns 0, or errno; dbl_script_taken() ends it, and the set owns it. */
void dbl_script_take(const struct dbl_set *, struct dbl_taking *);
int dbl_script_part(void *taking, const char *part, size_t len);
int dbl_script_taken(struct dbl_set *, struct dbl_script *, struct dbl_taking *,
		     struct dblock_error *err);

/* ---- set_marks.c ---------------------------------------------------------------------------- */

/* Fails for a line "-- dblock:..." that is not sound, or is reserved for later versions: one that
 * does not know it must not ignore it. */
int dbl_script_marks(const struct dbl_script *, struct dblock_error *err);

/* ---- set_variables.c ------------------------------------------------------------------------ */

#define DBL_VARIABLES "-- dblock:variables "

/* Puts values into a text whose head names variables. E_INVALID: one has none, or is not named. */
int dbl_script_fill(struct dbl_set *, struct dbl_script *, const struct dblock_migrate_options *,
		    struct dblock_error *err);

/* ---- set_name.c: the names of files --------------------------------------------------------- */

enum dbl_way {
	DBL_WAY_UP,
	DBL_WAY_ONLY_UP, /* NNNN_name.sql, which cannot be undone */
	DBL_WAY_DOWN,
	DBL_WAY_REPEAT /* R_name.sql */
};

/* The parts of a file's name; `name` points into it, and has no NUL behind it. */
struct dbl_file_name {
	int64_t version;
	enum dbl_way way;
	const char *name;
	size_t len;
};

/* Takes a file's name apart. E_INVALID says what is wrong with it, but not which file it is. */
int dbl_file_name_read(struct dbl_file_name *, const char *file, struct dblock_error *err);

/* Whether the name is [A-Za-z0-9][A-Za-z0-9_.-]*, and no longer than allowed. */
bool dbl_migration_name_fits(const char *name, size_t len);

/* ---- set_steps.c: the statements in it ------------------------------------------------------ */

/* Checks a script's statements, and sets what depends on them and on the dialect. */
int dbl_script_plan(struct dbl_set *, struct dbl_script *, const struct dbl_dialect *,
		    struct dblock_error *err);

/* ---- set_index.c ---------------------------------------------------------------------------- */

/* Adds a statement to an index; `before` is the one that was added before it, or zero. */
void dbl_index_add(struct dbl_spool *, const struct dbl_statement *before,
		   const struct dbl_statement *);

/* ---- set_array.c ---------------------------------------------------------------------------- */

/* Fill the set as dbl_set_read_dir() does. */
int dbl_set_read_array(struct dbl_set *, const struct dblock_migration_file *, size_t n,
		       struct dblock_error *err);
int dbl_set_read_own(struct dbl_set *, const struct dbl_dialect *, struct dblock_error *err);

/* ---- set_dir.c ------------------------------------------------------------------------------ */

/* Fills the set with all files of a folder; dbl_script_plan() is still to be called for each. */
int dbl_set_read_dir(struct dbl_set *, const char *dir, const struct dbl_dialect *,
		     struct dblock_error *err);

#endif
