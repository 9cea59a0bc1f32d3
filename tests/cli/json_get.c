/* SPDX-License-Identifier: MIT */
/* json_get KEY...: reads one JSON object from stdin, which must be one line and nothing else, and
 * prints the value at that place: a text as it is, the length of an array or object behind `#`,
 * everything else as JSON. Exit code 1: it is no such line, or there is nothing at that place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

static json_t *step(json_t *at, const char *key)
{
	if (json_is_array(at))
		return json_array_get(at, strtoul(key, NULL, 10));
	return json_object_get(at, key);
}

static int print(const json_t *at)
{
	char *text;

	if (json_is_string(at))
		return puts(json_string_value(at)) < 0;
	text = json_dumps(at, JSON_ENCODE_ANY | JSON_COMPACT);
	if (text)
		puts(text);
	free(text);
	return !text;
}

static int print_size(const json_t *at)
{
	return printf("%zu\n", json_is_array(at) ? json_array_size(at) : json_object_size(at)) < 0;
}

int main(int argc, char **argv)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t len = getline(&line, &room, stdin);
	json_t *root, *at;
	int code = 1;

	if (len <= 0 || line[len - 1] != '\n' || getc(stdin) != EOF) {
		fputs("json_get: not one line\n", stderr);
		return 1;
	}
	root = at = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
	for (int i = 1; i < argc && at && strcmp(argv[i], "#") != 0; i++)
		at = step(at, argv[i]);
	if (at)
		code = strcmp(argv[argc - 1], "#") == 0 ? print_size(at) : print(at);
	else
		fprintf(stderr, "json_get: nothing there, in %s", line);
	json_decref(root);
	free(line);
	return code;
}
