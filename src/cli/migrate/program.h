/* SPDX-License-Identifier: MIT */
/* Another program, run to its end: what it writes is kept. */
#ifndef DBL_CLI_MIGRATE_PROGRAM_H
#define DBL_CLI_MIGRATE_PROGRAM_H

#include <stdbool.h>

#include <dblock/error.h>

struct dbl_program {
	const char *const *argv; /* NULL at the end; the first is looked for in $PATH */
	/* A secret for it, which nobody sees in its environment but its own user; or NULL. */
	const char *variable, *value;
	const char *input; /* for its standard input; NULL: nothing */
	char *out, *said;  /* what it wrote to its standard output and error; to be freed */
	int status;        /* its exit code, as a shell has it */
	bool missing;      /* there is no such program */
};

/* DBLOCK_OK if it ran, however that ended, or is missing. dbl_program_free() is due in any case. */
int dbl_program_run(struct dbl_program *, struct dblock_error *err);
void dbl_program_free(struct dbl_program *);

#endif
