#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The line that a waiting command shows on a terminal. (The database does not matter: one is
# enough.)

setup_file() {
  load ../kit
  with_tables
}

setup() {
  load ../kit
  export T=$BATS_TEST_TMPDIR TERM=xterm
}

teardown() {
  end_background
}

# on_terminal FUNCTION COMMAND [COLUMNS]: runs a shell's command on its own terminal, while FUNCTION
# goes on beside it; the screen is kept in $T/screen.
on_terminal() {
  "$1" 3>&- &
  local beside=$! code=0
  timeout --foreground "$(slowly 80)" script -qfec "stty cols ${3:-80}; $2" "$T/screen" </dev/null >/dev/null 2>&1 3>&- ||
    code=$?
  wait "$beside"
  return "$code"
}

# Runs an interactive bash, with FUNCTION at the keys.
person() {
  "$1" 3>&- | timeout --foreground "$(slowly 80)" script -qfc 'PS1= bash --norc -i' "$T/screen" >/dev/null 2>&1 3>&- ||
    true
}

type_line() {
  printf '%s\n' "$1"
}

# Tells whether that text is on the screen.
on_screen() {
  grep -qsaF -- "$1" "$T/screen"
}

let_go() {
  kill -TERM "$holder"
}

@test "for whom and at which place it waits, updated in place, gone when it has the lock" {
  hold told
  background dblock run told -- true
  waits() {
    [ "$(number_of told waiting)" = "$1" ]
  }
  wait_for waits 1
  local first=$started
  beside() {
    wait_for on_screen "2 of 2 in line"
    background dblock run told -- true
    wait_for on_screen "2 of 3 in line"
    kill -TERM "$first"
    wait_for on_screen "1 of 2 in line"
    let_go
  }
  on_terminal beside "dblock run told -- echo had it"
  on_screen "dblock: run: 2 of 2 in line for "
  on_screen "'told' is held for "
  on_screen " by $(uname -n):$keeper (dblock)"
  # All of it was on one line (ESC [ K erases what is right of the cursor), which is empty when the
  # command begins.
  equal "$(grep -ac 'in line' "$T/screen")" 1
  equal "$(grep -a 'in line' "$T/screen" | sed 's/.*\r\x1b\[K//' | tr -d '\r')" "had it"
}

@test "at most twice a second" {
  local before after
  hold slow
  beside() {
    wait_for on_screen "in line for 2s"
    let_go
  }
  before=$(now_ms)
  on_terminal beside "dblock run slow -- true"
  after=$(now_ms)
  (($(grep -ao 'in line' "$T/screen" | wc -l) <= (after - before) / 500))
}

@test "it is cut to the terminal's width, and a long name before that" {
  local name line lines
  name=$(printf '%60s' '' | sed 's/ /日/g')
  hold "$name"
  beside() {
    wait_for on_screen "1 of 1 in line"
    let_go
  }
  on_terminal beside "dblock run $name -- true" 30
  lines=$(grep -ao $'\rdblock: run: [^\r]*\x1b\\[K' "$T/screen" | tr -d '\r' | sed 's/\x1b\[K//')
  [ -n "$lines" ]
  while read -r line; do
    equal "$line" "dblock: run: 1 of 1 in line f"
  done <<<"$lines"
  rm "$T/screen"
  hold "$name"
  on_terminal beside "dblock run $name -- true" 200
  on_screen "; '日日日日日日日日日日日日日日...' is held for "
}

@test "acquire says it, too, and its output is the token alone" {
  hold taken
  beside() {
    wait_for on_screen "dblock: acquire: 1 of 1 in line"
    let_go
  }
  on_terminal beside "dblock acquire taken --lease 1h >'$T/token'"
  equal "$(cat "$T/token")" "$(token_of taken)"
}

@test "a wait that ends without the lock: the line is gone, the message stands alone" {
  hold never
  beside() {
    :
  }
  run -75 on_terminal beside "dblock run -w 1500ms never -- true"
  on_screen "in line"
  equal "$(grep -a "is held by host" "$T/screen" | sed 's/.*\r\x1b\[K//' | cut -c1-34)" \
    "dblock: run: 'never' is held by ho"
}

@test "-q, a dumb terminal, or stderr elsewhere: nothing is said" {
  hold mute
  beside() {
    :
  }
  on_terminal beside "dblock -q run -w 1200ms mute -- true; TERM=dumb dblock run -w 1200ms -E 0 mute -- true; true"
  run ! on_screen "in line"
  on_terminal beside "dblock run -w 1200ms mute -- true 2>'$T/err'; true"
  run ! on_screen "in line"
  lacks "$(cat "$T/err")" "in line"
}

@test "in the background it says nothing, and is not stopped for it; fg: it goes on" {
  hold away
  keys() {
    type_line "stty tostop"
    type_line "dblock run away -- touch '$T/ran' &"
    type_line "echo \$! >'$T/pid'"
    wait_for test -s "$T/pid"
    waits_long() {
      [[ $(dblock --json show away) =~ \"waiting_ms\":([0-9]+) ]] && ((BASH_REMATCH[1] > 1500))
    }
    wait_for waits_long
    grep -c '^State:[[:space:]]S' "/proc/$(cat "$T/pid")/status" >"$T/sleeps"
    grep -a 'in line' "$T/screen" >"$T/early"
    type_line fg
    wait_for on_screen "1 of 1 in line"
    let_go
    wait_for test -e "$T/ran"
    type_line exit
  }
  person keys
  equal "$(cat "$T/sleeps")" 1
  equal "$(cat "$T/early")" ""
  [ -e "$T/ran" ]
}

@test "^C takes the line away: 130; ^Z gives the prompt back, fg: it goes on" {
  hold kept
  keys() {
    type_line "dblock run kept -- touch '$T/ran'"
    wait_for on_screen "1 of 1 in line"
    printf '\032'
    type_line "echo stopped >'$T/stopped'"
    wait_for test -s "$T/stopped"
    : >"$T/screen"
    type_line fg
    wait_for on_screen "1 of 1 in line"
    printf '\003'
    type_line "echo \$? >'$T/code'"
    wait_for test -s "$T/code"
    type_line exit
  }
  person keys
  equal "$(cat "$T/code")" 130
  [ ! -e "$T/ran" ]
  [ "$(grep -aob $'\r\x1b\[K' "$T/screen" | tail -n 1 | cut -d: -f1)" -gt \
    "$(grep -aob 'in line' "$T/screen" | tail -n 1 | cut -d: -f1)" ]
}
