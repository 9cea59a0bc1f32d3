# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The tests of `dblock metrics` share these.

# Debian's, as it has Debian's package of Prometheus' parsers.
other()
{
  /usr/bin/python3 "$BATS_TEST_DIRNAME/other.py" "$@"
}

# Reads metrics from standard input, by a parser of their format, into $numbers.
read_numbers()
{
  numbers=$(other "${1-openmetrics}")
}

# value METRIC [LABEL=VALUE...]: prints that number of $numbers; nothing if it is not there.
value()
{
  awk -v want="dblock_$* " 'index($0, want) == 1 && NF == split(want, words) + 1 { print $NF }' <<<"$numbers"
}

# has NUMBER METRIC [LABEL=VALUE...]
has()
{
  local number=$1
  shift
  equal "$* $(value "$@")" "$* $number.000000"
}

# between LEAST MOST METRIC...
between()
{
  local least=$1 most=$2 it
  shift 2
  it=$(value "$@")
  awk -v least="$least" -v most="$most" -v it="$it" 'BEGIN { exit !(it != "" && it >= least && it <= most) }' || {
    echo "$*: $it, and not from $least to $most" >&2
    return 1
  }
}

# serve [OPTION...]: starts `dblock metrics --listen` at a free port of the loopback; its pid is $server, its
# port $port, what it says is in $log.
serve()
{
  log=$BATS_TEST_TMPDIR/log.$RANDOM
  background dblock metrics --listen 127.0.0.1:0 "$@" 2>"$log"
  server=$started
  wait_for grep -q /metrics "$log"
  port=$(sed -n 's,.*http://127.0.0.1:\([0-9]*\)/metrics,\1,p' "$log")
}

# ask [LINE...]: sends these, and an empty line; the answer's head is in $head, without CRs, its body in $body.
ask()
{
  local answer
  answer=$({ [ $# -eq 0 ] || printf '%s\r\n' "$@"; echo $'\r'; } | other ask "${to-$port}" | tr -d '\r')
  head=${answer%%$'\n\n'*}
  body=
  [ "$head" = "$answer" ] || body=${answer#*$'\n\n'}
}

get='GET /metrics HTTP/1.1'
