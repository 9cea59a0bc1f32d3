# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Databases on the tests' server, three of which are to be the members of a cluster.

# make_databases [N]: makes them, with tables; ${urls[1]} and so on are theirs, and "${members[@]}" the options
# that name the first three.
make_databases()
{
  local i name
  unset DBLOCK_URL
  [[ $DBLOCK_TEST_URL =~ t_[0-9]+_[0-9a-f]+ ]]
  name=${BASH_REMATCH[0]}
  for ((i = 1; i <= ${1-3}; i++)); do
    urls[i]=${DBLOCK_TEST_URL/"$name"/${name}_q$i}
    dblock -q -u "${urls[i]}" migrate create
    dblock -q -u "${urls[i]}" schema up
  done
  members=(-u "${urls[1]}" -u "${urls[2]}" -u "${urls[3]}")
}

drop_databases()
{
  local i
  for i in "${!urls[@]}"; do
    dblock -q -u "${urls[i]}" migrate drop --force --yes
  done
}

# Runs a statement in that member's database.
sql_of()
{
  DBLOCK_TEST_URL=${urls[$1]} sql "$2"
}

# A member that is down: its database's server is not there.
nowhere=postgresql://nobody@127.0.0.1:1/nowhere
