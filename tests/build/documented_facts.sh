#!/bin/sh
# SPDX-License-Identifier: MIT
# Facts of README.md and docs/ that can be counted, the tables; names in them; and that what this version does not do
# it really does not, each line of which has a test.
set -eu
cd "$DBLOCK_TEST_TMP"
src=$DBLOCK_SOURCE_DIR
tests=$src/tests
failed=0

wrong()
{
	echo "documented_facts: $*" >&2
	failed=1
}

# ---- the tables: in the database, in README.md, in docs/operator/sql.md

dblock -u sqlite:tables.db schema up >/dev/null
sqlite3 tables.db "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'dblock\\_%' ESCAPE '\\'
	ORDER BY name" >tables
numbers='zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty twenty-one twenty-two twenty-three twenty-four'
n=$(wc -l <tables)
word=$(echo "$numbers" | cut -d' ' -f$((n + 1)))
grep -q " $word plain tables" "$src/README.md" ||
	wrong "README.md does not say '$word plain tables': $(tr '\n' ' ' <tables)"
# shellcheck disable=SC2016 # the quotes are the document's
sed -nE 's/^\| `(dblock_[a-z_]+)` \| ([^|]*) \|.*/\1 \2/p' "$src/docs/operator/sql.md" |
	awk '$2 != "a" || $3 != "view" { print $1 }' | sort >documented
diff tables documented || wrong "docs/operator/sql.md has other tables (>) than there are (<)"

# ---- names: each function and each file that a document names is there

# functions FILE...: prints those that are declared, or are CMake's.
functions()
{
	sed -nE -e 's/^(DBLOCK_API|static inline|typedef) .*[ *](dblock_[a-z_0-9]+)\(.*/\2/p' \
		-e 's/^function\((dblock_[a-z_0-9]+) .*/\1/p' "$@" | sort -u
}

functions "$src"/include/dblock/*.h* "$src"/cmake/*.cmake >declared
# The changelog has a table of old names.
sed '/^### Renamed/,/^### Added/d' "$src/CHANGELOG.md" >CHANGELOG.md
set -- CHANGELOG.md "$src"/README.md "$src"/CONTRIBUTING.md "$src"/docs/*.md "$src"/docs/*/*.md "$src"/docs/*/*/*.md
grep -ohE '\bdblock_[a-z_0-9]+\(' "$@" "$src"/include/dblock/*.h |
	tr -d '(' | sort -u | comm -23 - declared >unknown
[ -s unknown ] && wrong "there are no such functions: $(tr '\n' ' ' <unknown)"
# shellcheck disable=SC2016 # the quotes are the document's
grep -ohE '`(src|tests|bindings|sql|examples|include|cmake|docs|bench|migrations)/(<dialect>/)?[A-Za-z0-9_./-]+`' \
	"$@" | tr -d '`' |
	awk '{ split("sqlite postgresql mysql", dialects)
		for (i in dialects) { path = $0; sub("<dialect>", dialects[i], path); print path } }' |
	sort -u >paths
while read -r path; do
	[ -e "$src/$path" ] || wrong "there is no $path"
done <paths
[ "$(wc -l <paths)" -gt 20 ] || wrong "the documents name no files"

# ---- what this version does not do

# no_linux: on another system CMake says that dblock is not for it.
no_linux()
{
	! cmake -S "$src" -B freebsd -DCMAKE_SYSTEM_NAME=FreeBSD -DDBLOCK_TESTS=OFF >out 2>&1 &&
		grep -q 'FreeBSD, and dblock is for Linux only' out
}

# has FILE TEXT: that test exists.
has()
{
	grep -q "$2" "$tests/$1"
}

limits=docs/user/guarantees.md
sed -n '/^## What this version does not do/,$p' "$src/$limits" | grep '^- ' >lines
while read -r line; do
	case $line in
	*'pooler in transaction mode'*)
		has unit/doctor/test_pool.c pooler && has db/lock/notify/remote_notifier.c pooler
		;;
	*'network file system'*) has db/driver/sqlite_place.c network_file_systems_are_refused ;;
	*'share a connection'*) has api/client_costs.c connections_of_a_client ;;
	*'Linux only'*) no_linux ;;
	*'A break by '*force*) has cli/lock/break.bats 'break --force does not wait' ;;
	*'ends its command before'*) has cli/run/guardian.bats '@test' ;;
	*) false ;;
	esac || wrong "$limits: no test says that it is so: $line"
done <lines
[ -s lines ] || wrong "$limits does not say what this version does not do"
exit $failed
