/* SPDX-License-Identifier: MIT */
#include "history/history.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void history_add(struct history *h, const struct event *e)
{
	/* The room is a power of two. */
	if ((h->n & (h->n - 1)) == 0) {
		h->events = realloc(h->events, (h->n ? 2 * h->n : 1) * sizeof(*h->events));
		if (!h->events)
			abort();
	}
	h->events[h->n++] = *e;
}

/* ---- order ----------------------------------------------------------------------------------- */

static void merge(const struct event *from, struct event *to, size_t middle, size_t n)
{
	size_t a = 0, b = middle;

	for (size_t i = 0; i < n; i++) {
		if (b == n || (a < middle && from[a].at <= from[b].at))
			to[i] = from[a++];
		else
			to[i] = from[b++];
	}
}

/* This is a merge sort, as qsort(3) does not keep the order of equals. */
static void sort(struct event *events, struct event *scratch, size_t n)
{
	if (n < 2)
		return;
	sort(events, scratch, n / 2);
	sort(events + n / 2, scratch, n - n / 2);
	memcpy(scratch, events, n * sizeof(*events));
	merge(scratch, events, n / 2, n);
}

void history_sort(struct history *h)
{
	struct event *scratch = calloc(h->n + 1, sizeof(*scratch));

	if (!scratch)
		abort();
	sort(h->events, scratch, h->n);
	free(scratch);
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool load_file(struct history *h, const char *path, char problem[1200])
{
	char line[EVENT_TEXT_MAX];
	FILE *file = fopen(path, "r");
	struct event e;
	bool ok = true;
	int n = 0;

	while (file && ok && fgets(line, sizeof(line), file)) {
		n++;
		if (!strchr(line, '\n') && feof(file))
			break;
		ok = event_read(&e, line);
		if (ok)
			history_add(h, &e);
		else
			snprintf(problem, 1200, "%s:%d: no event", path, n);
	}
	if (!file)
		snprintf(problem, 1200, "%s cannot be read", path);
	else
		fclose(file);
	return file && ok;
}

bool history_load(struct history *h, const char *folder, char problem[1200])
{
	struct dirent *entry;
	char path[1024];
	DIR *dir = opendir(folder);
	bool ok = dir != NULL;

	if (!dir)
		snprintf(problem, 1200, "%s is no folder that can be read", folder);
	while (ok && (entry = readdir(dir))) {
		if (strstr(entry->d_name, ".events")) {
			snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
			ok = load_file(h, path, problem);
		}
	}
	if (dir)
		closedir(dir);
	history_sort(h);
	return ok;
}

void history_free(struct history *h)
{
	free(h->events);
	*h = (struct history){.n = 0};
}
