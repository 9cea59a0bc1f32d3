#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock global: what is left of transactions over several databases, and what a person says of it.

bats_require_minimum_version 1.5.0
load left

@test "ls: nothing; what was left, and what becomes of it; nothing is changed" {
  run -0 --separate-stderr dblock global ls
  equal "$output" ""
  contains "$stderr" "nothing is prepared"
  run -0 --separate-stderr dblock global ls --json
  equal "$output$stderr" ""
  leave "$home"
  run -0 dblock global ls
  contains "${lines[0]}" "STATE"
  contains "${lines[1]}" "$id"
  contains "${lines[1]}" "to be rolled back"
  sql "INSERT INTO dblock_decision VALUES ('$id', 1, 1, '$home', 1)"
  run -0 dblock global ls --json
  contains "$output" "\"id\":\"$id\""
  contains "$output" '"outcome":"to be committed"'
  fits global
  equal "$(sql 'SELECT count(*) FROM dblock_branch')" 0
  run -0 dblock recover
  contains "$output" "$id  committed"
}

@test "show: home, and each branch" {
  run -1 --separate-stderr dblock global show "$id"
  contains "$stderr" "$id: nothing is prepared"
  leave "$home"
  sql "INSERT INTO dblock_decision VALUES ('$id', 1, 2, '$home', 1)"
  run -0 dblock global show "$id"
  contains "$output" "id:       $id"
  contains "$output" "to be committed: the recovery commits it"
  contains "$output" "1       prepared  "
  contains "$output" "2       not seen  -"
  lacks "$output" "@"
  lacks "$output" "?"
  run -0 dblock global show "$id" --json
  contains "$output" '"number":1'
  contains "$output" '"state":"prepared"'
  contains "$output" '"home":"'
  fits global_shown
  run -64 dblock global show nonsense
  contains "$output" "id is 'nonsense'"
  sql "UPDATE dblock_decision SET parts = 1"
  run -0 dblock recover
}

@test "finish: only where home cannot know; and then it stands" {
  run -64 dblock global finish "$id"
  contains "$output" "--commit or --rollback"
  run -64 dblock global finish "$id" --commit --rollback
  run -1 --separate-stderr dblock global finish "$id" --commit
  contains "$stderr" "$id: nothing is prepared"
  leave "$home"
  run -64 dblock global finish "$id" --commit
  contains "$output" "its home has decided nothing, and forgotten nothing: it can only be rolled back"
  run -0 dblock global finish "$id" --rollback
  contains "$output" "$id  rolled back"
  equal "$(sql "SELECT state FROM dblock_decision WHERE id = '$id'")" 2
  # Who was told that nobody knows finds out.
  run -0 dblock global show "$id"
  contains "$output" "its home has written that it is never to be committed"
  run -1 dblock global finish "$id" --rollback
}

@test "finish: home was restored since" {
  leave "$home" 1000 0123456789abcdef0123456789abcdef
  run -1 dblock recover
  contains "$output" "in doubt"
  run -0 dblock global show "$id"
  contains "$output" "in doubt: its home was restored"
  run -0 dblock global finish "$id" --commit --json
  fits recovery
  contains "$output" '"outcome":"committed"'
  # And all of it is forgotten.
  run -0 --separate-stderr dblock global ls
  equal "$output" ""
  equal "$(sql 'SELECT count(*) FROM dblock_branch')" 0
  equal "$(sql 'SELECT count(*) FROM dblock_decision')" 0
}

@test "finish: home is gone" {
  leave 0123456789abcdef0123456789abcdef
  run -64 dblock global finish "$id" --rollback
  contains "$output" "it may know what was decided"
  run -0 dblock global show "$id"
  contains "$output" "none of these databases"
  run -0 dblock global finish "$id" --rollback --without-home
  contains "$output" "$id  rolled back"
  run -0 --separate-stderr dblock global ls
  equal "$output" ""
}

@test "as many databases as are given" {
  local i urls=()
  for i in 1 2 3 4 5 6 7 8 9 10 11 12; do urls+=(-u "$DBLOCK_URL"); done
  leave "$home"
  run -0 dblock recover "${urls[@]}"
  contains "$output" "$id  rolled back"
}
