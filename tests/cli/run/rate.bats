#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock run --rate: a command as often as a rate allows; dblock rate: what is used of rates.

setup_file() {
  load ../kit
  with_tables
}

setup() {
  load ../kit
  sql 'DELETE FROM dblock_rate'
}

teardown() {
  end_background
}

# The one number of that name in what `rate ls` prints for a rate.
of_rate() {
  dblock --json rate ls | grep "\"name\":\"$1\"" | sed -nE "s/.*\"$2\":(-?[0-9]+).*/\1/p"
}

is_booked() {
  [ "$(of_rate "$1" booked)" = "$2" ]
}

@test "as often as it says, and then not" {
  run -0 --separate-stderr dblock run -n --rate 2/day,burst=2 r -- sh -c 'echo "$DBLOCK_NAME"; exit 0'
  equal "$output" r
  equal "$stderr" ""
  run -3 dblock run -n --rate 2/day,burst=2 r -- sh -c 'exit 3'
  run -75 --separate-stderr dblock run -n --rate 2/day,burst=2 r -- echo no
  equal "$output" ""
  contains "$stderr" "'r': the rate of 2 in 86400 s is used up; the turn of this call is in 43"
  run -0 dblock run -n -E 0 --rate 2/day,burst=2 r -- echo no
  equal "$(grep -c '^no$' <<<"$output")" 0
  run -75 dblock run -w 5m --rate 2/day,burst=2 r -- echo no
  run -0 dblock run -n --rate 1/day other -- true
}

@test "no lock is held, and a lock of that name does not matter" {
  dblock acquire r --lease 1h
  run -0 dblock run -n --rate 1/day r -- dblock run -n inner -c 'dblock ls'
  contains "$output" inner
  run -75 dblock run -n r -- true
}

@test "who waits has his turn" {
  local begun
  begun=$(now_ms)
  for _ in 1 2 3 4; do
    run -0 dblock run --rate 10/s r -- true
  done
  [ $(($(now_ms) - begun)) -ge 300 ]
  run -0 --separate-stderr dblock run --verbose --rate 10/s r -c 'true'
  [[ $stderr =~ "rate 'r' allowed it after "[0-9]+\.[0-9]{6}" s" ]]
}

@test "a signal ends the wait, and gives the turn back" {
  dblock run --rate 1/day r -- true
  background dblock run --rate 1/day r -- true
  wait_for is_booked r 1
  kill -TERM "$started"
  ended "$started"
  equal "$code" 143
  is_booked r 0
}

@test "the command is dblock's own process, with its signals and its exit code" {
  run -0 --separate-stderr sh -c 'dblock run --rate 1/s r -- sh -c "echo \$PPID; echo \$\$" & echo $!; wait $!'
  equal "$(sort -u <<<"$output" | wc -l)" 2
  run -143 dblock run --rate 9/s r -- sh -c 'kill -TERM $$'
  run -127 --separate-stderr dblock run --rate 9/s r -- no-such-command
  contains "$stderr" "'no-such-command' cannot be executed"
  run -126 dblock run --rate 9/s r -- /
}

@test "what is wrong is said" {
  local wrong
  for wrong in 5 5/ /s 5/fortnight 5/0s -1/s 1.5/s 5/s,burst 5/s,burst= 5/s,burst=1x 5/s,bust=2 99999999999999999999/s; do
    run -64 dblock run --rate "$wrong" r -- true
    contains "$output" "'$wrong' is not N/PERIOD, as in 10/min"
  done
  run -64 dblock run --rate 0/s r -- true
  contains "$output" "rate is 0; it must be between 1 and"
  run -64 dblock run --rate 1/s,burst=0 r -- true
  contains "$output" "burst is 0"
  equal "$(sql 'SELECT count(*) FROM dblock_rate')" 0
}

@test "options about a lock are refused" {
  local option
  for option in '-a x' '--any x,y' '--once x' -x -s --update '-p 1/2' --unfair '--lease 1h' '--at-least 1s' '--value x' \
    '--settle 1s' --park '--ttl 1s' '--kill-after 1s' '--on-request HUP' -o; do
    # shellcheck disable=SC2086 # an option, and its value
    run -64 dblock run --rate 1/s $option r -- true
    contains "$output" "do not go together: with --rate no lock is held"
  done
  run -64 dblock -u sqlite:a -u sqlite:b run --rate 1/s r -- true
  contains "$output" "a rate is in one database"
}

@test "what is used can be seen, and forgotten" {
  run -0 --separate-stderr dblock rate ls
  equal "$output" ""
  contains "$stderr" "nothing is taken of any rate"
  run -1 dblock rate reset r
  contains "$output" "'r': nothing was taken of a rate of that name"
  dblock run --rate 3/h,burst=3 r -- true
  run -0 dblock rate ls
  equal "${lines[0]}" "NAME  RATE  BURST  LEFT  BOOKED  FULL       LAST"
  [[ ${lines[1]} =~ ^"r     3/1h  3      2     0       in 1"[0-9]m ]]
  run -0 --separate-stderr dblock rate reset r
  equal "$output$stderr" ""
  equal "$(dblock -q rate ls)" ""
}
