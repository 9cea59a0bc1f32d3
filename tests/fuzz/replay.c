/* SPDX-License-Identifier: MIT */
/* Puts each file below the named folders through a fuzzer's target once: no fuzzer is needed. With
 * -DDBLOCK_FUZZ=ON (./dev fuzz) libFuzzer's own main() takes its place. */
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned files;

static int replay(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	size_t len = (size_t)st->st_size;
	uint8_t *data;
	FILE *file;

	(void)ftw;
	if (type != FTW_F)
		return 0;
	fprintf(stderr, "%s\n", path); /* if it crashes, the last name printed is the culprit */
	file = fopen(path, "rb");
	data = malloc(len);
	if (!file || !data || fread(data, 1, len, file) != len)
		return 1;
	fclose(file);
	(void)LLVMFuzzerTestOneInput(data, len);
	free(data);
	files++;
	return 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (nftw(argv[i], replay, 16, FTW_PHYS)) {
			fprintf(stderr, "%s cannot be read\n", argv[i]);
			return 1;
		}
	}
	printf("%u files\n", files);
	return files == 0;
}
