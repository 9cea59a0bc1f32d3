#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# dblock ls and show, and the names that only look dangerous, or alike.

setup_file() {
  load ../kit
  with_tables
}

setup() {
  load ../kit
}

teardown() {
  end_background
}

# Take names that look alike or dangerous; each must be its own lock.
names=("'; DROP TABLE dblock_lock; --" "%" "_" "\\" '\\' '"' '`' "'" '$1' '?' '*' ':name' '{}' NULL
  Case case CASE cafe $'caf\xc3\xa9' $'cafe\xcc\x81' blank 'blank ' ' blank' 'blank  ' 'ß' ss SS
  $'\xc4\xb1' i I 1 01 1.0 0 '😀' '日本語' $'\xef\xbf\xbd' $'\xf4\x8f\xbf\xbf' a/b ../b '#' '-n' '--'
  '%s%n' "$(printf '%255s' x | tr ' ' x)" "$(printf '%254s' x | tr ' ' x)")

@test "names that are hostile, or differ in case, accent, blanks or Unicode form, are themselves" {
  local name token i
  local -A token_by=()
  for name in "${names[@]}"; do
    run -0 --separate-stderr dblock --prefix h_ --auto-migrate acquire -n --lease 1h --value "v:$name" -- "$name"
    token_by[$name]=$output
  done
  equal "${#token_by[@]}" "${#names[@]}"
  equal "$(dblock --prefix h_ --json ls | wc -l)" "${#names[@]}"
  for name in "${names[@]}"; do
    run -75 dblock --prefix h_ acquire -n --lease 1h -- "$name"
    run -0 dblock --prefix h_ show -- "$name"
    equal "${lines[0]}" "name:     $name"
    contains "$output" "v:$name"
    contains "$output" "${token_by[$name]}"
  done
  for name in "${names[@]}"; do
    run -0 dblock --prefix h_ release -- "$name" "${token_by[$name]}"
    run -1 dblock --prefix h_ release -- "$name" "${token_by[$name]}"
  done
  equal "$(dblock -q --prefix h_ ls)" ""
}

@test "ls: who holds what since when until when, aligned" {
  hold table
  dblock acquire table-lease --lease 1h
  run -0 --separate-stderr dblock ls 'table*'
  equal "$stderr" ""
  equal "${#lines[@]}" 3
  [[ ${lines[0]} =~ ^NAME\ +HELD\ +BY\ +TOKEN\ +SINCE\ +UNTIL\ +LEFT$ ]]
  local time='[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}[+-][0-9]{2}:[0-9]{2}'
  [[ ${lines[1]} =~ ^table\ +session\ +[^\ ]*:$keeper\ +[0-9]+\ +$time\ +$time\ +in\ .+$ ]]
  [[ ${lines[2]} =~ ^table-lease\ +lease\ +[^\ ]*:[0-9]+\ +[0-9]+\ +$time\ +$time\ +in\ 59m.*$ ]]
  local head=${lines[0]%%TOKEN*} row=${lines[2]}
  [[ ${row:${#head}-1:2} =~ ^\ [0-9]$ ]]
}

@test "ls --json: one object per line, raw microseconds and ISO times" {
  hold json --value 'tab	and "quote"'
  run -0 --separate-stderr dblock --json ls json
  equal "${#lines[@]}" 1
  contains "$output" '"name":"json","held":"session","token":'
  contains "$output" "\"pid\":$keeper,"
  contains "$output" '"value":"tab\tand \"quote\""'
  [[ $output =~ \"acquired\":\"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{6}Z\",\"acquired_us\":([0-9]+), ]]
  # The database's clock runs on this very machine.
  local us=${BASH_REMATCH[1]} now
  now=$(now_ms)
  ((us / 1000 <= now + 5000 && us / 1000 > now - 3600000))
  [[ $output =~ ^\{.*\}$ ]]
}

@test "ls: patterns, order by bytes, free ones with -a" {
  local name
  for name in p-b p-a p-B 'p-*' 'p-ä' 'p%x'; do
    dblock acquire "$name" --lease 1h
  done
  names_of() {
    dblock --json ls "$@" | sed -E 's/^\{"name":"([^"]*)".*/\1/' | tr '\n' ' '
  }
  equal "$(names_of 'p-?')" "p-* p-B p-a p-b p-ä "
  equal "$(names_of 'p-\*')" "p-* "
  equal "$(names_of 'p%*')" "p%x "
  equal "$(names_of 'P-*')" ""
  dblock run p-free -- true
  equal "$(names_of 'p-fr*')" ""
  equal "$(names_of -a 'p-fr*')" "p-free "
  run -0 dblock ls --all p-free
  contains "$output" "free"
}

@test "ls: more names than the library reads at once" {
  local i values=
  for ((i = 1000; i < 1450; i++)); do
    values+="${values:+, }('page-$i', $i, 0, 'h', 1, 1, 1, $i)"
  done
  sql "INSERT INTO dblock_lock (name, token, nonce, host, pid, thread, reentry, acquired)
    VALUES $values"
  dblock acquire page-1100 --lease 1h
  equal "$(dblock --json ls -a 'page-*' | sed -E 's/^\{"name":"page-([0-9]+)".*/\1/')" "$(seq 1000 1449)"
  equal "$(dblock --json ls -a 'page-??[5-9]?' | wc -l)" 0
  equal "$(dblock --json ls -a 'page-1?00' | wc -l)" 5
  equal "$(dblock --json ls 'page-*' | wc -l)" 1
}

@test "ls: nothing held is no error" {
  run -0 --separate-stderr dblock ls 'no such *'
  equal "$output" ""
  contains "$stderr" "nothing is held"
  run -0 --separate-stderr dblock -q ls 'no such *'
  equal "$output$stderr" ""
  run -0 --separate-stderr dblock --json ls 'no such *'
  equal "$output$stderr" ""
}

@test "show: all that is known, also of a free lock; 1 if the name is not known" {
  hold shown --value "what for"
  run -0 --separate-stderr dblock show shown
  contains "$output" "name:     shown"
  contains "$output" "held:     as long as its session lives"
  contains "$output" ":$keeper"
  contains "$output" "value:    what for"
  contains "$output" "token:    "
  contains "$output" "since:    "
  contains "$output" "until:    "
  kill -TERM "$holder"
  ended "$holder"
  run -0 dblock show shown
  contains "$output" "held:     no"
  run -1 --separate-stderr dblock show "no such name"
  equal "$output" ""
  contains "$stderr" "dblock: show: "
  run -1 dblock --json show "no such name"
}

@test "what an operator looks for: sessions that are dead, or gone, and what only rests" {
  hold odd --ttl 1h
  sql "UPDATE dblock_session SET dead = true WHERE id = (SELECT session FROM dblock_lock WHERE name = 'odd')"
  contains "$(dblock --json ls odd)" '"held":"dead"'
  contains "$(dblock show odd)" "by a session that is dead: it is there for the taking"
  sql "DELETE FROM dblock_session WHERE id = (SELECT session FROM dblock_lock WHERE name = 'odd')"
  contains "$(dblock --json ls odd)" '"held":"missing"'
  contains "$(dblock show odd)" 'by a session whose row is gone: only `dblock break` helps'
  dblock run --at-least 1h resting -- true
  contains "$(dblock --json ls resting)" '"held":"minimum"'
  contains "$(dblock show resting)" "released, but kept taken until its least time is over"
}

@test "text of others cannot move the cursor" {
  dblock acquire nasty --lease 1h --value $'red \e[31m bell \a right-to-left \xe2\x80\xae end'
  run -0 dblock show nasty
  contains "$output" 'red \x1B[31m bell \x07 right-to-left \xE2\x80\xAE end'
  run -0 dblock --json show nasty
  contains "$output" '\u001B[31m'
}
