#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A file that goes on in the middle does so in another session: its settings of the first one are
# made again, or a person is told that they cannot be.

setup() {
  load migrate
  with_dir
  head=
  [ "$DBLOCK_TEST_BACKEND" = mysql ] || head='-- no-transaction
'
  case $DBLOCK_TEST_BACKEND in
  postgresql)
    setting="SET work_mem = '3MB'; SELECT pg_catalog.set_config('application_name', 'over', false)"
    shown="SELECT current_setting('work_mem') || current_setting('application_name')"
    said=3MBover
    ;;
  mysql)
    setting="SET SESSION group_concat_max_len = 77; SET @mine = 'over'"
    shown="SELECT CONCAT(@@SESSION.group_concat_max_len, @mine)"
    said=77over
    ;;
  esac
}

# Writes a file of four statements and a bad one in their middle; mend takes that out.
break_it() {
  up 0001_set "$head$setting; CREATE TABLE ${t}_said (x VARCHAR(80));
INSERT INTO ${t}_nowhere VALUES (1);
INSERT INTO ${t}_said $shown;"
  run -1 migrate up
  contains "$(states)" "1 failed"
}

mend() {
  sed -i "s/INSERT INTO ${t}_nowhere VALUES (1);/SELECT 1;/" "$dir/0001_set.up.sql"
}

@test "settings of the statements that are done are made again, and nothing else is" {
  break_it
  mend
  run -0 migrate up
  equal "$(sql "SELECT x FROM ${t}_said")" "$said"
}

@test "also in the script of plan --sql" {
  break_it
  mend
  migrate plan --sql >"$BATS_TEST_TMPDIR/script"
  client <"$BATS_TEST_TMPDIR/script" >/dev/null
  equal "$(sql "SELECT x FROM ${t}_said")" "$said"
  equal "$(states)" "1 applied"
}

@test "and on the way down" {
  up 0001_a "CREATE TABLE ${t}_said (x VARCHAR(80));"
  migrate up
  down 0001_a "$head$setting; CREATE TABLE ${t}_also (i INTEGER);
INSERT INTO ${t}_nowhere VALUES (1);
INSERT INTO ${t}_said $shown;"
  run -1 migrate down
  sed -i "s/INSERT INTO ${t}_nowhere VALUES (1);/SELECT 1;/" "$dir/0001_a.down.sql"
  run -0 migrate down
  equal "$(sql "SELECT x FROM ${t}_said")" "$said"
}

# A setting of the whole server stays, so it is not made twice.
@test "a setting that is not the session's own is not made again" {
  case $DBLOCK_TEST_BACKEND in
  postgresql) setting="$setting; SET LOCAL work_mem = '9MB'" ;;
  mysql)
    setting="SET GLOBAL max_error_count = 65; $setting"
    ;;
  esac
  break_it
  mend
  [ "$DBLOCK_TEST_BACKEND" != mysql ] || sql "SET GLOBAL max_error_count = 66"
  run -0 migrate up
  equal "$(sql "SELECT x FROM ${t}_said")" "$said"
  if [ "$DBLOCK_TEST_BACKEND" = mysql ]; then
    equal "$(sql "SELECT @@GLOBAL.max_error_count")" 66
    sql "SET GLOBAL max_error_count = DEFAULT"
  fi
}

@test "5: what cannot be made again" {
  setting="$setting; CREATE TEMPORARY TABLE ${t}_temp (i INTEGER)"
  break_it
  mend
  run -5 --separate-stderr migrate up
  contains "$stderr" ": statement 3 of 6: it made what only its session had"
  contains "$stderr" "
  CREATE TEMPORARY TABLE ${t}_temp (i INTEGER)
state: statements 1 to 4 stand; what that one made is gone
next:  "
  contains "$stderr" "repair 1 --applied --dir"
  equal "$(states)" "1 failed"
  run -5 migrate plan
  sql "INSERT INTO ${t}_said VALUES ('by hand')"
  run -0 migrate repair 1 --applied --yes
  run -0 migrate up
}

@test "1: a setting that is refused this time: it says so, and nothing of the rest is run" {
  local make drop
  case $DBLOCK_TEST_BACKEND in
  postgresql)
    make="CREATE TEXT SEARCH CONFIGURATION ${t}_c (COPY = simple)"
    drop="DROP TEXT SEARCH CONFIGURATION ${t}_c"
    setting="SET default_text_search_config = '${t}_c'; SELECT 1"
    ;;
  mysql)
    make="CREATE ROLE ${t}_role; GRANT ${t}_role TO CURRENT_USER()"
    drop="DROP ROLE ${t}_role"
    setting="SET ROLE ${t}_role; SET ROLE NONE"
    ;;
  esac
  sql "$make"
  shown="SELECT 'x'"
  break_it
  mend
  sql "$drop"
  run -1 --separate-stderr migrate up
  contains "$stderr" "this one was to be sent again for what it sets"
  contains "$stderr" "see that it can be done again, then run 'dblock migrate up --dir"
  equal "$(sql "SELECT count(*) FROM ${t}_said")" 0
  sql "$make"
  run -0 migrate up
  sql "$drop"
}
