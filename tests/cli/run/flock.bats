#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Users of flock(1) type these options; and what happens at a signal.

setup_file() {
  load ../kit
  with_tables
}

setup() {
  load ../kit
  export T=$BATS_TEST_TMPDIR
}

teardown() {
  end_background
}

@test "--timeout is -w: of run and acquire, it ends the wait" {
  hold taken
  run -75 --separate-stderr timeout "$(slowly 60)" dblock run --timeout 0.3 taken -- echo no
  equal "$output" ""
  contains "$stderr" "taken"
  run -75 timeout "$(slowly 60)" dblock acquire taken --lease 1m --timeout 300ms
  run -75 timeout "$(slowly 60)" dblock elect taken --timeout 300ms -- echo no
}

@test "--timeout elsewhere names both that it could be" {
  run -64 --separate-stderr dblock --timeout 2 run taken -- true
  contains "$stderr" "unknown option '--timeout': that is --wait, where there is one"
  contains "$stderr" "--call-timeout"
  run -64 dblock ls --timeout=2
  run -0 dblock ls --call-timeout 20s
}

@test "-c LINE is for \$SHELL, or sh" {
  run -0 dblock run lines -c 'echo "$DBLOCK_NAME" | tr a-z A-Z; exit 0'
  equal "$output" LINES
  run -3 dblock run -c 'exit 3' lines
  printf '#!/bin/sh\necho "$@"\n' >"$T/shell"
  chmod +x "$T/shell"
  run -0 env SHELL="$T/shell" dblock run lines -c 'echo  it'
  equal "$output" "-c echo  it"
  run -0 env SHELL= dblock run lines -c 'echo usual'
  equal "$output" usual
  run -64 dblock run lines -c echo it
  contains "$output" "too many words: 'it'"
}

@test "a line in one word, which is no program: -c is named" {
  run -127 dblock run lines -- 'echo hi'
  contains "$output" "echo hi: No such file or directory; a line for a shell wants -c"
}

@test "-x, -e, --nb, -o, --verbose: as they are; -F is refused" {
  hold taken2
  run -75 dblock run --nb taken2 -- true
  run -0 dblock run -x -o free -- echo yes
  run -0 --separate-stderr dblock run -e --verbose free -- echo yes
  equal "$output" yes
  [[ $stderr =~ ^dblock:\ run:\ lock\ \'free\'\ was\ had\ after\ [0-9]+\.[0-9]{6}\ s$ ]]
  run -64 dblock run -F free -- echo no
  contains "$output" "--no-fork: a lock in a database is not inherited"
  run -64 dblock run -x -s free -- echo no
  contains "$output" "--exclusive and --shared do not go together"
}

@test "--kill-after that there is no time for is told, but not the default's" {
  run -0 --separate-stderr dblock run short --ttl 10s --kill-after 8s -- echo yes
  equal "$output" yes
  contains "$stderr" "--kill-after 8s is cut to 2.7s if the database cannot be reached: for all of it the lock has to live for 29s"
  run -0 dblock run short --ttl 29s --kill-after 8s -- echo yes
  equal "$output" yes
  run -0 dblock run short --ttl 10s -- echo yes
  equal "$output" yes
  # A lease ends by itself, and nobody renews it: its time counts, not the default ttl's.
  run -0 --separate-stderr dblock run short --lease 10s --kill-after 8s -- echo yes
  equal "$output" yes
  equal "$stderr" "dblock: run: --kill-after 8s is cut to 2.7s if the database cannot be reached: for all of it the lock has to live for 29s (--ttl, --lease)"
  run -0 dblock run short --lease 29s --kill-after 8s -- echo yes
  equal "$output" yes
  run -0 --separate-stderr dblock run short --lease 1h --ttl 10s --kill-after 10s -- echo yes
  equal "$output" yes
  contains "$stderr" "--kill-after 10s is cut to 8.9s if the lock is broken, or released by its token: for all of it the --ttl has to be 12s"
  run -0 dblock run short --lease 1h --ttl 12s --kill-after 10s -- echo yes
  equal "$output" yes
}

# died FILE CMD...: prints how it ended: by the signal, or with 128 + its number. (A shell cannot
# tell.) Its pid is in FILE.
died() {
  perl -e '
    use POSIX ":sys_wait_h";
    my ($file, @command) = @ARGV;
    my $pid = fork;
    if (!$pid) { $SIG{INT} = $SIG{QUIT} = "DEFAULT"; exec @command; }
    open my $out, ">", "$file.new"; print $out "$pid\n"; close $out; rename "$file.new", $file;
    waitpid $pid, 0;
    print WIFSIGNALED($?) ? "signal " . WTERMSIG($?) : "exit " . WEXITSTATUS($?), "\n";' "$@"
}

@test "the signal that ended the command, or the wait, ends dblock, too" {
  local signal
  for signal in TERM:15 INT:2 HUP:1 QUIT:3 USR1:10; do
    background died "$T/dblock" dblock run signals -- sh -c 'echo $$ >"$T/up"; exec sleep 100' \
      >"$T/how"
    wait_for test -s "$T/up"
    kill -s "${signal%:*}" "$(cat "$T/dblock")"
    ended "$started"
    equal "$(cat "$T/how")" "signal ${signal#*:}"
    rm "$T/up" "$T/dblock"
  done
  hold signals
  for signal in "run signals true" "acquire signals --lease 1m" "elect signals true"; do
    # shellcheck disable=SC2086
    background died "$T/dblock" dblock $signal >"$T/how"
    wait_for test -e "$T/dblock"
    wait_for takes_signals "$(cat "$T/dblock")"
    kill -INT "$(cat "$T/dblock")"
    ended "$started"
    equal "$(cat "$T/how")" "signal 2"
    rm "$T/dblock"
  done
}

@test "an exit code of the command's own is an exit code, also 130; and who handles INT goes on" {
  run -0 died "$T/dblock" dblock run own -- sh -c 'exit 130'
  equal "$output" "exit 130"
  background died "$T/dblock" dblock run own -- sh -c 'trap "exit 0" INT
    echo up >"$T/up"; while :; do sleep 0.05; done' >"$T/how"
  wait_for test -s "$T/up"
  kill -INT "$(cat "$T/dblock")"
  ended "$started"
  equal "$(cat "$T/how")" "exit 0"
}

# interrupt SHELL SCRIPT: runs it on a terminal, and types ^C once $T/up is there.
interrupt() {
  local script="trap : INT; $1 -c '$2'; : >'$T/over'"
  keys() {
    wait_for test -e "$T/up"
    sleep 0.1
    printf '\003'
    wait_for test -e "$T/over" # script(1) waits for our end
  }
  keys 3>&- | timeout "$(slowly 90)" script -qc "$script" /dev/null >"$T/screen" 3>&-
}

@test "^C in a shell's loop ends the loop, not one turn of it" {
  local shell
  for shell in sh bash; do
    rm -f "$T/up" "$T/over" "$T/turns"
    interrupt "$shell" 'n=0; while [ $n -lt 5 ]; do n=$((n+1)); echo turn >>$T/turns
      dblock run loops -- sh -c "touch \$T/up; exec sleep 2"; done; echo after >>$T/turns'
    equal "$(cat "$T/turns")" turn
  done
}

@test "^C while it waits: likewise" {
  hold loops
  local shell
  for shell in sh bash; do
    rm -f "$T/up" "$T/over" "$T/turns"
    interrupt "$shell" 'n=0; while [ $n -lt 5 ]; do n=$((n+1)); echo turn >>$T/turns; touch $T/up
      dblock run loops -w 20s -- true; done; echo after >>$T/turns'
    equal "$(cat "$T/turns")" turn
  done
}

@test "sh -c 'dblock run ..; echo after': the shell goes on where only dblock was told to end" {
  background sh -c 'dblock run after -- sh -c "echo \$PPID >\$T/up; exec sleep 100"; echo "after $?"' >"$T/out"
  wait_for test -s "$T/up"
  kill -TERM "$(parent_of "$(parent_of "$(cat "$T/up")")")"
  ended "$started"
  contains "$(cat "$T/out")" "after 143"
}
