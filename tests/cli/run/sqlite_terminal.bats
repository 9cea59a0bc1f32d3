#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock run on a terminal, under a person's shell. (The database does not matter: one is enough.)

setup_file() {
  load ../kit
  with_tables
}

setup() {
  load ../kit
  export T=$BATS_TEST_TMPDIR
  # The worker prints its pid, and goes on until it is told to end. It is bash's: dash waits for a command
  # that ^Z stops between vfork and exec, and is not seen to be stopped itself.
  cat >"$T/worker" <<-'END'
	trap 'exit 9' TERM
	echo $$ >"$T/new"
	mv "$T/new" "$T/pid"
	until [ -e "$T/end" ]; do sleep 0.3; done
	exit 5
	END
}

teardown() {
  end_background
  # A test that fails shows it.
  cat -v "$T/screen"
}

# person FUNCTION: runs an interactive bash on a terminal, with FUNCTION at the keys. The screen is
# kept in $T/screen. A shell that is stuck is given up.
person() {
  "$1" 3>&- | timeout --foreground "$(slowly 80)" script -qec 'PS1= bash --norc -i' /dev/null >"$T/screen" 2>&1 3>&- ||
    true
}

type_line() {
  printf '%s\n' "$1"
}

type_ctrl_z() {
  printf '\032'
}

# The shell reads at its prompt what is typed after this.
wait_for_prompt() {
  type_line ": >'$T/prompt$1'"
  wait_for test -e "$T/prompt$1"
}

is_stopped() {
  grep -qs '^State:[[:space:]]T' "/proc/$1/status"
}

is_running() {
  grep -qs '^State:[[:space:]][RSD]' "/proc/$1/status"
}

dead() {
  ! alive "$1"
}

# Tells whether the lock's end has moved on since it was $2, by more than a ttl of 3 s.
is_renewed() {
  [ "$(number_of "$1" expires_us)" -gt $(($2 + 4000000 * ${DBLOCK_TEST_SLOWNESS-1})) ]
}

@test "^Z: the prompt is back, the command stands still, the lock is kept; fg: it goes on" {
  keys() {
    type_line "dblock run stops --ttl $(slowly 3) -- bash '$T/worker'"
    wait_for test -e "$T/pid"
    type_ctrl_z
    wait_for_prompt 1
    wait_for is_stopped "$(cat "$T/pid")"
    wait_for is_renewed stops "$(number_of stops expires_us)"
    is_stopped "$(cat "$T/pid")" && echo stopped >"$T/was"
    dblock run -n stops -- true 2>"$T/busy"
    echo $? >"$T/second"
    type_line fg
    wait_for is_running "$(cat "$T/pid")"
    touch "$T/end"
    type_line "echo \$? >'$T/code'"
    wait_for test -s "$T/code"
    type_line exit
  }
  person keys
  equal "$(cat "$T/was")" stopped
  equal "$(cat "$T/second")" 75
  equal "$(cat "$T/code")" 5
  is_free stops
}

@test "a lock that is lost while its command is stopped: the command is ended; fg tells 76" {
  keys() {
    type_line "dblock run lost --ttl $(slowly 2) -- bash '$T/worker'"
    wait_for test -e "$T/pid"
    type_ctrl_z
    wait_for_prompt 1
    kill -KILL "$(parent_of "$(parent_of "$(cat "$T/pid")")")"
    wait_for dead "$(cat "$T/pid")"
    type_line fg
    type_line "echo \$? >'$T/code'"
    wait_for test -s "$T/code"
    type_line exit
  }
  person keys
  equal "$(cat "$T/code")" 76
  contains "$(cat "$T/screen")" "lock 'lost' was lost while the command ran"
}

@test "the command reads the terminal, also in a pipeline" {
  keys() {
    type_line "dblock run reads -- sh -c 'read -r line; echo \"\$line\" >\"\$T/read\"'"
    type_line typed
    wait_for test -s "$T/read"
    type_line "dblock run reads -- head -n 1 | cat >'$T/piped'"
    type_line again
    wait_for test -s "$T/piped"
    type_line exit
  }
  person keys
  equal "$(cat "$T/read")" typed
  equal "$(cat "$T/piped")" again
}

@test "in the background it stops when it reads the terminal, as any job; fg lets it read" {
  keys() {
    type_line "dblock run job -- sh -c 'echo \$\$ >\"\$T/pid\"; read -r line; echo \"\$line\" >\"\$T/read\"' &"
    wait_for test -s "$T/pid"
    wait_for is_stopped "$(cat "$T/pid")"
    wait_for_prompt 1
    type_line fg
    wait_for is_running "$(cat "$T/pid")"
    type_line typed
    wait_for test -s "$T/read"
    type_line exit
  }
  person keys
  equal "$(cat "$T/read")" typed
}

@test "^C while it waits for the lock ends the wait: 130" {
  hold taken
  keys() {
    type_line "dblock run taken -- touch '$T/ran'"
    is_waiting() {
      pgrep -f 'dblock run taken -- touch' >"$T/waiting" &&
        takes_signals "$(head -n 1 "$T/waiting")"
    }
    wait_for is_waiting
    printf '\003'
    type_line "echo \$? >'$T/code'"
    wait_for test -s "$T/code"
    type_line exit
  }
  person keys
  equal "$(cat "$T/code")" 130
  [ ! -e "$T/ran" ]
}

@test "^Z where no shell could say fg does not stop it for good" {
  keys() {
    wait_for test -e "$T/pid"
    type_ctrl_z
    # The terminal has taken it once it has echoed it.
    wait_for grep -qs '\^Z' "$T/screen"
    touch "$T/end"
    wait_for test -s "$T/code"
  }
  keys 3>&- | timeout --foreground "$(slowly 80)" script -qfc "dblock run alone -- bash '$T/worker'; echo \$? >'$T/code'" "$T/screen" \
    >/dev/null 3>&-
  equal "$(cat "$T/code")" 5
}

@test "a terminal that stops background writers does not stop the keeper's last word" {
  keys() {
    type_line "stty tostop"
    type_line "dblock run tells --ttl $(slowly 2) --lease 500ms -- bash '$T/worker'"
    type_line "echo \$? >'$T/code'"
    wait_for test -s "$T/code"
    type_line exit
  }
  person keys
  equal "$(cat "$T/code")" 76
  contains "$(cat "$T/screen")" "lock 'tells' was lost while the command ran"
}
