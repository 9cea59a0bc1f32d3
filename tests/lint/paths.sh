#!/bin/sh
# SPDX-License-Identifier: MIT
# A path or a host of the machine that it was written on is found.
set -eu
. "${0%/*}/planted"

echo 'see /usr/share/doc, /var/lib/mysql, /tmp/dblock.sock and work/here' >README.md
clean paths
echo 'cd /home/someone/dblock' >bad
caught paths 'bad:1:'
echo 'include(/root/x.cmake)' >bad
caught paths 'bad:1:'
echo 'deb http://deb.debian.org/debian bookworm main' >bad
caught paths 'bad:1:'
echo '/tmp/bats-run-Y3lM7n/test/4/migrations/0002_a.up.sql' >bad
caught paths 'bad:1:'
echo 'cat /tmp/dblock-test.Ab12Cd/test.db' >bad
caught paths 'bad:1:'
