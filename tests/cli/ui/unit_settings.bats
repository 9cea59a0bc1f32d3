#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The database is named on the line, in the environment, in the settings files; or nowhere.

setup() {
  load ../kit
  cd "$BATS_TEST_TMPDIR"
  unset DBLOCK_URL
  export HOME=$BATS_TEST_TMPDIR/home XDG_CONFIG_HOME='' DBLOCK_CONF=$BATS_TEST_TMPDIR/dblock.conf
  user=$HOME/.config/dblock/config
  mkdir -p "${user%/*}"
}

# Tells whether COMMAND... has made exactly this file.
uses() {
  local file=$1
  shift
  rm -f ./*.db
  run -0 "$@"
  equal "$(ls ./*.db)" "./$file"
}

# Runs a command with the environment that cron, or sudo, leaves.
bare() {
  env -i PATH="$PATH" HOME="$HOME" DBLOCK_CONF="$DBLOCK_CONF" "$@" </dev/null
}

@test "nobody has named a database, and there is no terminal: 64, what to give, and no file is made" {
  run -64 --separate-stderr bare dblock run x -- touch ran
  contains "$stderr" 'no database: give -u URL, $DBLOCK_URL, or `url = URL` in /etc/dblock.conf'
  run -64 bare dblock ls
  run -64 bare dblock doctor
  run -2 bare dblock schema up
  equal "$(ls ./*.db 2>/dev/null)" ""
  [ ! -e ran ]
  run -0 bare dblock version
  run -0 bare dblock help
  run -0 bare dblock migrate new customer --seq
}

@test "on a terminal it is dblock.db here, and that is said when it is made, but not with -q" {
  run -0 script -qec "dblock run x -- echo yes" /dev/null
  contains "$output" "the database is a new file dblock.db in this folder"
  contains "$output" yes
  [ -s dblock.db ]
  run -0 script -qec "dblock run x -- echo yes" /dev/null
  lacks "$output" "the database is"
  rm dblock.db*
  run -0 script -qec "dblock -q run x -- echo yes" /dev/null
  lacks "$output" "the database is"
  rm dblock.db*
  # The message comes even if the output goes to files: a person types this.
  run -0 script -qec "dblock run x -- echo yes >out 2>err" /dev/null
  contains "$(<err)" "dblock.db"
}

@test "option, then environment, then the user's file, then the system's" {
  echo 'url = sqlite:system.db' >dblock.conf
  uses system.db bare dblock run x -- true
  echo 'url = sqlite:user.db' >"$user"
  uses user.db bare dblock run x -- true
  uses env.db env DBLOCK_URL=sqlite:env.db dblock run x -- true
  uses option.db env DBLOCK_URL=sqlite:env.db dblock -u sqlite:option.db run x -- true
  uses user.db env DBLOCK_URL= dblock run x -- true
  XDG_CONFIG_HOME=$BATS_TEST_TMPDIR/xdg
  uses system.db dblock run x -- true
  mkdir -p xdg/dblock
  printf '# ours\n\n\turl\t=  sqlite:xdg.db  \r\nprefix = our_\n' >xdg/dblock/config
  uses xdg.db dblock run x -- true
  contains "$(sqlite3 xdg.db .tables)" our_lock
  uses xdg.db dblock --prefix other_ run x -- true
  contains "$(sqlite3 xdg.db .tables)" other_lock
}

@test "what is wrong in a file is told with its line, and nothing is done" {
  local line why
  while IFS='|' read -r line why; do
    printf '# first\n%s\n' "$line" >dblock.conf
    run -64 --separate-stderr dblock ls
    contains "$stderr" "dblock.conf:2: $why"
    lacks "$stderr" s3cret
  done <<-END
	uri = sqlite:x.db|this key is none of url, schema, prefix, password_file: uri
	sqlite:x.db|this is no line
	mysql://u:s3cret@h/d|this is no line
	url =|this is no line
	= x|this is no line
	password_file = /nowhere|password_file is of no use
	END
  printf 'url = sqlite:a.db\nurl = sqlite:b.db\n' >dblock.conf
  run -64 --separate-stderr dblock ls
  contains "$stderr" "dblock.conf:2: a second line for url"
  run -2 --separate-stderr dblock schema up
  equal "$(ls ./*.db 2>/dev/null)" ""
}

@test "several urls: each has its own password, and none is read by others" {
  echo secret >secret
  chmod 600 secret
  printf 'url = mysql://u@h1/d mysql://u@h2/d mysql://u@h3/d\npassword_file = secret\n' >dblock.conf
  run -64 --separate-stderr dblock ls
  contains "$stderr" "dblock.conf:2: password_file is of no use: there are several urls"
  printf 'url = mysql://u@h1/d mysql://u:s3cret@h2/d mysql://u@h3/d\n' >dblock.conf
  chmod 644 dblock.conf
  run -64 --separate-stderr dblock ls
  contains "$stderr" "dblock.conf:1: others can read or change the password"
  lacks "$stderr" s3cret
}

@test "a password: in a file that only its owner reads" {
  local file
  printf 'url = postgresql://u@127.0.0.1:1/d\npassword_file = %s\n' "$PWD/secret" >dblock.conf
  run -64 --separate-stderr dblock ls
  contains "$stderr" "dblock.conf:2: password_file cannot be read as a file: $PWD/secret"
  echo 's3cr@t/' >secret
  chmod 644 secret
  run -64 --separate-stderr dblock ls
  contains "$stderr" "dblock.conf:2: others can read or change the password in $PWD/secret"
  chmod 600 secret
  run -69 --separate-stderr dblock --call-timeout 5s ls
  lacks "$stderr" s3cr
  contains "$stderr" "(the URL is that of $PWD/dblock.conf:1)"
  : >secret
  run -64 --separate-stderr dblock ls
  contains "$stderr" "there is no password in"
  echo 'url = postgresql://u:s3cret@127.0.0.1:1/d' >dblock.conf
  chmod 640 dblock.conf
  run -64 --separate-stderr dblock ls
  contains "$stderr" "dblock.conf:1: others can read or change the password in"
  lacks "$stderr" s3cret
  chmod 600 dblock.conf
  run -69 --separate-stderr dblock --call-timeout 5s ls
}

@test "doctor says from where it has the URL" {
  echo "url = sqlite:$PWD/doc.db" >dblock.conf
  run -0 --separate-stderr dblock doctor
  contains "$stderr" "the URL is that of $PWD/dblock.conf:1"
}
