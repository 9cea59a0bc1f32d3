#!/bin/sh
# SPDX-License-Identifier: MIT
# A call that goes up, and a cycle of too many files, is found in the objects.
set -eu
. "${0%/*}/planted"

mkdir -p cmake tests/lint
cp "$DBLOCK_SOURCE_DIR/cmake/floors.cmake" cmake/
cp "$DBLOCK_SOURCE_DIR/tests/lint/calls.awk" tests/lint/

# object LIBRARY SOURCE CALLEE: src/<SOURCE> defines the function of its own name, and calls CALLEE.
object()
{
	folder=build/src/CMakeFiles/dbl_$1.dir
	case $1 in
	cli_*) folder=build/src/cli/CMakeFiles/dbl_$1.dir file=${2#cli/} ;;
	*) file=$2 ;;
	esac
	mkdir -p "src/${2%/*}" "$folder/${file%/*}"
	: >"src/$2"
	own=$(basename "$2" .c)
	echo "void $3(void); void f_$own(void); void f_$own(void) { $3(); }" |
		cc -x c -fPIC -O0 -c -o "$folder/$file.o" -
}

caught calls 'no objects of a build to look at'
object lock_queue lock/queue/snapshot.c dbl_elsewhere
object lock_wait lock/wait/steps.c f_sight
object cli_ui cli/ui/args.c f_steps
object cli_run cli/run/run.c f_args
clean calls

object lock_queue lock/queue/snapshot.c f_steps
caught calls 'src/lock/queue/snapshot.c:1: calls f_steps() of lock/wait: a call only goes down'
object lock_queue lock/queue/snapshot.c f_args
caught calls 'src/lock/queue/snapshot.c:1: calls f_args() of cli/ui: a call only goes down'
object lock_queue lock/queue/snapshot.c dbl_elsewhere
object cli_ui cli/ui/args.c f_run
caught calls 'src/cli/ui/args.c:1: calls f_run() of cli/run: a call only goes down'
object cli_ui cli/ui/args.c f_steps

for i in 1 2 3 4; do
	object lock_admin "lock/admin/r$i.c" "f_r$((i + 1))"
done
object lock_admin lock/admin/r5.c f_r1
clean calls
object lock_admin lock/admin/r5.c f_r6
object lock_admin lock/admin/r6.c f_r1
caught calls 'src/lock/admin/r1.c:1: 6 files call each other in a ring, 5 may:'
