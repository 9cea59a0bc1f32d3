#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The queue of those who wait: show and ls --waiters, tables and JSON.

setup_file() {
  load ../kit
  with_tables
}

setup() {
  load ../kit
  T=$BATS_TEST_TMPDIR
}

teardown() {
  end_background
}

# Succeeds when the program says that so many wait for a lock.
so_many_wait() {
  [ "$(number_of "$1" waiting)" = "$2" ]
}

# wait_in_queue NAME N OPTION...: starts the N-th process that waits for it; its keeper's pid is
# ${keeper_of[N]}. It is in the queue before this returns, and writes its number into $T/order.NAME
# when it has had the lock.
wait_in_queue() {
  local name=$1 n=$2
  shift 2
  background dblock run "$name" --value "waiter $n" "$@" -- sh -c 'echo "$1" >>"$2"' - "$n" "$T/order"
  waiting[n]=$started
  wait_for so_many_wait "$name" "$n"
  keeper_of[n]=$(json "$name" queue $((n - 1)) pid)
  ends_with_test "${keeper_of[n]}"
}

# Prints the value of `show --json NAME` at that place.
json() {
  dblock --json show -- "$1" | json_get "${@:2}"
}

# Does the same with the N-th line of `ls --waiters --json`.
ls_json() {
  dblock --json ls --waiters "$1" | sed -n "$2p" | json_get "${@:3}"
}

time='[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}[+-][0-9]{2}:[0-9]{2}'
age='[0-9][0-9.hms]*'

@test "show prints the line below the holder, by place, aligned; it is served in this order" {
  local i n
  hold line
  for n in 1 2 3; do
    wait_in_queue line "$n"
  done
  run -0 --separate-stderr dblock show line
  equal "$stderr" ""
  for ((i = 0; i < ${#lines[@]}; i++)); do
    [[ ${lines[i]} =~ ^PLACE ]] && break
  done
  equal "${#lines[@]}" $((i + 4))
  [[ ${lines[i]} =~ ^PLACE\ +BY\ +APP\ +SINCE\ +FOR\ +SESSION\ +VALUE$ ]]
  local head=${lines[i]%%VALUE*} age_at=${lines[i]%%SINCE*}
  for n in 1 2 3; do
    [[ ${lines[i + n]} =~ ^$n\ +[^\ ]+:${keeper_of[n]}\ +dblock\ +$time\ +$age\ +alive\ +waiter\ $n$ ]]
    equal "${lines[i + n]:${#head}}" "waiter $n"
    [[ ${lines[i + n]:${#age_at}} =~ ^$time ]]
  done
  kill -TERM "$holder"
  for n in 1 2 3; do
    ended "${waiting[n]}"
    equal "$code" 0
  done
  equal "$(tr '\n' ' ' <"$T/order")" "1 2 3 "
  run -0 dblock show line
  lacks "$output" PLACE
}

@test "show --json: the line is an array of the lock's object" {
  hold json --value 'what for'
  equal "$(json json waiting)" 0
  equal "$(json json queue '#')" 0
  wait_in_queue json 1
  wait_in_queue json 2 --lease 90s
  equal "$(json json name) $(json json held) $(json json value)" "json session what for"
  equal "$(json json pid)" "$keeper"
  equal "$(json json waiting)" 2
  equal "$(json json queue '#')" 2
  equal "$(json json queue 0 place) $(json json queue 1 place)" "1 2"
  equal "$(json json queue 1 name) $(json json queue 1 value)" "json waiter 2"
  equal "$(json json queue 1 host)" "$(uname -n)"
  equal "$(json json queue 1 app) $(json json queue 1 session_state)" "dblock alive"
  equal "$(json json queue 0 lease_ms) $(json json queue 1 lease_ms)" "null 90000"
  [ "$(json json queue 0 ticket)" -lt "$(json json queue 1 ticket)" ]
  [[ $(json json queue 0 session) =~ ^[0-9a-f]{32}$ ]]
  [[ $(json json queue 0 since) =~ ^[0-9-]{10}T[0-9:]{8}\.[0-9]{6}Z$ ]]
  # The database's clock runs on this very machine.
  local us now
  us=$(json json queue 0 since_us)
  now=$(now_ms)
  ((us / 1000 <= now + 5000 && us / 1000 > now - 3600000))
  # The second waiter is asked for first: it still waits when the first one is asked for.
  local second
  second=$(json json queue 1 waiting_ms)
  [ "$(json json queue 0 waiting_ms)" -ge "$second" ]
}

@test "ls --waiters: one line for each, by name and place; patterns" {
  hold many-b
  hold many-a
  wait_in_queue many-b 1
  wait_in_queue many-b 2
  local first=${keeper_of[1]} second=${keeper_of[2]}
  wait_in_queue many-a 1
  run -0 --separate-stderr dblock ls --waiters 'many*'
  equal "$stderr" ""
  equal "${#lines[@]}" 4
  [[ ${lines[0]} =~ ^NAME\ +PLACE\ +BY\ +APP\ +SINCE\ +FOR\ +SESSION$ ]]
  [[ ${lines[1]} =~ ^many-a\ +1\ +[^\ ]+:${keeper_of[1]}\ +dblock\ +$time\ +$age\ +alive$ ]]
  [[ ${lines[2]} =~ ^many-b\ +1\ +[^\ ]+:$first\ +dblock\ +$time\ +$age\ +alive$ ]]
  [[ ${lines[3]} =~ ^many-b\ +2\ +[^\ ]+:$second\ +dblock\ +$time\ +$age\ +alive$ ]]
  run -0 dblock ls --waiters 'many-?'
  equal "${#lines[@]}" 4
  run -0 dblock ls --waiters many-b
  equal "${#lines[@]}" 3
  equal "$(dblock --json ls --waiters 'many*' | wc -l)" 3
  equal "$(ls_json 'many*' 1 name) $(ls_json 'many*' 1 place)" "many-a 1"
  equal "$(ls_json 'many*' 3 name) $(ls_json 'many*' 3 place)" "many-b 2"
  equal "$(ls_json 'many*' 3 pid)" "$second"
  # Holders have their own list, as before.
  run -0 dblock ls 'many*'
  equal "${#lines[@]}" 3
  equal "$(dblock --json ls many-b | json_get waiting)" 2
}

@test "ls --waiters: nobody waits is no error; -a does not go with it" {
  hold alone
  run -0 --separate-stderr dblock ls --waiters alone
  equal "$output" ""
  contains "$stderr" "dblock: ls: nobody waits"
  run -0 --separate-stderr dblock -q ls --waiters alone
  equal "$output$stderr" ""
  run -0 --separate-stderr dblock --json ls --waiters alone
  equal "$output$stderr" ""
  run -64 --separate-stderr dblock ls --waiters -a
  contains "$stderr" "--waiters"
}

@test "who is killed while it waits keeps no place once its session is dead" {
  hold killed
  wait_in_queue killed 1 --ttl 1h
  wait_in_queue killed 2
  kill -KILL "${keeper_of[1]}"
  equal "$(json killed queue 0 session_state) $(json killed queue 0 place)" "alive 1"
  local id
  id=$(json killed queue 0 session)
  sql "UPDATE dblock_session SET dead = true WHERE id = '$id'"
  equal "$(json killed queue 0 session_state) $(json killed queue 0 place)" "dead 0"
  equal "$(json killed queue 1 session_state) $(json killed queue 1 place)" "alive 1"
  equal "$(json killed waiting)" 1
  run -0 dblock ls --waiters killed
  [[ ${lines[1]} =~ ^killed\ +-\ .*\ dead$ ]]
  [[ ${lines[2]} =~ ^killed\ +1\ .*\ alive$ ]]
  sql "DELETE FROM dblock_session WHERE id = '$id'"
  run -0 dblock ls --waiters killed
  [[ ${lines[1]} =~ ^killed\ +-\ +-\ +-\ .*\ missing$ ]]
  kill -TERM "$holder"
  ended "${waiting[2]}"
  equal "$code" 0
}

@test "names and texts of others do not break the table" {
  local i name at
  # Each name has the same width in columns, and none moves the cursor.
  for name in 'odd 😀' 'odd 日' 'odd   ' $'odd e\xcc\x81 '; do
    hold "$name"
    wait_in_queue "$name" 1 --value $'red \e[31m bell \a \xe2\x80\xae'
  done
  run -0 dblock ls --waiters 'odd*'
  equal "${#lines[@]}" 5
  # 日 has one character and two columns, 😀 the same; the accent one and none.
  at=${lines[0]%%PLACE*}
  equal "${#at}" 8
  for i in 1 2 3 4; do
    [[ ${lines[i]} =~ ^odd\ .*\ \ 1\ +[^\ ]+:[0-9]+\ +dblock\ +$time\ +$age\ +alive$ ]]
    name=${lines[i]%%  1  *}
    lacks "${lines[i]}" $'\e'
  done
  run -0 dblock show 'odd 😀'
  contains "$output" 'red \x1B[31m bell \x07 \xE2\x80\xAE'
  # No client would have taken the first name, and one has taken the second: only the bytes differ.
  sql "UPDATE dblock_session SET app = 'a
b'"
  run -0 dblock ls --waiters 'odd*'
  equal "${#lines[@]}" 5
  contains "${lines[1]}" 'a\x0Ab'
}

@test "without a terminal nothing is said while it waits" {
  hold mute
  background dblock run mute -- true 2>"$T/err" >"$T/out"
  local pid=$started
  wait_for so_many_wait mute 1
  waits_long() {
    [ "$(json mute queue 0 waiting_ms)" -gt 1500 ]
  }
  wait_for waits_long
  kill -TERM "$holder"
  ended "$pid"
  equal "$code" 0
  equal "$(cat "$T/err" "$T/out")" ""
}

@test "--unfair takes what is free past who is in line; then it is his turn" {
  local ticket='' number=''
  dblock run unfair -- true
  hold other
  # The row is in the queue by the living session of another lock; on SQLite the one who joins makes
  # the ticket.
  if [ "$DBLOCK_TEST_BACKEND" = sqlite ]; then
    ticket='ticket,' number='1,'
  fi
  sql "INSERT INTO dblock_queue ($ticket name, nonce, session, thread, bell, since)
    SELECT $number 'unfair', 77, session, 1, '', 0 FROM dblock_lock WHERE name = 'other'"
  sql "UPDATE dblock_lock SET queued = true, queue_version = queue_version + 1 WHERE name = 'unfair'"
  run -0 dblock run -n --unfair unfair -- true
  run -75 dblock run -n --unfair unfair -- true
  equal "$(json unfair pid)" "$keeper"
}
