# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Tests of the program share these. Nothing here sleeps and hopes: it waits for a condition.
bats_require_minimum_version 1.5.0

# Before each command bats notes where it is. Debian's version does more for that than bash does for the
# command; this is the same, but for file names of Windows and for bats --trace, in a quarter less time.
if [[ ${BATS_VERSION-} == 1.8.* && ${BATS_TRACE_LEVEL-0} == 0 ]]; then
  bats_debug_trap()
  {
    case $1 in "$BATS_ROOT"/lib/* | "$BATS_ROOT"/libexec/*) return 0 ;; esac
    BATS_DEBUG_LASTLAST_STACK_TRACE=("${BATS_DEBUG_LAST_STACK_TRACE[@]}")
    BATS_DEBUG_LAST_LINENO=("${BASH_LINENO[@]}") BATS_DEBUG_LAST_SOURCE=("${BASH_SOURCE[@]}")
    bats_capture_stack_trace
    return 0
  }
fi

export DBLOCK_URL=${DBLOCK_TEST_URL-}

# Makes the tables; once per file, in setup_file.
with_tables()
{
  dblock -q schema up >/dev/null
}

# Prints milliseconds since the epoch.
now_ms()
{
  echo $((${EPOCHREALTIME/[.,]/} / 1000))
}

# Waits until CMD... succeeds; a minute on a quiet machine is far more than anything here takes. What does
# not come soon is asked for less often: each time costs others a process or more.
wait_for()
{
  local end=$((SECONDS + 60 * ${DBLOCK_TEST_SLOWNESS-1})) tries=0
  until "$@"; do
    if ((SECONDS > end)); then
      echo "never came true: $*" >&2
      return 1
    fi
    if ((++tries < 20)); then sleep 0.05; else sleep 0.3; fi
  done
}

# slowly SECONDS: prints so many, or more on a slow machine, in the form that dblock takes: for a
# time that must not run out while a test is kept from going on, such as a ttl.
slowly()
{
  echo "$(($1 * ${DBLOCK_TEST_SLOWNESS-1}))s"
}

# When PID was started, in ticks since the boot; nothing if it is gone.
born()
{
  local stat
  read -r stat <"/proc/$1/stat" || return 0
  set -- ${stat##*) }
  echo "${20}"
} 2>/dev/null

# Notes PID..., each a word or a line, to be ended with the test. By then a pid may be another process's: a test may take so long
# that all numbers have been used again, and its machine has other work.
ends_with_test()
{
  local pid
  printf '%s\n' "$@" | while read -r pid; do
    echo "$pid $(born "$pid")"
  done >>"$BATS_TEST_TMPDIR/pids"
}

# Starts CMD... beside the test; its pid is $started.
background()
{
  "$@" 3>&- &
  started=$!
  ends_with_test "$started"
}

parent_of()
{
  sed -n 's/^PPid:[[:space:]]*//p' "/proc/$1/status"
}

# hold NAME [OPTION...]: holds a lock until the test ends. $holder is the pid of the dblock that is
# started here, $keeper that of its process that has the session, $guardian that of the one that
# watches $command, which runs under the lock.
hold()
{
  local up=$BATS_TEST_TMPDIR/up.$RANDOM$RANDOM
  background dblock run "$@" -- sh -c 'echo $$ >"$1.new"; mv "$1.new" "$1"; exec sleep 1000' - "$up"
  holder=$started
  wait_for test -e "$up"
  command=$(cat "$up")
  guardian=$(parent_of "$command")
  keeper=$(parent_of "$guardian")
  ends_with_test "$command" "$guardian" "$keeper"
}

# Waits for a pid that `background` started, and keeps its exit code in $code.
ended()
{
  code=0
  wait "$1" || code=$?
}

# Each file's teardown calls this.
end_background()
{
  local pid since
  while read -r pid since; do
    [ -z "$since" ] || [ "$(born "$pid")" != "$since" ] || kill -KILL "$pid" || true
  done 2>/dev/null <"$BATS_TEST_TMPDIR/pids" || true
}

# Tells whether the process runs. A zombie does not.
alive()
{
  grep -qs '^State:[[:space:]][^ZX]' "/proc/$1/status"
}

equal()
{
  [ "$1" = "$2" ] || {
    printf 'expected: %q\n     got: %q\n' "$2" "$1" >&2
    return 1
  }
}

contains()
{
  [[ $1 == *"$2"* ]] || {
    printf 'not found: %q\n       in: %q\n' "$2" "$1" >&2
    return 1
  }
}

lacks()
{
  [[ $1 != *"$2"* ]] || {
    printf 'found: %q\n   in: %q\n' "$2" "$1" >&2
    return 1
  }
}

# Prints the number under KEY of `show --json NAME`.
number_of()
{
  dblock --json show -- "$1" | sed -nE "s/.*\"$2\":(-?[0-9]+).*/\1/p"
}

token_of()
{
  number_of "$1" token
}

# Succeeds if the lock can be had now.
is_free()
{
  dblock -q run -n -- "$1" true
}

# Tells whether dblock, as PID, has come so far that a signal is kept until it wants it. Then PIPE
# (bit 12) and CHLD (bit 16) are blocked, but CHLD is not while a process with children waits. (PIPE
# alone does not tell: the MySQL driver blocks it around each call. And if ALRM, bit 13, is blocked
# as well, all signals are, as for a moment while a thread is started.)
takes_signals()
{
  local mask
  [ "$(cat "/proc/$1/comm")" = dblock ] || return 1
  mask=$(sed -n 's/^SigBlk:[[:space:]]*//p' "/proc/$1/status")
  (((16#$mask & 0x3000) == 0x1000)) || return 1
  (((16#$mask & 0x10000) != 0)) || [ -n "$(cat "/proc/$1/task/$1/children")" ]
}

# Runs the database's own client, behind the program's back; it reads statements from its standard
# input.
client()
{
  local socket=${DBLOCK_TEST_URL#*socket=} database=${DBLOCK_TEST_URL%%\?*}
  case $DBLOCK_TEST_BACKEND in
  sqlite) sqlite3 -batch -bail -cmd '.timeout 20000' "${DBLOCK_TEST_URL#sqlite://}" ;;
  postgresql)
    # Limits that a test sets for the program do not end this client, as a slow machine reaches
    # them.
    local limits='-c idle_in_transaction_session_timeout=0'
    [ "$DBLOCK_TEST_POSTGRESQL" -lt 14 ] || limits+=' -c idle_session_timeout=0'
    PGOPTIONS=$limits \
      psql -X -q -A -t -v ON_ERROR_STOP=1 "$DBLOCK_TEST_URL"
    ;;
  mysql)
    printf -v socket %b "${socket//%/\\x}"
    mariadb --no-defaults --skip-ssl --batch --unbuffered --skip-column-names --socket="$socket" --user=root \
      "${database##*/}"
    ;;
  esac
}

# Runs statements by that client.
sql()
{
  client <<<"$1;"
}

# Stops processes of ours, all of which are named; on SQLite not in the middle of their writes,
# which would keep everybody from the file.
stop_between_writes()
{
  while
    kill -STOP "$@"
    [ "$DBLOCK_TEST_BACKEND" = sqlite ] &&
      ! sqlite3 -cmd '.timeout 1000' "${DBLOCK_TEST_URL#sqlite://}" 'BEGIN IMMEDIATE; ROLLBACK'
  do
    kill -CONT "$@"
    sleep 0.1
  done
}

# in_transaction STATEMENT...: opens a transaction, runs them, and leaves it open until
# end_transaction or the end of the test.
in_transaction()
{
  local begin=BEGIN pipe=$BATS_TEST_TMPDIR/statements
  [ "$DBLOCK_TEST_BACKEND" = sqlite ] && begin='BEGIN IMMEDIATE'
  mkfifo "$pipe"
  # The pipe is opened both ways, so that this does not wait for the reader.
  exec {transaction}<>"$pipe"
  background read_statements "$pipe" >"$BATS_TEST_TMPDIR/answers"
  printf '%s;\n' "$begin" "$@" "SELECT 'open'" >&"$transaction"
  wait_for grep -q open "$BATS_TEST_TMPDIR/answers"
}

# This runs in the background, and must not keep the other end of the pipe open itself.
read_statements()
{
  exec <"$1" {transaction}>&-
  client
}

end_transaction()
{
  exec {transaction}>&-
  ended "$started"
}

# Skips a test that needs pg_dump where it is older than the server, which it refuses: ./dev test versions
# has servers that are newer than Debian's clients.
needs_pg_dump()
{
  [ "$DBLOCK_TEST_BACKEND" = postgresql ] || return 0
  local why
  why=$(pg_dump --schema-only -t 'no_such*' "$DBLOCK_TEST_URL" 2>&1 >/dev/null) || true
  case $why in *"server version mismatch"*) skip "$(pg_dump --version) is older than the server" ;; esac
}
