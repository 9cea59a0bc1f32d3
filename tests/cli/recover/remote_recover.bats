#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock recover: transactions over several databases that were left. (Here both databases are one.)

bats_require_minimum_version 1.5.0

load left

@test "nothing was left" {
  run -0 --separate-stderr dblock recover
  equal "$output$stderr" ""
  run -0 --separate-stderr dblock recover --json
  equal "$output$stderr" ""
}

@test "nothing was decided: it is rolled back, and that is written down" {
  leave "$home"
  run -0 dblock recover
  equal "$output" "$id  rolled back  1 prepared  rolled back"
  equal "$(sql "SELECT state FROM dblock_decision WHERE id = '$id'")" 2
  equal "$(sql 'SELECT count(*) FROM dblock_branch')" 0
  run -0 dblock recover
  equal "$output" ""
}

@test "it was decided: it is committed, and forgotten" {
  leave "$home"
  sql "INSERT INTO dblock_decision VALUES ('$id', 1, 1, '$home', 1)"
  run -0 dblock recover --json
  contains "$output" "\"id\":\"$id\""
  fits recovery
  contains "$output" '"outcome":"committed"'
  equal "$(sql "SELECT count(*) FROM dblock_decision WHERE id = '$id'")" 0
  equal "$(sql 'SELECT count(*) FROM dblock_branch')" 0
}

@test "it goes on: it is left alone; and nobody guesses where its home is not given" {
  local now
  now=$(date +%s)
  leave "$home" "$now"
  run -0 dblock recover --grace 1h
  equal "$output" "$id  not yet  1 prepared  it has begun only now, and may go on"
  give_up "$home" "$now"
  leave 0123456789abcdef0123456789abcdef
  run -1 dblock recover
  contains "$output" "$id  in doubt  1 prepared  its home is not among the databases"
  give_up 0123456789abcdef0123456789abcdef
}

@test "one that cannot be reached: the others are finished, and that is told" {
  leave "$home"
  run -69 --separate-stderr dblock recover -u "$DBLOCK_URL" -u postgresql://127.0.0.1:1/x --call-timeout 1s
  contains "$output" "$id  rolled back"
  contains "$stderr" "127.0.0.1"
}

@test "from cron: several URLs in one variable, and little else" {
  leave "$home"
  run -0 --separate-stderr env -i DBLOCK_CONF= DBLOCK_URL="$DBLOCK_URL $DBLOCK_URL" "$(command -v dblock)" recover
  equal "$output$stderr" "$id  rolled back  1 prepared  rolled back"
}

@test "what somebody else has prepared is not touched" {
  sql "CREATE TABLE theirs (id int)"
  if [ "$DBLOCK_TEST_BACKEND" = postgresql ]; then
    sql "BEGIN; INSERT INTO theirs VALUES (1); PREPARE TRANSACTION 'dblock:somebody''s'"
  else
    sql "XA START 'dblock:somebody', 's'; INSERT INTO theirs VALUES (1);
      XA END 'dblock:somebody', 's'; XA PREPARE 'dblock:somebody', 's'"
  fi
  run -0 dblock recover
  equal "$output" ""
  if [ "$DBLOCK_TEST_BACKEND" = postgresql ]; then
    sql "COMMIT PREPARED 'dblock:somebody''s'"
  else
    sql "XA COMMIT 'dblock:somebody', 's'"
  fi
  equal "$(sql 'SELECT count(*) FROM theirs')" 1
}
