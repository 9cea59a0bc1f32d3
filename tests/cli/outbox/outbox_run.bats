#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock outbox run: a command gets each message, and what it makes of it is its exit code.

setup_file() {
  load ../kit
  with_tables
}

setup() {
  load ../kit
  cd "$BATS_TEST_TMPDIR"
  sql 'DELETE FROM dblock_outbox'
  sql 'DELETE FROM dblock_outbox_failure'
}

teardown() {
  end_background
}

# waiting [KEY]: how many messages wait, of topic t.
waiting() {
  sql "SELECT count(*) FROM dblock_outbox WHERE topic = 't' AND msg_key LIKE '${1-%}'"
}

# failures [CONDITION]: how many keys have failed.
failures() {
  sql "SELECT count(*) FROM dblock_outbox_failure WHERE ${1-1 = 1}"
}

none_waits() {
  [ "$(waiting)" = 0 ]
}

parked() {
  [ "$(failures 'due IS NULL')" = 1 ]
}

# Prints the value under KEY... of line N of what came.
of_line() {
  sed -n "$1p" came | json_get "${@:2}"
}

@test "each message is one line of JSON, those of a key in their order, and is gone then" {
  HEADERS='{"h":1}' outbox_put t k '{"a": "é"}' $'two\nlines "q" \\' ''
  outbox_put t j x
  run -0 --separate-stderr dblock outbox run t --drain -- sh -c 'cat >>came'
  equal "$output$stderr" ""
  none_waits
  equal "$(wc -l <came)" 4
  equal "$(json_get <<<"$(grep '"key":"j"' came)" body)" x
  sed -i '/"key":"j"/d' came
  equal "$(of_line 1 topic) $(of_line 1 key) $(of_line 1 number) $(of_line 1 tries)" "t k 1 0"
  equal "$(of_line 1 body)" '{"a": "é"}'
  equal "$(of_line 1 headers)" '{"h":1}'
  equal "$(of_line 2 body)" $'two\nlines "q" \\'
  equal "$(of_line 3 number) $(of_line 3 body)" "3 "
  [[ $(of_line 1 put_at) == 20*Z ]]
  [ "$(of_line 1 token)" -gt 0 ]
  # Naive: a number of 63 bits, of which jq and JavaScript keep 53.
  contains "$(sed -n 1p came)" '"id":"'
}

@test "the environment: the message's, the database's, and nothing of a run around it" {
  outbox_put t 'a key' x
  local url=$DBLOCK_URL
  # shellcheck disable=SC2016 # the command's
  run -0 dblock run around -- env -u DBLOCK_URL dblock outbox run -u "$url" t --drain -- sh -c \
    'echo "$DBLOCK_TOPIC|$DBLOCK_KEY|$DBLOCK_NUMBER|$DBLOCK_URL|${DBLOCK_NAME-none}"
     [ "$DBLOCK_TOKEN" = "$(json_get token)" ]'
  [[ $output == "t|a key|"[0-9]*"|$url|none" ]]
  none_waits
}

@test "what a command does not read is no error" {
  local body
  body=$(head -c 100000 /dev/zero | tr '\0' x) # more than a pipe has room for
  outbox_put t k "$body" "$body"
  run -0 --separate-stderr dblock outbox run t --drain -- true
  equal "$stderr" ""
  none_waits
}

@test "75: nothing can be delivered now, and that is no try" {
  outbox_put t k x
  outbox_put t j x
  run -69 --separate-stderr dblock outbox run t --drain -- sh -c 'echo x >>tries; exit 75'
  contains "$stderr" "topic 't': nothing gets through: sh ended with exit status 75"
  equal "$(wc -l <tries)" 1
  equal "$(failures)" 0
  equal "$(waiting)" 2
}

@test "75: it goes on by itself once it can be delivered" {
  outbox_put t k x y
  background dblock outbox run t --pause 20ms -- sh -c 'echo x >>tries; test -e up || exit 75' 2>said
  wait_for grep -q "nothing is delivered now" said
  touch up
  wait_for none_waits
  equal "$(grep -c "nothing is delivered now" said)" 1
}

@test "65: never; its key is parked at once, and no other" {
  outbox_put t bad x y
  outbox_put t good x
  run -0 --separate-stderr dblock outbox run t --drain -- sh -c 'test "$DBLOCK_KEY" = good || exit 65'
  contains "$stderr" "topic 't', key 'bad', number 1: sh ended with exit status 65; it is parked"
  contains "$stderr" "dblock outbox retry t bad"
  equal "$(waiting good)" 0
  equal "$(waiting bad)" 2
  parked
}

@test "any other code: tried again, and parked after so many; retry wakes the relay" {
  outbox_put t "it's" x y
  background dblock outbox run t --tries 2 --pause 10ms --poll 1h -- sh -c \
    'echo "$DBLOCK_NUMBER" >>came; test -e up || exit 3' 2>said
  wait_for parked
  equal "$(cat came)" $'1\n1'
  [[ $(sed -n 1p said) =~ 'sh ended with exit status 3; it is tried again in '1[0-3]'ms (try 1 of 2)' ]]
  contains "$(sed -n 2p said)" 'it is parked, and what comes behind it waits: dblock outbox retry t "it'\''s"'
  touch up
  dblock outbox retry t "it's"
  wait_for none_waits
  equal "$(cat came)" $'1\n1\n1\n2'
  equal "$(failures)" 0
}

@test "ended by a signal: the try has failed" {
  outbox_put t k x
  run -0 --separate-stderr dblock outbox run t --drain --tries 1 -- sh -c 'ulimit -c 0; kill -SEGV $$'
  contains "$stderr" "sh was ended by signal 11 (Segmentation fault); it is parked"
  parked
}

@test "what cannot be started is an error of the call: no try, and the rest is left" {
  outbox_put t k x
  outbox_put t j x
  run -127 --separate-stderr dblock outbox run t --drain -- no-such-command
  equal "$stderr" "dblock: outbox run: no-such-command: No such file or directory"
  run -127 --separate-stderr dblock outbox run t -- 'jq . | cat'
  contains "$stderr" "a line for a shell wants sh -c before it"
  touch plain
  run -126 --separate-stderr dblock outbox run t -- ./plain
  equal "$stderr" "dblock: outbox run: ./plain: Permission denied"
  equal "$(failures)" 0
  equal "$(waiting)" 2
  # What the command itself ends with is another matter.
  run -0 --separate-stderr dblock outbox run t --drain -- sh -c 'exit 127'
  contains "$stderr" "sh ended with exit status 127"
  equal "$(failures)" 2
}

# The command says that it is up, and notes each signal.
listener='trap "echo $signal >>got; exit ${code-0}" "$signal"; echo >up; while :; do sleep 0.05; done'

@test "a signal is passed on once, the command is waited for, and its outcome counts" {
  local number
  export signal
  for signal in TERM INT; do
    rm -f up got
    outbox_put t k x
    outbox_put t j x
    background env --default-signal=INT dblock outbox run t -- sh -c "$listener" 2>said
    wait_for test -e up
    kill -s "$signal" "$started"
    ended "$started"
    number=$(kill -l "$signal")
    equal "$code" "$((128 + number))"
    equal "$(cat got)" "$signal"
    # One was delivered; no other was begun.
    equal "$(waiting)" 1
    equal "$(cat said)" ""
    sql 'DELETE FROM dblock_outbox'
  done
}

@test "a command that the signal ends has not failed; one that says so has" {
  export signal=TERM
  outbox_put t k x
  background dblock outbox run t -- sh -c 'echo >up; exec sleep 1000'
  wait_for test -e up
  kill -TERM "$started"
  ended "$started"
  equal "$code" 143
  equal "$(waiting) $(failures)" "1 0"
  rm up
  background env code=3 dblock outbox run t -- sh -c "$listener"
  wait_for test -e up
  kill -TERM "$started"
  ended "$started"
  equal "$code" 143
  equal "$(waiting) $(failures 'tries = 1')" "1 1"
}

@test "a signal that ends both, as a service's manager sends it: the message is not to blame" {
  outbox_put t k x
  background dblock outbox run t -- sh -c 'echo $$ >up.new; mv up.new up; exec sleep 1000'
  wait_for test -e up
  # The command is seen to have ended before the signal is.
  stop_between_writes "$started"
  kill -TERM "$(cat up)"
  kill -TERM "$started"
  kill -CONT "$started"
  ended "$started"
  equal "$code" 143
  equal "$(waiting) $(failures)" "1 0"
}

@test "a signal ends it while there is nothing to do" {
  background dblock outbox run t -- true
  wait_for takes_signals "$started"
  kill -TERM "$started"
  ended "$started"
  equal "$code" 143
}

@test "its end is the command's" {
  outbox_put t k x
  background dblock outbox run t -- sh -c 'echo $$ >pid.new; mv pid.new up; exec sleep 1000'
  wait_for test -e up
  ends_with_test "$(cat up)"
  kill -KILL "$started"
  gone() { ! alive "$(cat up)"; }
  wait_for gone
}

@test "a command that takes too long is ended, by force if need be" {
  outbox_put t k x
  run -0 --separate-stderr dblock outbox run t --drain --tries 1 --cmd-timeout 200ms -- sleep 1000
  contains "$stderr" "sleep was ended, as it took longer than 200ms; it is parked"
  dblock outbox retry t
  run -0 --separate-stderr dblock outbox run t --drain --tries 1 --cmd-timeout 200ms -- \
    sh -c 'trap "echo TERM >>got" TERM; while :; do sleep 0.1; done'
  equal "$(cat got)" TERM
  parked
}

@test "a commit is told to a relay that would not look" {
  background dblock outbox run t --poll 1h -- sh -c 'cat >>came'
  wait_for takes_signals "$started"
  outbox_put t k first
  wait_for none_waits
  outbox_put t k second
  wait_for none_waits
  equal "$(wc -l <came)" 2
}

@test "-q says only what needs somebody; with --json it is an object" {
  outbox_put t k x
  run -0 --separate-stderr dblock -q outbox run t --drain -- false
  equal "$stderr" ""
  dblock -q outbox retry t
  run -0 --separate-stderr dblock -q outbox run t --drain --tries 1 -- false
  contains "$stderr" parked
  dblock -q outbox retry t
  run -0 --separate-stderr dblock --json outbox run t --drain --tries 1 -- false
  equal "$(json_get command <<<"$stderr")" "outbox run"
  contains "$(json_get error <<<"$stderr")" "false ended with exit status 1; it is parked"
}

@test "what is wrong on the command line" {
  run -64 dblock outbox run
  contains "$output" "TOPIC is missing"
  run -64 dblock outbox run t
  contains "$output" "CMD is missing"
  run -64 dblock outbox run t -- ''
  contains "$output" "CMD is empty"
  run -64 dblock outbox run '' -- true
  contains "$output" "the topic is empty"
  run -64 dblock outbox run "$(printf 'x%.0s' {1..65})" -- true
  run -64 dblock outbox run t --tries 0 -- true
  run -64 dblock outbox run t --poll 10ms -- true
  contains "$output" "at least 1s"
  run -64 dblock outbox run t --pause-max 10ms -- true
  contains "$output" "--pause-max is shorter than --pause, which is 1s"
  run -64 dblock outbox run t --pause 1m --pause-max 59s -- true
  run -64 dblock -u "$DBLOCK_URL" -u "$DBLOCK_URL" outbox run t -- true
  contains "$output" "it is for one database"
}
