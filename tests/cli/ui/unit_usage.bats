#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the command line accepts and rejects; no database is opened for any of it.

setup() {
  load ../kit
  # Opening this URL would make the file: none of these tests may open it.
  export DBLOCK_URL=sqlite:$BATS_TEST_TMPDIR/never.db
}

teardown() {
  [ ! -e "$BATS_TEST_TMPDIR/never.db" ]
}

# rejects TEXT HINT ARGS...: exit code 64, nothing on stdout, TEXT and the hint on stderr.
rejects() {
  local text=$1 hint=$2
  shift 2
  run -64 --separate-stderr dblock "$@"
  equal "$output" ""
  contains "$stderr" "$text"
  contains "$stderr" "try 'dblock help$hint'"
}

@test "no command, an unknown one, an unknown option before it" {
  rejects "COMMAND is missing" ""
  rejects "unknown command 'rnu'" "" rnu x true
  rejects "unknown option '--colour'" "" --colour ls
  rejects "unknown option '-x'" "" -x ls
  rejects "option '-u' needs a value" "" -u
  rejects "option '--url' needs a value" "" --url
  rejects "unknown command ''" "" ""
}

@test "every command: missing words, words too many, unknown options" {
  local line command words most
  while read -r command words most; do
    rejects "unknown option '--nonsense'" " $command" "$command" --nonsense
    [ "$words" = - ] || rejects "$words is missing" " $command" "$command"
    [ "$most" = - ] || rejects "too many words: 'surplus'" " $command" "$command" $most surplus
  done <<-END
	run NAME -
	acquire NAME a
	renew NAME a 1
	release NAME a 1
	ls - a
	show NAME a
	break NAME a
	reap - -
	version - -
	help - -
	END
  rejects "too many words: 'x'" " reap" reap x
  rejects "too many words: 'x'" " version" version x
  rejects "TOKEN is missing" " renew" renew a --lease 1m
  rejects "TOKEN is missing" " release" release a
}

@test "an empty NAME is named before any database is asked" {
  rejects "NAME is empty" " run" run "" true
  rejects "NAME is empty" " acquire" acquire "" --lease 1m
  rejects "NAME is empty" " renew" renew "" 1 --lease 1m
  rejects "NAME is empty" " release" release "" 1
  rejects "NAME is empty" " show" show ""
  rejects "NAME is empty" " break" break ""
}

@test "run: no command" {
  rejects "CMD is missing" " run" run x
  rejects "CMD is missing" " run" run x -n
  rejects "CMD is missing" " run" run x --
  rejects "CMD is missing" " run" run -- x --
  rejects "CMD is empty" " run" run x -- ""
  rejects "CMD is empty" " run" run x "" arg
  rejects "CMD is empty" " elect" elect x -- ""
}

@test "bad durations are named with their option" {
  local value
  for value in x 1x 1h30 30m1h 1h1h 1h-30m 1h30mm "" " " "1 s" 0x10 1e3 +1 1. .5 - -- -x nan inf 1,5s 3S; do
    rejects "--wait: '$value' is not a duration" " run" run x "--wait=$value" true
  done
  rejects "--wait: '-1' is negative" " run" run x -w -1 true
  rejects "--wait: '-0.5s' is negative" " run" run x -w -0.5s true
  for value in 99999999999999999999 9223372036854775807 9223372036854775808ms 36526d \
    1000000000000000h 99999999999999999999999999999999999999.5s; do
    rejects "--wait: '$value' is too long" " run" run x -w "$value" true
  done
}

@test "zero is rejected where it means nothing, and so is what is out of bounds" {
  rejects "--ttl: '0' is too short: it must be at least 200ms" " run" run x --ttl 0 true
  rejects "--ttl: '199ms' is too short" " run" run x --ttl 199ms true
  rejects "--ttl: '25h' is too long: it must be at most 1d" " run" run x --ttl 25h true
  rejects "--lease: '0' is too short" " run" run x --lease 0 true
  rejects "--lease: '0s' is too short" " acquire" acquire x --lease 0s
  rejects "--lease: '3661d' is too long: it must be at most 3660d" " acquire" acquire x --lease 3661d
  rejects "--lease: '0' is too short" " renew" renew x 1 --lease 0
  rejects "--every: '0' is too short" " reap" reap --every 0
  rejects "--call-timeout: '0' is too short" "" --call-timeout 0 ls
  rejects "--at-least: '-1s' is negative" " run" run x --at-least -1s true
  rejects "--purge-after: '-1s' is negative" " reap" reap --purge-after -1s
}

@test "good durations pass" {
  # The whole line is checked before the missing command is reported.
  local value
  for value in 0 1 250ms 3s 5m 1h 2d 1.5s 0.25h 1.5 36525d 0.0001s 1h30m 1d2h3m4s5ms 1m1.5s; do
    rejects "CMD is missing" " run" run x -w "$value"
  done
}

@test "run -E wants 0 to 255" {
  local value
  for value in -1 256 x 7x "" 99999999999999999999 " 1"; do
    rejects "--conflict-exit-code: '$value' is not a number from 0 to 255" " run" \
      run x -E "$value" true
  done
}

@test "acquire and renew want a lease" {
  rejects "--lease is missing" " acquire" acquire x
  rejects "--lease is missing" " renew" renew x 1
}

@test "options of which one would be passed over, and signals that nobody can heed" {
  rejects "--nonblock and --wait do not go together" " run" run x -n -w 5 true
  rejects "--nonblock and --wait do not go together" " acquire" acquire x -n --timeout 5 --lease 1m
  rejects "--at-least is longer than --lease" " run" run x --lease 1s --at-least 1h true
  rejects "--on-request: no command can catch KILL" " run" run x --on-request KILL true
  rejects "--on-request: no command can catch 19" " run" run x --on-request 19 true
}

@test "-h before a command is the command's help" {
  run -0 dblock help ls
  local full=$output
  run -0 dblock -h ls
  equal "$output" "$full"
  rejects "unknown command 'nope'" "" -h nope
}

@test "a token is a positive decimal number" {
  local value
  for value in 0 00 x 1x 0x1 1.5 " 1" "" 9223372036854775808 +1; do
    rejects "'$value' is not a token" " release" release x "$value"
    rejects "'$value' is not a token" " renew" renew x "$value" --lease 1m
    rejects "'$value' is not a token" " break" break x --token "$value"
  done
  rejects "'-1' is not a token" " release" release -- x -1
}

# rejects_of GROUP TEXT HINT ARGS...: does the same with the exit code of `migrate` and `schema`.
rejects_of() {
  local group=$1 text=$2 hint=$3
  shift 3
  run -2 --separate-stderr dblock "$group" "$@"
  equal "$output" ""
  contains "$stderr" "$text"
  contains "$stderr" "try 'dblock help $group$hint'"
}

rejects_migrate() {
  rejects_of migrate "$@"
}

@test "migrate: words of other tools are told what to write, which is there" {
  local word here
  rejects_migrate "unknown command 'force'; here that is 'repair V --applied'" "" force 3
  rejects_migrate "unknown command 'up-to'; here that is 'up --to V'" "" up-to 3
  for word in migrate run update up-by-one rollback revert undo down-to reset clean info version history \
    validate add changelog-sync; do
    rejects_migrate "unknown command '$word'; here that is '" "" "$word"
    here=$(sed -nE "s/.*here that is '([a-z]+).*/\1/p" <<<"$stderr")
    run -0 dblock help migrate "$here"
  done
  run -2 --separate-stderr dblock schema info
  lacks "$stderr" "here that is"
}

@test "migrate: what is wrong with its line is told with 2, and the help that fits" {
  rejects_migrate "COMMAND is missing" ""
  rejects_migrate "unknown command 'sideways'" "" sideways
  rejects_migrate "unknown option '--colour'" "" --colour up
  local line command words most
  while read -r command words most; do
    rejects_migrate "unknown option '--nonsense'" " $command" "$command" --nonsense
    [ "$words" = - ] || rejects_migrate "$words is missing" " $command" "$command"
    [ "$most" = - ] && most=
    rejects_migrate "too many words: 'surplus'" " $command" "$command" $most surplus
  done <<-END
	up - -
	down - -
	to V 1
	status - -
	verify - -
	plan - -
	baseline V 1
	repair V 1
	new NAME a
	embed - a
	help - up
	END
  rejects_migrate "--to: '0' is not a number" " up" up --to 0
  rejects_migrate "--count: '0' is not a number" " down" down -n 0
  rejects_migrate "--wait: 'x' is not a duration" " up" up --wait x
  cd "$BATS_TEST_TMPDIR"
  rejects_migrate "give --dir DIR" " up" up --scope shop
  rejects_migrate "'dblock schema up'" " up" up --scope dblock --dir .
  rejects_migrate "give --dir DIR" " verify" verify --files-only
  rejects_migrate "DIR is missing" " embed" embed
  rejects_migrate "DIR is given twice" " embed" --dir a embed b
  rejects_migrate "-o FILE is missing" " embed" embed a
  rejects_migrate "'1x' is not a migration's number" " to" to 1x
  rejects_migrate "'0' is not a migration's number" " baseline" baseline 0
  rejects_migrate "say one of --done" " repair" repair 1
  rejects_migrate "say one of --done" " repair" repair 1 --done --forget
}

@test "schema: likewise" {
  local command words most
  rejects_of schema "COMMAND is missing" ""
  rejects_of schema "unknown command 'new'" "" new customer
  rejects_of schema "unknown option '--dir'" "" --dir x up
  while read -r command words most; do
    rejects_of schema "unknown option '--nonsense'" " $command" "$command" --nonsense
    [ "$words" = - ] || rejects_of schema "$words is missing" " $command" "$command"
    [ "$most" = - ] && most=
    rejects_of schema "too many words: 'surplus'" " $command" "$command" $most surplus
  done <<-END
	up - -
	down - -
	status - -
	verify - -
	plan - -
	baseline V 1
	repair V 1
	help - up
	END
  rejects_of schema "give one of them" " down" down --all -n 1 --yes
  rejects_of schema "say one of --done" " repair" repair 1
}

@test "migrate: options of the group before its command and after it" {
  mkdir "$BATS_TEST_TMPDIR/m"
  for line in "--dir m up" "up --dir m" "--dir=m --scope x up" "up --scope x --dir m"; do
    # shellcheck disable=SC2086
    run -2 --separate-stderr env -C "$BATS_TEST_TMPDIR" dblock migrate $line
    contains "$stderr" "m: "
  done
}

@test "migrate: help in all its ways" {
  local command
  run -0 dblock help migrate
  local full=$output
  run -0 dblock migrate --help
  equal "$output" "$full"
  run -0 dblock migrate help
  equal "$output" "$full"
  for command in up down to status verify plan new embed baseline repair help; do
    contains "$full" "  $command "
    run -0 dblock help migrate "$command"
    contains "$output" "usage: dblock migrate $command "
    contains "$output" "--dir DIR"
    local one=$output
    run -0 dblock migrate help "$command"
    equal "$output" "$one"
    run -0 dblock migrate "$command" --help
    equal "$output" "$one"
  done
  rejects "unknown command 'nope'" " help" help migrate nope
  rejects "too many words: 'nope'" " help" help ls nope
  rejects_migrate "unknown command 'nope'" " help" help nope
}

@test "schema: help in all its ways" {
  local command
  run -0 dblock help schema
  local full=$output
  run -0 dblock schema help
  equal "$output" "$full"
  for command in up down status verify plan baseline repair help; do
    contains "$full" "  $command "
    run -0 dblock help schema "$command"
    contains "$output" "usage: dblock schema $command "
    lacks "$output" "--dir"
    local one=$output
    run -0 dblock schema help "$command"
    equal "$output" "$one"
    run -0 dblock schema "$command" --help
    equal "$output" "$one"
  done
}

@test "options: values where there are none, and none where there must be" {
  rejects "option '--json' takes no value" " ls" ls --json=yes
  rejects "option '--quiet' takes no value" "" --quiet=1 ls
  rejects "option '--lease' needs a value" " acquire" acquire x --lease
  rejects "option '-w' needs a value" " run" run x -w
}

@test "help lists every command and exits with 0" {
  run -0 --separate-stderr dblock help
  equal "$stderr" ""
  local command
  for command in run elect leader acquire renew release ls show graph break reap schema migrate version help; do
    contains "$output" "  $command "
  done
  local full=$output
  run -0 dblock --help
  equal "$output" "$full"
  run -0 dblock -h
  equal "$output" "$full"
}

@test "help COMMAND, COMMAND --help and -h say the same" {
  local command
  for command in run elect leader acquire renew release ls show graph break reap schema migrate version help; do
    run -0 dblock help "$command"
    contains "$output" "usage: dblock $command"
    local full=$output
    run -0 dblock "$command" --help
    equal "$output" "$full"
    run -0 dblock "$command" -h
    equal "$output" "$full"
  done
  rejects "unknown command 'nope'" " help" help nope
}

@test "a --help behind the command's name is the command's own, once CMD has begun" {
  run -64 dblock run --help-me x
  run -0 dblock run x -n --help -- true
  contains "$output" "usage: dblock run"
}

@test "version, -V, --version" {
  run -0 --separate-stderr dblock version
  [[ $output =~ ^dblock\ [0-9]+\.[0-9]+\.[0-9]+\ \(library\ [0-9]+\.[0-9]+\.[0-9]+\;\ drivers:\ [a-z]+(\ [a-z]+)*\)$ ]]
  local full=$output
  run -0 dblock -V
  equal "$output" "$full"
  run -0 dblock --version
  equal "$output" "$full"
  run -0 dblock --json version
  contains "$output" '"version":"'
}

@test "stdout that cannot be written is an error" {
  run -74 sh -c 'dblock help >/dev/full'
  contains "$output" "stdout cannot be written"
}
