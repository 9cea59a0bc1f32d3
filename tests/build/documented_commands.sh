#!/bin/sh
# SPDX-License-Identifier: MIT
# What the documents show is true: the ```console blocks of README.md and docs/ are run, each
# document in a fresh folder, and say what is written there. A line "$ command" is a command, "> "
# goes on with it. Host, process, token and times may differ. A page docs/user/coming-from/TOOL.md
# finds the tool's folder, coming-from/TOOL, and its history in shop.db, as the tool makes it.
set -eu
export TZ=UTC
# The commands see a terminal's environment.
export DBLOCK_URL=sqlite:dblock.db
# And Python finds the module.
export PYTHONPATH="$DBLOCK_SOURCE_DIR/bindings/python" DBLOCK_LIBRARY="$DBLOCK_BUILD_DIR/src/libdblock.so.0" \
	PYTHONDONTWRITEBYTECODE=1
host=$(uname -n)

# Prints the blocks of a document, as they stand.
blocks()
{
	awk '/^```/ { inside = $0 == "```console"; next } inside' "$1"
}

# Prints them as a script, which says each command and runs it.
script()
{
	awk '
	function run()
	{
		if (!lines)
			return
		print "code=$?\ncat <<\"END_OF_COMMAND\"\n" shown "\nEND_OF_COMMAND"
		print "{\n(exit $code)\n" command "\n} 2>&1"
		lines = 0
	}
	/^\$ / { run(); shown = $0; command = substr($0, 3); lines = 1; next }
	/^> / && lines { shown = shown "\n" $0; command = command "\n" substr($0, 3); next }
	{ run() }
	END { run() }'
}

# Gives a name to what differs from run to run; all else has to be the same.
vague()
{
	sed -E "s/\b$host\b/app1/g
		s/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]+\+00:00/TIME/g
		s/[0-9]{13,}/TOKEN/g
		s/app1:[0-9]+/app1:PID/g
		s/pid [0-9]+/pid PID/g
		s/^(thread: +)[0-9]+/\1PID/
		s/in [0-9hms]+/in LEFT/g
		s/[0-9]+ ms/SOME ms/g
		s/ {2,}/ /g"
}

# prepare DOCUMENT: its folder, which is this one, as the reader of a page about another tool has it.
prepare()
{
	tests=$DBLOCK_SOURCE_DIR/tests
	case $1 in
	*/coming-from/*)
		tool=$(basename "$1" .md)
		cp -R "$tests/build/coming-from/$tool/." .
		sqlite3 -bail shop.db <"$tests/cli/migrate/histories/$tool.sqlite.sql"
		;;
	esac
}

checked=0
failed=0
cd "$DBLOCK_TEST_TMP"
for document in "$DBLOCK_SOURCE_DIR"/README.md "$DBLOCK_SOURCE_DIR"/docs/*.md \
	"$DBLOCK_SOURCE_DIR"/docs/*/*.md "$DBLOCK_SOURCE_DIR"/docs/*/*/*.md; do
	name=$(echo "${document#"$DBLOCK_SOURCE_DIR"/}" | tr / _)
	mkdir "$name"
	(cd "$name" && prepare "$document")
	blocks "$document" >"$name.blocks"
	[ -s "$name.blocks" ] || continue
	script <"$name.blocks" >"$name.sh"
	(cd "$name" && sh "../$name.sh" >"../$name.out" </dev/null) || : # the last command's code
	vague <"$name.blocks" >"$name.wanted"
	vague <"$name.out" >"$name.got"
	if ! diff -u "$name.wanted" "$name.got"; then
		echo "documented_commands: $document says something else (above: -) than what is (+)" >&2
		failed=1
	fi
	checked=$((checked + 1))
done
if [ $checked -eq 0 ]; then
	echo "documented_commands: no document shows a command" >&2
	exit 1
fi
exit $failed
