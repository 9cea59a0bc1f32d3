#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# run and acquire in each mode; what ls, show and the others say of it.

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

json() {
  dblock --json show -- "$1" | json_get "${@:2}"
}

so_many_wait() {
  [ "$(json "$1" waiting)" = "$2" ]
}

# Each of these is had at once.
together() {
  local name=$1 option
  shift
  for option; do
    # shellcheck disable=SC2086 # an option and its value
    dblock run -n "$name" $option -- true
  done
}

# Each of these would have to wait.
apart() {
  local name=$1 option
  shift
  for option; do
    # shellcheck disable=SC2086
    run -75 --separate-stderr dblock run -n "$name" $option -- true
    contains "$stderr" "'$name' is held by host $(uname -n)"
  done
}

@test "run: who goes together with whom" {
  hold alone
  apart alone "" -s --update
  hold shared -s
  together shared -s --shared --update
  apart shared ""
  hold update --update
  together update -s
  apart update --update ""
  hold permits -p 3/5
  together permits "-p 1/5" "--permits 2/5"
  apart permits "-p 3/5" "-p 5/5"
}

@test "a name keeps its kind while it is in use: 64, and the message says which" {
  local token
  token=$(dblock acquire kind -p 1/5 --lease 1h)
  run -64 --separate-stderr dblock run -n kind -p 1/6 -- true
  contains "$stderr" "semaphore of 5"
  run -64 --separate-stderr dblock run -n kind -s -- true
  contains "$stderr" "semaphore of 5"
  run -64 --separate-stderr dblock run -n kind -- true
  contains "$stderr" "semaphore of 5"
  run -64 --separate-stderr dblock run kind -- true
  contains "$stderr" "semaphore of 5"
  dblock release kind "$token"
  hold kind -s
  run -64 --separate-stderr dblock run kind -p 1/5 -- true
  contains "$stderr" "without permits"
}

@test "options that do not go together are named, both; so is what a number of permits lacks" {
  local pair
  for pair in "-s -p1/2" "--unfair -s" "--update --unfair" "-p 1/2 --unfair" "--shared --update" \
    "--update --permits=1/2"; do
    # shellcheck disable=SC2086
    run -64 --separate-stderr dblock run bad $pair -- true
    contains "$stderr" "do not go together"
    # shellcheck disable=SC2086
    run -64 --separate-stderr dblock acquire bad --lease 1m $pair
  done
  run -64 --separate-stderr dblock run -s -p 1/2 bad -- true
  contains "$stderr" "--shared and --permits do not go together"
  run -64 --separate-stderr dblock run --unfair --shared bad -- true
  contains "$stderr" "--shared and --unfair do not go together"
  run -64 --separate-stderr dblock run --once today --update bad -- true
  contains "$stderr" "--update and --once do not go together"
  run -64 --separate-stderr dblock run -p 3 bad -- true
  contains "$stderr" "write 3/CAP"
  run -64 --separate-stderr dblock run -p 3/2 bad -- true
  contains "$stderr" "more than there are"
  local text
  for text in '' / 1/ /5 0/5 1/0 -1/5 1/-5 1.5/2 ' 1/2' '1/2 ' 1/2/3 x/y 0x1/2 99999999999999999999/5; do
    run -64 --separate-stderr dblock run -p "$text" bad -- true
    contains "$stderr" "--permits: '$text'"
  done
  run -1 dblock show bad
}

@test "acquire, renew and release by token, in each mode" {
  local option first second
  local -A too_much=([-s]='' ['-p 2/4']='-p 3/4')
  for option in -s "-p 2/4"; do
    # shellcheck disable=SC2086
    first=$(dblock acquire by-token $option --lease 10m)
    # shellcheck disable=SC2086
    second=$(dblock acquire by-token $option --lease 10m)
    ((second > first))
    run -0 --separate-stderr dblock renew by-token "$first" --lease 1h
    equal "$output$stderr" ""
    (($(json by-token holders 0 left_ms) > 30 * 60 * 1000))
    (($(json by-token holders 1 left_ms) <= 10 * 60 * 1000))
    run -1 dblock renew by-token $((first - 1)) --lease 1h
    run -0 --separate-stderr dblock release by-token "$first"
    equal "$output$stderr" ""
    equal "$(json by-token holders '#')" 1
    run -1 dblock release by-token "$first"
    run -1 dblock renew by-token "$first" --lease 1h
    equal "$(token_of by-token)" "$second"
    # shellcheck disable=SC2086
    run -75 dblock run -n by-token ${too_much[$option]} -- true
    dblock release by-token "$second"
    is_free by-token
  done
  first=$(dblock acquire ends --update --lease 300ms)
  wait_for is_free ends
  run -1 dblock release ends "$first"
}

@test "ls: a line for each holder; MODE is there only where it says something" {
  local first second
  dblock acquire ls-a --lease 1h
  run -0 dblock ls 'ls-*'
  [[ ${lines[0]} =~ ^NAME\ +HELD\ +BY\ +TOKEN\ +SINCE\ +UNTIL\ +LEFT$ ]]
  first=$(dblock acquire ls-b -s --lease 1h)
  second=$(dblock acquire ls-b --update --lease 1h)
  dblock acquire ls-c -p 3/10 --lease 1h
  run -0 dblock ls 'ls-*'
  equal "${#lines[@]}" 5
  [[ ${lines[0]} =~ ^NAME\ +HELD\ +BY\ +TOKEN\ +SINCE\ +UNTIL\ +LEFT\ +MODE$ ]]
  [[ ${lines[1]} =~ ^ls-a\ +lease\ .*\ exclusive$ ]]
  [[ ${lines[2]} =~ ^ls-b\ +lease\ .*\ $first\ .*\ shared$ ]]
  [[ ${lines[3]} =~ ^ls-b\ +lease\ .*\ $second\ .*\ update$ ]]
  [[ ${lines[4]} =~ ^ls-c\ +lease\ .*\ 3\ of\ 10$ ]]
  local at=${lines[0]%%MODE*}
  equal "${lines[4]:${#at}}" "3 of 10"
  run -0 dblock ls ls-a
  lacks "$output" MODE
  dblock --json ls 'ls-*' >"$T/out"
  equal "$(wc -l <"$T/out")" 4
  contains "$(sed -n 1p "$T/out")" '"mode":"exclusive","permits":null,"capacity":null,'
  contains "$(sed -n 3p "$T/out")" '"mode":"update","permits":null,"capacity":null,'
  contains "$(sed -n 4p "$T/out")" '"mode":"permits","permits":3,"capacity":10,'
}

@test "show: each holder, then the line, and how each wants it" {
  local first second
  first=$(dblock acquire show -s --lease 1h --value 'reader one')
  second=$(dblock acquire show --update --lease 1h)
  background dblock run show --value writer -- true
  wait_for so_many_wait show 1
  background dblock run show -s -- true
  wait_for so_many_wait show 2
  background dblock run show --update -- true
  wait_for so_many_wait show 3
  run -0 --separate-stderr dblock show show
  equal "$(grep -c '^name:     show$' <<<"$output")" 2
  equal "$(sed -n 's/^mode: *//p' <<<"$output" | tr '\n' ' ')" "shared update "
  equal "$(sed -n 's/^token: *//p' <<<"$output" | tr '\n' ' ')" "$first $second "
  [[ $output =~ PLACE\ .*\ SESSION\ +MODE\ +VALUE ]]
  [[ $output =~ 1\ [^$'\n']*alive\ +exclusive\ +writer ]]
  [[ $output =~ 3\ [^$'\n']*alive\ +update ]]
  run -0 dblock ls --waiters show
  [[ ${lines[0]} =~ ^NAME\ .*\ SESSION\ +MODE$ ]]
  [[ ${lines[2]} =~ \ alive\ +shared$ ]]
  equal "$(json show token) $(json show mode)" "$first shared"
  equal "$(json show holders '#') $(json show queue '#')" "2 3"
  equal "$(json show holders 0 value) $(json show holders 1 token)" "reader one $second"
  equal "$(json show holders 1 mode) $(json show queue 0 mode) $(json show queue 2 mode)" \
    "update exclusive update"
  equal "$(json show queue 0 permits)" null
}

@test "show of permits; of a name that is free" {
  dblock acquire pool -p 3/10 --lease 1h
  contains "$(dblock show pool)" "permits:  3 of 10"
  background dblock run pool -p 8/10 -- true
  wait_for so_many_wait pool 1
  [[ $(dblock show pool) =~ alive\ +8\ of\ 10 ]]
  equal "$(json pool queue 0 mode) $(json pool queue 0 permits) $(json pool queue 0 capacity)" \
    "permits 8 10"
  dblock run once -s -- true
  contains "$(dblock show once)" "held:     no"
  lacks "$(dblock show once)" "mode:"
  equal "$(json once mode) $(json once holders '#')" "null 0"
}

@test "break: all holders, or the one with that token; who is in line gets it" {
  local first second
  first=$(dblock acquire broken -s --lease 1h)
  second=$(dblock acquire broken -s --lease 1h)
  run -0 --separate-stderr dblock break broken --token "$first"
  equal "$output$stderr" ""
  run -1 --separate-stderr dblock break broken --token "$first"
  contains "$stderr" "'broken' is not held by the grant with token $first"
  equal "$(json broken holders '#') $(token_of broken)" "1 $second"
  dblock acquire broken -s --lease 1h
  background dblock run broken -- true
  local waiting=$started
  wait_for so_many_wait broken 1
  run -0 --separate-stderr dblock break broken
  equal "$output$stderr" ""
  ended "$waiting"
  equal "$code" 0
  run -1 --separate-stderr dblock break broken
  contains "$stderr" "'broken' is not held by anybody"
  run -1 dblock release broken "$second"
}

@test "readers of a killed process are freed; the writer that waits gets it" {
  hold killed -s --ttl "$(slowly 1)"
  kill -KILL "$keeper"
  run -0 dblock run killed -w "$(slowly 60)" -- true
}

@test "reap: what killed sharers held is counted" {
  # This has its own tables, without the holders that earlier tests have killed.
  export DBLOCK_PREFIX=counted_
  dblock -q schema up
  hold reaped -s --ttl "$(slowly 1)"
  local one=$keeper
  hold reaped -s --ttl "$(slowly 1)"
  kill -KILL "$one" "$keeper"
  local freed=0
  all_freed() {
    freed=$((freed + $(dblock --json reap | json_get locks_freed)))
    [ "$freed" -ge 2 ]
  }
  wait_for all_freed
  equal "$freed" 2
  contains "$(dblock show reaped)" "held:     no"
}
