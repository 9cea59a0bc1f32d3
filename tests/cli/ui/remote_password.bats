#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The server wants a password, which stands neither on the command line nor in the environment.

setup_file() {
  load ../kit
  with_tables
  # The user belongs to the whole server, which other tests use as well. The password has characters
  # that a URL uses itself.
  export user=pass_$$ password='s3cr@t/%3F?#&:'
  case $DBLOCK_TEST_BACKEND in
  postgresql)
    sql "CREATE ROLE $user LOGIN PASSWORD '$password'"
    sql "GRANT ALL ON ALL TABLES IN SCHEMA public TO $user"
    ;;
  mysql)
    sql "CREATE USER $user@'%' IDENTIFIED BY '$password'"
    sql "GRANT ALL ON *.* TO $user@'%'"
    ;;
  esac
}

setup() {
  load ../kit
  cd "$BATS_TEST_TMPDIR"
  unset DBLOCK_URL
  export DBLOCK_CONF=$BATS_TEST_TMPDIR/dblock.conf
  [[ $DBLOCK_TEST_TCP_URL =~ ^([a-z]+://).*@(.*):([0-9]+)/(.*)$ ]]
  host=${BASH_REMATCH[2]} port=${BASH_REMATCH[3]} database=${BASH_REMATCH[4]}
  url=${BASH_REMATCH[1]}$user@$host:$port/$database
  umask 077
}

teardown_file() {
  load ../kit
  case $DBLOCK_TEST_BACKEND in
  postgresql) sql "DROP OWNED BY $user" && sql "DROP ROLE $user" ;;
  mysql) sql "DROP USER $user@'%'" ;;
  esac
}

gets_in() {
  run -0 --separate-stderr "$@" run x -- echo yes
  equal "$output$stderr" yes
}

does_not() {
  run -77 --separate-stderr "$@" run x -- touch ran
  lacks "$stderr" s3cr
  [ ! -e ran ]
}

@test "the password is that of the settings file's password_file, whatever characters it has" {
  printf 'url = %s\npassword_file = %s\n' "$url" "$PWD/secret" >dblock.conf
  printf '%s\nnot this line\n' "$password" >secret
  gets_in dblock
  # The password is for that URL, and for no other.
  does_not dblock -u "$url"
  echo "${password}x" >secret
  does_not dblock
}

@test "libpq's own files go on working; of MySQL's option files none is read" {
  does_not dblock -u "$url"
  case $DBLOCK_TEST_BACKEND in
  postgresql)
    echo "$host:$port:$database:$user:${password%:}\\:" >pass
    gets_in env PGPASSFILE=pass dblock -u "$url"
    printf '[%s]\n' locks >services
    printf '%s=%s\n' host "$host" port "$port" dbname "$database" user "$user" password "$password" >>services
    gets_in env PGSERVICEFILE=services dblock -u 'postgresql:///?service=locks'
    ;;
  mysql)
    printf '[client]\nuser=%s\npassword="%s"\n' "$user" "$password" >.my.cnf
    # The file can be read by MySQL's own program.
    equal "$(HOME=$PWD mariadb --host="$host" --port="$port" -N -e 'SELECT 1')" 1
    does_not env HOME="$PWD" dblock -u "$url"
    ;;
  esac
}
