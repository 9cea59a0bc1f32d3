#!/bin/sh
# SPDX-License-Identifier: MIT
# A path or a host of the machine that it was written on is found.
set -eu
. "${0%/*}/planted"

echo 'see /usr/share/doc, /var/lib/mysql and work/here' >README.md
clean paths
echo 'cd /home/someone/dblock' >bad
caught paths 'bad:1:'
echo 'include(/root/x.cmake)' >bad
caught paths 'bad:1:'
echo 'deb http://deb.debian.org/debian bookworm main' >bad
caught paths 'bad:1:'
