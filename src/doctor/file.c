/* SPDX-License-Identifier: MIT */
/* Finds on what file system a database file is, and how large its WAL has grown. */
#include <inttypes.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/str.h"
#include "doctor/exam.h"

/* SQLite writes the WAL back at 4 MB; a much larger one shows that a reader keeps it from that. */
#define WAL_MAX (64LL << 20)

static int say_place(struct dbl_exam *exam, const char *path)
{
	struct dbl_fs fs;
	char name[32];
	const char *why;

	if (dbl_fs_read(exam->target->env, path, &fs))
		return dbl_exam_say(exam, DBLOCK_FINDING_WRONG, "file", "see whether it is there",
				    "%s cannot be looked at", path);
	dbl_fs_name(&fs, name);
	if (dbl_fs_judge(&fs, &why) == DBL_FS_GOOD)
		return dbl_exam_say(exam, DBLOCK_FINDING_OK, "file", NULL,
				    "%s lies on a local file system (%s), and has no other name",
				    path, name);
	return dbl_exam_say(exam, DBLOCK_FINDING_WARNING, "file",
			    "put the file on a local disk, or make sure that this file system "
			    "keeps locks and shared mappings for all who use the file",
			    "the file system (%s) of %s %s", name, path, why);
}

static int say_wal(struct dbl_exam *exam, const char *path)
{
	struct dbl_str wal = {0};
	int64_t size;

	dbl_str_addf(&wal, "%s-wal", path);
	size = wal.failed ? 0 : dbl_fs_size(wal.text);
	dbl_str_free(&wal);
	if (size <= WAL_MAX)
		return dbl_exam_say(exam, DBLOCK_FINDING_OK, "wal", NULL,
				    "the WAL has %" PRId64 " KB", (size + 1023) / 1024);
	return dbl_exam_say(exam, DBLOCK_FINDING_WARNING, "wal",
			    "find the reader that keeps a transaction open, end it, then run "
			    "PRAGMA wal_checkpoint(TRUNCATE)",
			    "the WAL has grown to %" PRId64 " MB: some reader keeps it from being "
			    "written back",
			    size >> 20);
}

int dbl_exam_file(struct dbl_exam *exam)
{
	const char *path = exam->target->url.path;
	int rc;

	if (!exam->target->dialect->is_file)
		return 0;
	rc = say_place(exam, path);
	return rc ? rc : say_wal(exam, path);
}
