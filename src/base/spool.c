/* SPDX-License-Identifier: MIT */
#include "base/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

enum { BLOCK = 1 << 18 };

/* /tmp is in memory on many systems, so it comes last. */
const char *dbl_spool_folder(void)
{
	const char *chosen = getenv("TMPDIR");

	if (chosen && *chosen)
		return chosen;
	return dbl_is_folder("/var/tmp") ? "/var/tmp" : "/tmp";
}

/* Opens a file that has no name, or loses it at once where the file system does not know that. */
static int open_nameless(void)
{
	const char *folder = dbl_spool_folder();
	struct dbl_str name = {0};
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return fd;
	dbl_str_addf(&name, "%s/dblock-XXXXXX", folder);
	errno = ENOMEM;
	fd = name.failed ? -1 : mkostemp(name.text, O_CLOEXEC);
	if (fd >= 0)
		(void)unlink(name.text);
	dbl_str_free(&name);
	return fd;
}

void dbl_spool_begin(struct dbl_spool *spool, size_t keep)
{
	*spool = (struct dbl_spool){.keep = keep, .fd = -1};
}

static int write_all(int fd, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno != EINTR)
			return errno;
		text += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Writes what is in memory to the file. */
static int flush(struct dbl_spool *spool)
{
	if (spool->fd < 0)
		spool->fd = open_nameless();
	if (spool->fd < 0)
		return errno;
	spool->written += spool->text.len;
	spool->keep = BLOCK;
	return write_all(spool->fd, spool->text.text, spool->text.len);
}

int dbl_spool_add(struct dbl_spool *spool, const char *text, size_t len)
{
	if (spool->error)
		return spool->error;
	dbl_str_addn(&spool->text, text, len);
	if (spool->text.failed)
		spool->error = ENOMEM;
	else if (spool->text.len > spool->keep) {
		spool->error = flush(spool);
		if (spool->written > 0 && spool->text.room > 2 * BLOCK)
			dbl_str_free(&spool->text);
		spool->text.len = 0;
	}
	return spool->error;
}

/* Behind the last byte are zeros, up to the end of its page; one more page if there are none. */
static int map(struct dbl_spool *spool, struct dbl_text *out)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t mapped = (spool->written / page + 1) * page;
	char *text;

	if (ftruncate(spool->fd, (off_t)mapped))
		return errno;
	text = mmap(NULL, mapped, PROT_READ, MAP_SHARED, spool->fd, 0);
	if (text == MAP_FAILED)
		return errno;
	*out = (struct dbl_text){text, spool->written, mapped};
	return 0;
}

int dbl_spool_end(struct dbl_spool *spool, struct dbl_text *out)
{
	int rc = dbl_spool_add(spool, "", 0);

	*out = (struct dbl_text){.len = 0};
	if (rc == 0 && spool->fd >= 0) {
		rc = flush(spool);
		rc = rc ? rc : map(spool, out);
	} else if (rc == 0) {
		out->len = spool->text.len;
		out->text = dbl_str_take(&spool->text);
	}
	dbl_spool_drop(spool);
	return rc;
}

void dbl_spool_drop(struct dbl_spool *spool)
{
	dbl_str_free(&spool->text);
	if (spool->fd >= 0)
		close(spool->fd);
}

void dbl_text_free(const struct dbl_text *text)
{
	if (text->mapped)
		(void)munmap(text->text, text->mapped);
	else
		dbl_free(text->text);
}

void dbl_text_passed(const char *text, size_t mapped)
{
	if (mapped)
		(void)madvise((void *)(uintptr_t)text, mapped, MADV_DONTNEED);
}
