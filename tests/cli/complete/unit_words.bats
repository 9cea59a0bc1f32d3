#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What `dblock complete` says of a command line, and that it disturbs nobody: no message, no file, no wait.

setup() {
  load ../kit
  cd "$BATS_TEST_TMPDIR"
  export DBLOCK_URL=sqlite:never.db
}

teardown() {
  end_background
  [ ! -e never.db ]
}

# after WORD...: what may follow, without what it means.
after() {
  dblock complete bash -- dblock "$@" | cut -f 1
}

# says WANTED WORD...: the whole answer, its lines joined by blanks.
says() {
  local wanted=$1
  shift
  equal "$(after "$@" | paste -sd ' ')" "$wanted"
}

# Prints the names that a help text lists.
commands_in() {
  sed -nE '/^commands:/,/^$/s/^  ([a-z]+) .*/\1/p' <<<"$1"
}

@test "commands are those of the help, in the same order" {
  contains "$(commands_in "$(dblock help)")" migrate
  equal "$(after '' | tail -n +2)" "$(commands_in "$(dblock help)")"
  equal "$(after migrate '' | tail -n +2)" "$(commands_in "$(dblock help migrate)")"
  equal "$(after schema '' | tail -n +2)" "$(commands_in "$(dblock help schema)")"
  equal "$(after help '' | tail -n +2)" "$(commands_in "$(dblock help)")"
  equal "$(after help migrate '' | tail -n +2)" "$(commands_in "$(dblock help migrate)")"
  equal "$(after migrate help '' | tail -n +2)" "$(commands_in "$(dblock help migrate)")"
  says "words redo repair" migrate re
  says "words" nonsense ''
  says "words" migrate nonsense ''
  says "words" help ls ''
}

@test "options of each command are those of its help" {
  local group command
  for group in '' migrate schema quorum outbox rate latch; do
    # shellcheck disable=SC2086 # no word, or one
    for command in $(commands_in "$(dblock help $group)"); do
      equal "$(after $group "$command" -- | tail -n +2 | sort)" \
        "$(dblock help $group "$command" | grep -oE '^  (-[a-zA-Z],|   ) --[a-z-]+' | grep -oE -- '--.*' | sort)"
    done
  done
}

@test "a value of an option is no operand, whatever way it is given" {
  says "words --conflict-exit-code" run -w 3 --confl
  says "words --conflict-exit-code" run --wait 3 --confl
  says "words --conflict-exit-code" run -nw3 --confl
  says "words --conflict-exit-code" run --wait=3 x --confl
  says "command 5" run -E 0 x ''
  says "command 4" run -nE0 x ''
}

@test "what an option's value may be" {
  says "words exclusive" ls --mode e
  says "words age" ls --sort a
  says "words --sort=age" ls --sort=a
  says "words --state=dead,lease --state=dead,leaving --state=dead,late" ls --state=dead,l
  says "words auto always" top --color a
  says "words" ls --sort z
  says "words relaxed remote" --durability re
}

# words_of COMMAND OPTION: what is offered for it
words_of() {
  after "$1" "$2" '' | tail -n +2
}

@test "what is offered as a value is taken" {
  local word
  export DBLOCK_URL=sqlite:$BATS_TEST_TMPDIR/words.db
  dblock schema up
  for word in $(words_of ls --sort); do dblock ls --sort "$word"; done
  for word in $(words_of ls --mode); do dblock ls --mode "$word"; done
  for word in $(words_of ls --color); do dblock ls --color "$word"; done
  for word in $(words_of top --sort); do dblock top -b -n 1 --sort "$word"; done
  for word in $(words_of run --on-request); do dblock run job --on-request "$word" -- true; done
  for word in $(words_of ls --state); do
    dblock ls --state "$word" || dblock ls --waiters --state "$word"
  done
  [ "$(words_of ls --sort | wc -l)" -gt 3 ]
}

@test "where another program's command line begins" {
  says "command 3" run x ''
  says "command 4" run x -- ''
  says "command 4" run x -- ls -
  says "command 5" run -- x -- l
  says "command 3" run x ls --conf
  says "command 4" elect x -- l
}

@test "files and folders" {
  says directories migrate --dir ''
  says directories migrate -d ''
  says directories migrate up --dir=x
  says files migrate dump ''
  says files migrate up --dump ''
  says directories migrate import ''
}

@test "each shell gets its script, and no other one does" {
  local shell
  for shell in bash zsh fish; do
    equal "$(dblock complete "$shell")" "$(cat "$DBLOCK_SOURCE_DIR/src/cli/complete/dblock.$shell")"
  done
  says "words bash zsh fish" complete ''
  run -64 --separate-stderr dblock complete tcsh
  contains "$stderr" "none of bash, zsh, fish"
}

@test "a file that is not there is not made, and another one is not changed" {
  says words show ''
  says words -u sqlite:neither.db show ''
  [ ! -e neither.db ]
  sqlite3 other.db 'CREATE TABLE t (i)'
  sha256sum other.db >sum
  says words -u sqlite:other.db show ''
  sha256sum -c --quiet sum
  mkfifo pipe
  says words -u sqlite:pipe show ''
}

@test "what goes wrong is not told" {
  run -0 --separate-stderr dblock complete bash -- dblock -u nonsense show ''
  equal "$output|$stderr" "words|"
  run -0 --separate-stderr dblock complete bash -- dblock -u postgresql://localhost:1/x show ''
  equal "$output|$stderr" "words|"
}

@test "a server that does not answer is given up long before another call would" {
  # It listens, and that is all.
  background systemd-socket-activate --listen="$PWD/.s.PGSQL.5432" sleep 1000 2>/dev/null
  wait_for test -S .s.PGSQL.5432
  local url="postgresql:///x?host=$PWD"
  background dblock -u "$url" ls
  says words -u "$url" show ''
  alive "$started"
}
