/* SPDX-License-Identifier: MIT */
#include "split_files.h"

#include <dirent.h>

char *read_corpus(const char *path, size_t *len)
{
	FILE *file = fopen(path, "rb");
	char *text = malloc(1 << 20);

	if (!file) {
		fprintf(stderr, "%s cannot be read\n", path);
		exit(1);
	}
	*len = fread(text, 1, 1 << 20, file);
	fclose(file);
	return realloc(text, *len + 1); /* just as long: sanitizers see a byte too many */
}

static bool is_sql(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > 4 && strcmp(entry->d_name + len - 4, ".sql") == 0;
}

size_t each_corpus_file(const char *dialect,
			void (*with)(const struct sql_text *, const char *path))
{
	const char *root = getenv("DBLOCK_SOURCE_DIR");
	struct sql_text t = {dialect, NULL, 0};
	char folder[2000], path[3000];
	struct dirent *entry;
	size_t n = 0;
	DIR *dir;

	snprintf(folder, sizeof(folder), "%s/tests/corpus/split/%s", root ? root : ".", dialect);
	dir = opendir(folder);
	while (dir && (entry = readdir(dir)) != NULL) {
		char *text;

		if (!is_sql(entry))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		t.text = text = read_corpus(path, &t.len);
		with(&t, path);
		free(text);
		n++;
	}
	if (dir)
		closedir(dir);
	return n;
}
