#!/bin/sh
# SPDX-License-Identifier: MIT
# A file that touches another module's part of a lock is found.
set -eu
. "${0%/*}/planted"

mkdir -p src/lock/cache src/lock/watch src/lock/tx src/lock/wait
echo 'x = lock->cached.idle_for;' >src/lock/cache/good.c
echo 'x = lock->watched.told_for;' >src/lock/watch/good.c
echo 'x = a->lock->attached_row.ticket;' >src/lock/tx/good.h
clean parts

# planted CODE TEXT
planted()
{
	echo "$1" >src/lock/wait/bad.c
	caught parts "src/lock/wait/bad.c:1: $2"
}

planted 'x = lock->cached.idle_for;' "touches a lock's part 'cached', which is src/lock/cache's alone"
planted 'x = copy.watched.told_for;' "touches a lock's part 'watched', which is src/lock/watch's alone"
planted 'x = a->lock->attached_row.ticket;' "touches a lock's part 'attached_row', which is src/lock/tx's alone"
