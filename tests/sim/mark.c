/* SPDX-License-Identifier: MIT */
/* base/mark.h, in the place of src/base/mark.c and mark_ask.c. In half of the worlds the processes are
 * on one machine, and most have marks; a process that is killed may leave a child that keeps its mark
 * for a while. None of that is drawn by chance, so that seeds stay what they were. */
#include "base/mark.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "sim/world.h"

enum { CHILD_US = 300000 };

struct dbl_mark {
	struct mark_file file;
};

static struct world *here(void)
{
	return coroutine_self()->process->world;
}

struct dbl_mark *dbl_mark_new(const struct dbl_env *env)
{
	struct process *p = env->ctx;
	struct world *w = p->world;
	struct mark_file *file = &w->marks[w->n_marks % MARKS_MAX];

	if (w->seed % 2 || (w->seed / 2 + (uint64_t)p->number) % 4 == 0)
		return NULL;
	*file = (struct mark_file){.owner = p, .id = ++w->n_marks};
	snprintf(file->citation, sizeof(file->citation), "sim %" PRIu64, file->id);
	return (struct dbl_mark *)file;
}

void dbl_mark_free(struct dbl_mark *mark, bool over)
{
	if (mark && over)
		mark->file.id = 0;
	if (mark)
		mark->file.owner = NULL;
}

const char *dbl_mark_citation(const struct dbl_mark *mark)
{
	return mark ? mark->file.citation : "";
}

void dbl_mark_note(struct dbl_mark *mark, int64_t beat, int64_t now)
{
	(void)now;
	if (mark)
		mark->file.beats[mark->file.n_beats++ % MARK_BEATS] = beat;
}

void dbl_mark_settle(struct dbl_mark *mark, int64_t us)
{
	if (mark && us > mark->file.settle)
		mark->file.settle = us;
}

void mark_kill(struct process *p)
{
	struct world *w = p->world;

	for (int i = 0; i < MARKS_MAX; i++) {
		struct mark_file *file = &w->marks[i];

		if (file->id == 0 || file->owner != p)
			continue;
		file->owner = NULL;
		file->kept_until = w->now + (file->id % 4 == 0 ? CHILD_US : 0);
	}
}

static struct mark_file *find(struct world *w, const char *citation)
{
	uint64_t id;

	if (sscanf(citation, "sim %" SCNu64, &id) != 1 || id == 0)
		return NULL;
	return w->marks[(id - 1) % MARKS_MAX].id == id ? &w->marks[(id - 1) % MARKS_MAX] : NULL;
}

static bool has_beat(const struct mark_file *file, int64_t beat)
{
	bool has = false;

	for (unsigned i = 0; i < MARK_BEATS && i < file->n_beats && !has; i++)
		has = file->beats[i] == beat;
	return has;
}

enum dbl_mark_word dbl_mark_ask(const char *citation, int64_t beat, int64_t now)
{
	struct world *w = here();
	struct mark_file *file = find(w, citation);

	(void)now;
	if (!file)
		return DBL_MARK_NOTHING;
	if (file->owner || w->now < file->kept_until + file->settle)
		return DBL_MARK_ALIVE;
	if (!has_beat(file, beat))
		return DBL_MARK_NOTHING;
	COUNT(w, marks_of_dead);
	return DBL_MARK_DEAD;
}

void dbl_mark_remove(const char *citation)
{
	struct mark_file *file = find(here(), citation);

	if (file)
		file->id = 0;
}

/* ---- what no process here asks for ----------------------------------------------------------- */

unsigned dbl_mark_list_dead(struct dbl_str *names, int64_t age_us)
{
	(void)names;
	(void)age_us;
	return 0;
}

int dbl_mark_watch_new(void)
{
	return -1;
}

bool dbl_mark_watch(int watch, const char *citation)
{
	(void)watch;
	(void)citation;
	return false;
}

int dbl_mark_open(const struct dbl_env *env)
{
	(void)env;
	errno = ENOSYS;
	return -1;
}

struct dbl_mark *dbl_mark_adopt(int fd)
{
	(void)fd;
	return NULL;
}

int dbl_mark_hand_on(const struct dbl_mark *mark)
{
	(void)mark;
	errno = ENOSYS;
	return -1;
}

int dbl_mark_hand_on_fd(int fd)
{
	(void)fd;
	errno = ENOSYS;
	return -1;
}

int dbl_mark_stay(int fd)
{
	(void)fd;
	return ENOSYS;
}

bool dbl_mark_is_handed_on(int fd)
{
	(void)fd;
	return false;
}
