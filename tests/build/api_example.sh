#!/bin/sh
# SPDX-License-Identifier: MIT
# The C example of docs/user/api.md that can stand alone is taken from there, compiled with all
# warnings, and run.
set -eu
cd "$DBLOCK_TEST_TMP"
export LD_LIBRARY_PATH="$DBLOCK_BUILD_DIR/src"

awk '/^```/ { if (found) exit; inside = $0 == "```c"; text = ""; next }
	inside { text = text $0 "\n"; found = found || /acquire_in_steps/ }
	END { printf "%s", text }' "$DBLOCK_SOURCE_DIR/docs/user/api.md" >example.c

cat >>example.c <<'EOF_C'
#include <stdio.h>

int main(void)
{
	struct dblock_client *client;
	struct dblock_error err;
	struct dblock_lock *lock;

	if (dblock_open("sqlite:app.db", NULL, &client, &err) ||
	    acquire_in_steps(client, &lock, &err)) {
		fprintf(stderr, "%s\n", err.message);
		return 1;
	}
	printf("%s\n", dblock_name(lock));
	dblock_close(client, NULL);
	return 0;
}
EOF_C
"${CC:-cc}" -std=c11 -Wall -Wextra -Wpedantic -Werror -o example example.c \
	-I "$DBLOCK_SOURCE_DIR/include" -I "$DBLOCK_BUILD_DIR/include" \
	-L "$DBLOCK_BUILD_DIR/src" -ldblock
[ "$(./example)" = job ] || {
	echo "api_example: it did not get the lock" >&2
	exit 1
}
