#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock run: the habits of flock(1).

setup_file() {
  load ../kit
  with_tables
}

setup() {
  load ../kit
}

teardown() {
  end_background
}

@test "the command's output, input and exit code are passed through, and nothing else" {
  run -0 --separate-stderr sh -c 'echo hello | dblock run io -- cat'
  equal "$output" hello
  equal "$stderr" ""
  run -3 dblock run io -- sh -c 'exit 3'
  run -255 dblock run io -- sh -c 'exit 255'
}

@test "-- may be left out; the command's own options are left alone" {
  run -0 dblock run words printf '%s,' -n -w --json -- -q
  equal "$output" "-n,-w,--json,--,-q,"
  run -0 dblock run words -n -- printf '%s,' -n -- -E
  equal "$output" "-n,--,-E,"
  run -0 dblock run -n words printf '%s' -n
  equal "$output" "-n"
}

@test "global options may stand behind the command's name" {
  run -0 env -u DBLOCK_URL dblock run -u "$DBLOCK_TEST_URL" behind -q -- echo yes
  equal "$output" yes
}

@test "-u goes before DBLOCK_URL" {
  run -0 env DBLOCK_URL=nonsense: dblock -u "$DBLOCK_TEST_URL" run url -- echo yes
  equal "$output" yes
  run -64 env DBLOCK_URL=nonsense: dblock run url -- echo yes
}

@test "the child learns name and token" {
  run -0 dblock run "it's 100% \\ 😀" -- sh -c 'echo "$DBLOCK_NAME"; echo "$DBLOCK_TOKEN"'
  equal "${lines[0]}" "it's 100% \\ 😀"
  [[ ${lines[1]} =~ ^[1-9][0-9]*$ ]]
  equal "${lines[1]}" "$(token_of "it's 100% \\ 😀")"
}

@test "a run inside a run has its own name and token" {
  run -0 dblock run outer -- dblock run inner -- sh -c 'env | grep -c ^DBLOCK_NAME; echo "$DBLOCK_NAME"'
  equal "${lines[0]}" 1
  equal "${lines[1]}" inner
}

@test "the lock is held while the command runs, and free after it" {
  run -0 dblock run during -- sh -c 'dblock run -n during -- true; echo $?; dblock ls'
  contains "$output" "75"
  contains "$output" "during  session"
  is_free during
}

@test "tokens grow from grant to grant" {
  local first second
  first=$(dblock run grows -- sh -c 'echo $DBLOCK_TOKEN')
  second=$(dblock run grows -- sh -c 'echo $DBLOCK_TOKEN')
  ((second > first))
}

@test "-n: 75 at once, and who holds it" {
  hold taken
  run -75 --separate-stderr dblock run -n taken -- echo no
  equal "$output" ""
  contains "$stderr" "dblock: run: "
  contains "$stderr" "taken"
  contains "$stderr" "$keeper"
  equal "${#stderr_lines[@]}" 1
  run -75 --separate-stderr dblock run -w 0 taken -- echo no
  equal "$output" ""
  run -75 --separate-stderr dblock -q run -n taken -- echo no
  equal "$output$stderr" ""
}

@test "-w: waits so long, no longer" {
  hold awaited
  local before after
  before=$(now_ms)
  run -75 --separate-stderr dblock run -w 700ms awaited -- echo no
  after=$(now_ms)
  equal "$output" ""
  contains "$stderr" "awaited"
  ((after - before >= 700))
  ((after - before < 20000 * ${DBLOCK_TEST_SLOWNESS-1}))
}

@test "-w: gets it when it is released in time" {
  hold freed
  background dblock run -w "$(slowly 60)" freed -- touch "$BATS_TEST_TMPDIR/ran"
  local waiter=$started
  kill -TERM "$holder"
  ended "$waiter"
  equal "$code" 0
  [ -e "$BATS_TEST_TMPDIR/ran" ]
}

@test "-E: another exit code for busy, and for nothing else" {
  hold coded
  run -9 dblock run -n -E 9 coded -- true
  run -0 dblock run -w 100ms -E 0 coded -- false
  run -1 dblock run -n -E 9 uncoded -- false
  run -64 dblock -u nonsense: run -n -E 9 coded -- true
}

@test "127: not found; the lock is released" {
  run -127 --separate-stderr dblock run notfound -- no-such-command-at-all
  equal "$output" ""
  contains "$stderr" "dblock: run: no-such-command-at-all: "
  is_free notfound
  run -127 dblock run notfound -- "$BATS_TEST_TMPDIR/no/such/file"
  is_free notfound
}

@test "126: not executable; the lock is released" {
  echo 'exit 0' >"$BATS_TEST_TMPDIR/plain"
  run -126 --separate-stderr dblock run notexec -- "$BATS_TEST_TMPDIR/plain"
  contains "$stderr" "$BATS_TEST_TMPDIR/plain"
  is_free notexec
  run -126 dblock run notexec -- "$BATS_TEST_TMPDIR"
  is_free notexec
}

@test "a script without #! runs as it does in a shell" {
  echo 'echo from "$DBLOCK_NAME"' >"$BATS_TEST_TMPDIR/script"
  chmod +x "$BATS_TEST_TMPDIR/script"
  run -0 dblock run script -- "$BATS_TEST_TMPDIR/script"
  equal "$output" "from script"
}

@test "the child inherits no connection and no signal mask of ours, and of files only what keeps the lock" {
  local what='ls /proc/self/fd; grep -E "^Sig(Blk|Ign)" /proc/self/status'
  local plain under
  plain=$(sh -c "$what" 3>&-)
  under=$(dblock run clean -- sh -c "$what" 3>&-)
  equal "$(grep -vx 200 <<<"$under")" "$plain"
}

@test "--at-least keeps the name taken after the command has ended" {
  dblock run --at-least 1m kept -- true
  run -75 dblock run -n kept -- true
  run -0 dblock show kept
  contains "$output" "kept taken"
  dblock run --at-least 1s briefly -- true
  wait_for is_free briefly
}

@test "--value is shown" {
  run -0 dblock run --value "build 17, it's ✓" valued -- dblock show valued
  contains "$output" "build 17, it's ✓"
  run -64 dblock run --value "$(printf '%1025s' x)" valued -- true
  run -0 dblock run --value "$(printf '%1024s' x)" valued -- true
}

@test "a lease that ends before the command is a lost lock: 76" {
  run -76 --separate-stderr dblock run --lease 500ms short -- \
    sh -c 'until dblock -q run -n short -- true; do sleep 0.05; done'
  contains "$stderr" "dblock: run: lock 'short' was lost while the command ran"
}

@test "a lock broken while the command runs is lost: 76" {
  run -76 --separate-stderr dblock run broken -- dblock break broken
  contains "$stderr" "lock 'broken' was lost while the command ran: "
}

@test "a loss that only the release finds: 76, but the command's own failure goes first" {
  local own
  for own in 0:76 3:3; do
    rm -f "$BATS_TEST_TMPDIR/end" "$BATS_TEST_TMPDIR/up"
    background dblock run erased --ttl 10m -- \
      sh -c 'echo up >"$1/up"; until [ -e "$1/end" ]; do sleep 0.05; done; exit "$2"' - \
      "$BATS_TEST_TMPDIR" "${own%:*}" 2>"$BATS_TEST_TMPDIR/err"
    wait_for test -s "$BATS_TEST_TMPDIR/up"
    sql "DELETE FROM dblock_lock WHERE name = 'erased'"
    touch "$BATS_TEST_TMPDIR/end"
    ended "$started"
    equal "$code" "${own#*:}"
    contains "$(cat "$BATS_TEST_TMPDIR/err")" "lock 'erased' was lost while the command ran: "
  done
}

@test "bad names: 64, and the command does not run" {
  local name
  for name in $'a\nb' $'\x01' $'\x7f' $'\xc2\x85' $'\xff' $'\xc0\x80' $'\xed\xa0\x80' \
    "$(printf '%256s' x | tr ' ' x)"; do
    run -64 --separate-stderr dblock run "$name" -- touch "$BATS_TEST_TMPDIR/ran"
    contains "$stderr" "dblock: run: "
    [ ! -e "$BATS_TEST_TMPDIR/ran" ]
  done
}
