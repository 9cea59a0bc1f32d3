#!/bin/sh
# SPDX-License-Identifier: MIT
# An include that goes up, across, or out of the floors is found.
set -eu
. "${0%/*}/planted"

mkdir -p cmake tests/lint src/session src/link src/migrate/engine src/doctor src/api
mkdir -p src/driver/postgresql src/driver/mysql src/lock/queue src/lock/wait src/lock/cellar
mkdir -p src/cli/ui src/cli/lock src/cli/run src/cli/attic
cp "$DBLOCK_SOURCE_DIR/cmake/floors.cmake" cmake/
cp "$DBLOCK_SOURCE_DIR/tests/lint/floors.awk" tests/lint/

# include FILE WHAT
include()
{
	echo "#include $2" >"$1"
}

# planted FILE WHAT TEXT: including WHAT in FILE is found.
planted()
{
	include "$1" "$2"
	caught floors "$1:1: $3"
	rm "$1"
}

include src/lock/good.c '"session/session.h"'
include src/lock/wait/good.c '"lock/queue/snapshot.h"'
include src/driver/mysql/good.c '"driver/driver.h"'
echo '#include <mysql.h>' >>src/driver/mysql/good.c
include src/api/good.c '"migrate/command/migrate.h"'
include src/cli/good.c '"cli/run/commands.h"'
include src/cli/run/good.c '"cli/lock/take.h"'
echo '#include <jansson.h>' >>src/cli/good.c
include include/dblock/good.h '<dblock/error.h>'
echo '#include <stdint.h>' >>include/dblock/good.h
clean floors

planted src/base/bad.c '"driver/driver.h"' 'base may not see driver: an include only goes down'
planted src/driver/mysql/bad.c '"driver/postgresql/own.h"' \
	'driver/mysql may not see driver/postgresql: no driver sees another'
planted src/link/bad.h '"session/session.h"' 'link may not see session: an include only goes down'
planted src/lock/bad.c '"api/api.h"' 'lock may not see api: an include only goes down'
planted src/lock/bad.c '"migrate/command/migrate.h"' \
	'lock may not see migrate/command: they are wings of one floor'
planted src/migrate/engine/bad.c '"lock/lock.h"' \
	'migrate/engine may not see lock: they are wings of one floor'
planted src/migrate/engine/bad.c '"session/session.h"' \
	'migrate/engine may not see session: only lock stands on it'
planted src/doctor/bad.c '"migrate/command/migrate.h"' \
	'doctor may not see migrate/command: they are wings of one floor'
planted src/doctor/bad.c '"session/session.h"' 'doctor may not see session: only lock stands on it'
planted src/migrate/engine/bad.c '"doctor/doctor.h"' \
	'migrate/engine may not see doctor: they are wings of one floor'
planted src/lock/queue/bad.c '"lock/grant/attempt.h"' \
	'lock/queue may not see lock/grant: an include only goes down'
planted src/lock/wait/bad.h '"lock/lock.h"' 'lock/wait may not see lock: an include only goes down'
planted src/lock/wait/bad.c '"migrate/command/migrate.h"' \
	'lock/wait may not see migrate/command: they are wings of one floor'
planted src/lock/cellar/bad.c '"base/str.h"' 'src/lock/cellar is not a floor'
planted src/lock/bad.c '"lock.h"' '"lock.h" does not name a floor'
planted src/link/bad.c '<libpq-fe.h>' 'only src/driver may see <libpq-fe.h>'
planted src/cli/bad.c '"base/str.h"' 'the program may see only'
planted src/cli/bad.c '<sqlite3.h>' 'the program may see only'
planted src/cli/ui/bad.c '"args.h"' 'the program may see only'
planted src/cli/lock/bad.c '"cli/run/guard.h"' 'cli/lock may not see cli/run: an include only goes down'
planted src/cli/ui/bad.h '"cli/commands.h"' 'cli/ui may not see cli: an include only goes down'
planted src/cli/attic/bad.c '"cli/ui/args.h"' 'src/cli/attic is not a module'
planted include/dblock/bad.h '"base/err.h"' 'a public header may see only'
planted include/dblock/bad.h '<sys/types.h>' 'a public header may see only'
mkdir src/cellar
planted src/cellar/bad.c '"base/str.h"' 'src/cellar is not a floor'
rm cmake/floors.cmake
echo >cmake/floors.cmake
caught floors 'set(DBLOCK_FLOORS ...) not found'
