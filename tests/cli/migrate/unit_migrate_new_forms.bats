#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock migrate new --version-column, --fence: which files, with which names in them.
# (migrate_new_version.bats and remote_migrate_new_fence.bats test what the databases make of them.)

setup() {
  load migrate
  cd "$BATS_TEST_TMPDIR"
  mkdir -p all/sqlite all/postgresql all/mysql two/postgresql two/mysql
  # Opening this URL would make the file: none of these tests may open it.
  export DBLOCK_URL=sqlite:$BATS_TEST_TMPDIR/never.db
}

teardown() {
  [ ! -e "$BATS_TEST_TMPDIR/never.db" ]
}

# refused TEXT ARG...: exit code 2, this text, and no file.
refused() {
  local text=$1
  shift
  run -2 --separate-stderr dblock migrate new "$@"
  contains "$stderr" "$text"
  equal "$output" ""
  equal "$(find . -name '*.sql')" ""
}

statements() {
  grep -v '^--' "$1"
}

@test "version column: named after the table; the kind of database by folder, --dialect or URL" {
  run -0 --separate-stderr dblock migrate new --version-column account --dir all --seq
  equal "$stderr" ""
  equal "${#lines[@]} ${lines[0]}" "6 all/sqlite/0001_account_version.up.sql"
  equal "$(statements all/sqlite/0001_account_version.up.sql)" \
    'ALTER TABLE "account" ADD COLUMN "version" INTEGER NOT NULL DEFAULT 0;'
  equal "$(statements all/postgresql/0001_account_version.up.sql)" \
    'ALTER TABLE "account" ADD COLUMN "version" bigint NOT NULL DEFAULT 0;'
  equal "$(statements all/mysql/0001_account_version.up.sql)" \
    'ALTER TABLE `account` ADD COLUMN `version` BIGINT NOT NULL DEFAULT 0;'
  equal "$(statements all/mysql/0001_account_version.down.sql)" \
    'ALTER TABLE `account` DROP COLUMN `version`;'
  equal "$(head -n 1 all/mysql/0001_account_version.down.sql)" "-- Undoes 0001_account_version."

  run -0 dblock migrate new --version-column app.Account --column seen --dialect mysql --seq --dir all
  equal "${#lines[@]} ${lines[0]}" "2 all/mysql/0002_Account_version.up.sql"
  equal "$(statements "${lines[0]}")" \
    'ALTER TABLE `app`.`Account` ADD COLUMN `seen` BIGINT NOT NULL DEFAULT 0;'
  run -0 dblock migrate new optimistic --version-column _t --dialect postgresql --dir one --seq
  equal "$(statements one/0001_optimistic.up.sql)" \
    'ALTER TABLE "_t" ADD COLUMN "version" bigint NOT NULL DEFAULT 0;'
  run -0 dblock migrate new --version-column _t --dir one --seq
  contains "$(statements one/0002_t_version.up.sql)" 'INTEGER'
  run -0 dblock -u mariadb://nowhere/x migrate new --version-column t --dir one --seq
  contains "$(statements one/0003_t_version.up.sql)" '`version`'
  run -0 dblock migrate new plain --dialect mysql --dialect sqlite --dir all --seq
  equal "${#lines[@]} ${lines[0]}" "4 all/sqlite/0003_plain.up.sql"
}

@test "fence: the lock is the table's name or another one, whatever is in it" {
  run -0 --separate-stderr dblock migrate new --fence app.account --dir two --seq
  equal "${#lines[@]} ${lines[0]}" "4 two/postgresql/0001_account_fence.up.sql"
  grep -qF 'EXECUTE FUNCTION "app"."account_fence"('"'app.account')" "${lines[0]}"
  grep -qF 'FROM "public"."dblock_lock" l' "${lines[0]}"
  grep -qF 'DROP FUNCTION "app"."account_fence"();' "${lines[1]}"
  grep -qF 'CREATE PROCEDURE `app`.`account_fence`(' "${lines[2]}"
  grep -qF 'FROM `dblock_lock` l' "${lines[2]}"
  grep -qF 'DROP TRIGGER `app`.`account_fence_update`;' "${lines[3]}"

  run -0 dblock --prefix my_ --schema locks migrate new fenced --fence account --seq --dir two \
    --lock "it's; {lock} \$dblock\$ // ü"
  grep -qF "\"account_fence\"('it''s; {lock} \$dblock\$ // ü')" "${lines[0]}"
  grep -qF 'FROM "locks"."my_queue" q' "${lines[0]}"
  grep -qF "_utf8mb4'it''s; {lock} \$dblock\$ // ü')" "${lines[2]}"
  grep -qF 'FROM `locks`.`my_queue` q' "${lines[2]}"

  # The meaning of a backslash would depend on a setting.
  run -0 dblock migrate new --fence account --seq --dir two --lock "a\\'b"
  grep -qF "\"account_fence\"(E'a\\\\''b')" "${lines[0]}"
  grep -qF "CALL \`account_fence\`(X'615C2762')" "${lines[2]}"
}

@test "fence: names that are made of a long one fit, and differ" {
  local long name
  long=$(printf 'a%.0s' {1..61})
  dblock -q migrate new --fence "${long}xy" --dir two --seq >/dev/null
  dblock -q migrate new --fence "${long}xz" --dir two --seq >/dev/null
  grep -ohE '(FUNCTION|PROCEDURE|TRIGGER) ["`][a-z_0-9]+' two/*/*.up.sql | sed 's/.*["`]//' |
    sort -u >names
  equal "$(wc -l <names)" 10
  while read -r name; do
    [ ${#name} -le 64 ]
  done <names
  rm -r two
  refused "table '${long}xyz' is not an identifier; use 1 to 63" --fence "${long}xyz" \
    --dialect postgresql --dir new
}

@test "2: fence: not on SQLite, and what to do there" {
  rm -rf two
  refused "a trigger of SQLite cannot tell which connection writes" --fence account --dir new
  contains "$stderr" "call dblock_fence() in every transaction that writes"
  refused "--dialect postgresql or --dialect mysql" --fence account --dir all
  refused "a trigger of SQLite" --fence account --dir all --dialect sqlite --dialect mysql
  [ ! -e new ]
  run -0 dblock migrate new --fence account --dir all --dialect postgresql --dialect mysql --seq
  equal "${#lines[@]} ${lines[0]}" "4 all/postgresql/0001_account_fence.up.sql"
  run -0 dblock migrate new --fence account --dir new --dialect mysql
}

@test "2: what is no name" {
  local name
  for name in '' 'a b' 'a"b' 'a`b' "a'b" 'a;b' '1a' 'a.' '.a' 'a.b.c' 'a-b.c' 'tür'; do
    refused "is not an identifier" --fence "$name" --dir two
  done
  refused "table 'a b' is not" --version-column 'a b' --dir all
  refused "column 'a b' is not" --version-column a --column 'a b' --dir all
  refused "prefix 'a-' is not" --prefix a- --fence a --dir two
  refused "schema 'a.b' is not" --schema a.b --fence a --dir two
  for name in '' $'a\tb' $'a\nb' $'\x7f' $'\xc2\x85' $'\xff' "$(printf 'a%.0s' {1..256})"; do
    refused "is no name for a lock" --fence a --lock "$name" --dir two
  done
  refused "no name for a migration" 'a b' --version-column a --dir all
  run -2 --separate-stderr dblock --json migrate new --fence 'a b' --dir two
  json=$output
  equal "$(field ok) $(field error code)" "false DBLOCK_E_INVALID"
}

@test "2: options that do not go together, and folders that are not there" {
  refused "are two migrations" --version-column a --fence a
  refused "--column goes with --version-column" a --column b
  refused "--lock goes with --fence" a --lock b
  refused "NAME is missing" --dir all
  refused "there are sqlite, postgresql and mysql" a --dialect oracle --dir new
  refused "make new/mysql and new/postgresql" a --dialect mysql --dialect postgresql --dir new
  refused "no two/sqlite; make it" a --dialect mysql --dialect sqlite --dir two
  [ ! -e new ]
}

@test "nothing is overwritten: the next number" {
  dblock migrate new --fence account --dir two --seq
  cp -r two before
  run -0 dblock migrate new --fence account --dir two --seq
  equal "${lines[0]}" two/postgresql/0002_account_fence.up.sql
  rm two/*/0002_*
  diff -r two before
}
