#!/bin/sh
# SPDX-License-Identifier: MIT
# A script with an unquoted variable is found, whatever its name.
set -eu
. "${0%/*}/planted"

# shellcheck disable=SC2016 # planted as it stands
{
	printf '#!/bin/sh\necho "$1"\n' >good
	printf '@test "it" {\n  echo "$1"\n}\n' >good.bats
	clean shellcheck
	printf '#!/bin/sh\nrm $1\n' >bad
	caught shellcheck 'In bad line 2'
	printf '#!/bin/sh\necho "$1"\n' >bad
	printf '@test "it" {\n  rm $@\n}\n' >bad.bats
	caught shellcheck 'In bad.bats line 2'
	rm bad.bats
	mkdir .ci
	printf '#!/usr/bin/env bash\nrm $1\n' >.ci/run
	caught shellcheck 'In .ci/run line 2'
	printf '# shellcheck shell=sh\nrm $1\n' >.ci/run
	caught shellcheck 'In .ci/run line 2'
}
