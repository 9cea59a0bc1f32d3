#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The man page and docs/user/cli.md name every command, option and exit code that the program has, and no
# other option.

setup() {
  load ../kit
  docs=$BATS_TEST_DIRNAME/../../../docs
  commands=$(commands_in "$(dblock help)")
  migrations=$(commands_in "$(dblock help migrate)")
  own=$(commands_in "$(dblock help schema)")
}

# Prints "GROUP COMMAND" for each command of those groups.
in_groups() {
  local group
  for group in quorum outbox rate latch global; do
    commands_in "$(dblock help "$group")" | sed "s/^/$group /"
  done
}

# Prints the names that a help text lists.
commands_in() {
  sed -nE '/^commands:/,/^$/s/^  ([a-z]+) .*/\1/p' <<<"$1"
}

long_options() {
  grep -oE -- '--[a-z][a-z-]+' | sort -u
}

plain_man() {
  sed 's/\\-/-/g; s/\\fI\|\\fP\|\\fR\|\\&//g' "$docs/man/dblock.1"
}

help_of_all_commands() {
  local group command
  for command in $commands; do
    dblock help "$command"
  done
  for command in $migrations; do
    dblock help migrate "$command"
  done
  for command in $own; do
    dblock help schema "$command"
  done
  in_groups | while read -r group command; do
    dblock help "$group" "$command" </dev/null
  done
}

options_of_all_commands() {
  help_of_all_commands | grep -E '^  (-[a-zA-Z], |    )--' | long_options
}

@test "there are commands and options to compare" {
  contains "$commands" migrate
  contains "$migrations" baseline
  contains "$(options_of_all_commands)" --conflict-exit-code
  contains "$(options_of_all_commands)" --allow-out-of-order
}

@test "the man page has every command" {
  local command
  for command in $commands; do
    plain_man | grep -qE "^\.(B|BI) \"?$command( |$|\")" || {
      echo "not in the man page: $command"
      return 1
    }
    grep -qE "dblock $command" "$docs/user/cli.md"
  done
  for command in $own; do
    plain_man | grep -qE "^\.(B|BI) \"?schema $command( |$|\")" || {
      echo "not in the man page: schema $command"
      return 1
    }
    [ "$command" = help ] || grep -qE "(dblock schema |\`)$command" "$docs/user/cli.md"
  done
  while read -r group command; do
    plain_man | grep -qE "^\.(B|BI) \"?$group $command( |$|\")" || {
      echo "not in the man page: $group $command"
      return 1
    }
    grep -q "dblock $group $command" "$docs/user/cli.md"
  done < <(in_groups)
  for command in $migrations; do
    plain_man | grep -qE "^\.(B|BI) \"?migrate $command( |$|\")" || {
      echo "not in the man page: migrate $command"
      return 1
    }
    [ "$command" = help ] || grep -q "dblock migrate $command" "$docs/user/migrations.md"
  done
}

@test "the man page's SYNOPSIS has every command, in the order of the help" {
  equal "$(plain_man | sed -n '/^\.SH SYNOPSIS/,/^\.SH DESCRIPTION/s/^\.B dblock \([a-z]\)/\1/p')" "$commands"
}

@test "the man page and cli.md have the program's long options, and no others" {
  equal "$(plain_man | long_options)" "$(options_of_all_commands)"
  equal "$(long_options <"$docs/user/cli.md")" "$(options_of_all_commands)"
}

# Prints, for lines that name options, each short one with each long one of its line.
pairs() {
  awk '{
    for (i = 1; i <= NF; i++) for (k = 1; k <= NF; k++)
      if ($i ~ /^-[a-zA-Z],?$/ && $k ~ /^--/) print substr($i, 1, 2), $k
  }' | sort -u
}

@test "the man page has the program's short options, each beside its long one, and no others" {
  local of_program of_man
  of_program=$(help_of_all_commands | grep -E '^  -[a-zA-Z], --' | pairs)
  of_man=$(plain_man | grep -E "^\.B[RI]? -[a-zA-Z],? .*--" | pairs)
  contains "$of_program" "-E --conflict-exit-code"
  equal "$(comm -23 <(echo "$of_program") <(echo "$of_man"))" ""
  equal "$(cut -c 1-2 <<<"$of_man" | sort -u)" "$(cut -c 1-2 <<<"$of_program" | sort -u)"
}

@test "dblock.conf(5) has every key of a settings file" {
  local key keys
  keys=$(sed -nE 's/.*\{"([a-z_]+)", &s->.*/\1/p' "$BATS_TEST_DIRNAME/../../../src/cli/ui/settings.c")
  contains "$keys" password_file
  for key in $keys; do
    grep -qx "\.B $key" "$docs/man/dblock.conf.5" || { echo "not in dblock.conf.5: $key"; return 1; }
  done
}

@test "the man page and cli.md have every exit code" {
  local code
  for code in $(sed -nE 's/.*DBL_EXIT_[A-Z_]+ = ([0-9]+).*/\1/p' \
    "$BATS_TEST_DIRNAME/../../../src/cli/ui/exits.h"); do
    plain_man | grep -qE "^\.(B|RI) $code" || { echo "not in the man page: $code"; return 1; }
    grep -qE "^\| $code" "$docs/user/cli.md" || { echo "not in cli.md: $code"; return 1; }
  done
}
