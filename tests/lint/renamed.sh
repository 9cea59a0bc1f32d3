#!/bin/sh
# SPDX-License-Identifier: MIT
# An old name of CHANGELOG.md's table is found, and nothing that only looks like it.
set -eu
. "${0%/*}/planted"

cat >CHANGELOG.md <<'END'
### Renamed

| Old | New |
|---|---|
| `old.h`, `struct dblock_row` | `new.h`, `struct dblock_new_row` |
| `dblock_leader()` | `dblock_leader_of()` |
| `DBLOCK_E_OLD`, `rest` in the output | `DBLOCK_E_NEW`, `minimum` |
| option `barge`, `--barge` | option `unfair`, `--unfair` |
| `park` of `struct dblock_client_options` | the same in `struct dblock_tuning` |

### Added

- `dblock_added()`
END
cat >src/base/x.c <<'END'
struct dblock_row_x; enum dblock_leader { DBLOCK_E_OLDER }; struct dblock_client_options *rest;
int barge = dblock_leader_of() + dblock_added(); /* --barged, base/old.h */
END
clean renamed

for line in '#include <dblock/old.h>' 'struct dblock_row *row' 'dblock_leader(c)' 'case DBLOCK_E_OLD:' \
	'DBLOCK_E_NEW, _E_OLD' 'the option --barge'; do
	echo "$line" >include/dblock/x.h
	caught renamed "include/dblock/x.h:1:$line"
done
rm include/dblock/x.h CHANGELOG.md
: >CHANGELOG.md
caught renamed 'no table of old names'
