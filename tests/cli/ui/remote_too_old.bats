#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A server that is too old is refused by the version that it tells as the connection is opened: the
# tests' own server stands behind a relay that changes the version.

setup() {
  load ../kit
  T=$BATS_TEST_TMPDIR
}

teardown() {
  end_background
}

# Starts a relay to the server, at $url, which puts that version in.
says_version() {
  cat >"$T/relay.pl" <<-'END'
	use IO::Socket::INET;
	use IO::Select;
	my ($to, $version, $file) = @ARGV;
	my $listen = IO::Socket::INET->new(Listen => 20, LocalAddr => "127.0.0.1") or die;
	open my $out, ">", "$file.new"; print $out $listen->sockport, "\n"; close $out;
	rename "$file.new", $file;
	my ($all, %peer, %seen) = IO::Select->new($listen);
	while (my @ready = $all->can_read) {
	  for my $from (@ready) {
	    if ($from == $listen) {
	      my $a = $listen->accept or next;
	      my $b = IO::Socket::INET->new(PeerAddr => $to) or next;
	      ($peer{$a}, $peer{$b}) = ($b, $a);
	      $seen{$a} = 1;
	      $all->add($a, $b);
	    } elsif (my $other = $peer{$from}) {
	      my $bytes;
	      if (sysread($from, $bytes, 65536)) {
	        # MySQL's first packet: its length in three bytes, a number, the protocol's, the text.
	        $bytes =~ s/\A(...)(.\n)([^\0]*)\0/substr(pack("V", unpack("V", "$1\0")
	            - length($3) + length($version)), 0, 3) . "$2$version\0"/se unless $seen{$from}++;
	        # PostgreSQL's parameter, once: its length in four bytes, its name, the text.
	        $bytes =~ s/S....server_version\0[^\0]*\0/"S" . pack("N", 20 + length($version))
	            . "server_version\0$version\0"/se;
	        next if syswrite($other, $bytes);
	      }
	      $all->remove($from, $other);
	      delete @peer{$from, $other};
	      delete @seen{$from, $other};
	      $_->close for $from, $other;
	    }
	  }
	}
	END
  [[ $DBLOCK_TEST_TCP_URL =~ ^(.*@)([^/:@]+:[0-9]+)(/.*)$ ]]
  local before=${BASH_REMATCH[1]} server=${BASH_REMATCH[2]} after=${BASH_REMATCH[3]}
  rm -f "$T/port"
  background perl "$T/relay.pl" "$server" "$1" "$T/port"
  wait_for test -s "$T/port"
  url=$before"127.0.0.1:$(cat "$T/port")"$after
}

# is_refused SERVER LEAST: it is refused as too old; one line says which it is, which is needed, and
# what next.
is_refused() {
  run -64 --separate-stderr dblock -u "$url" ls
  equal "$output" ""
  equal "$(wc -l <<<"$stderr")" 1
  contains "$stderr" "$1 is too old for dblock, which needs $2 or newer; update the server"
  contains "$stderr" 127.0.0.1
  run -64 --separate-stderr dblock -u "$url" run x -- touch "$T/ran"
  [ ! -e "$T/ran" ]
  run -64 dblock -u "$url" reap --every 1s
  run -2 dblock -u "$url" schema up
  contains "$output" "$1 is too old"
  run -2 dblock -u "$url" doctor
  contains "$output" "$1 is too old"
}

@test "a server that is too old is refused: 64 (migrate, doctor: 2), and what to do" {
  case $DBLOCK_TEST_BACKEND in
  mysql)
    says_version 5.7.44-log
    is_refused "MySQL 5.7.44-log" 8.0.22
    says_version 5.5.5-10.5.9-MariaDB
    is_refused "MariaDB 10.5.9-MariaDB" 10.6
    ;;
  postgresql)
    says_version 11.22
    is_refused "PostgreSQL 11.22" 12
    ;;
  esac
}

@test "the least that is needed is let in, and so is what says no number" {
  local version least=12.0
  if [ "$DBLOCK_TEST_BACKEND" = mysql ]; then
    least=8.0.22
    [[ $(sql "SELECT VERSION()") != *MariaDB* ]] || least=5.5.5-10.6.0-MariaDB
  fi
  for version in "$least" nonsense; do
    says_version "$version"
    dblock -q -u "$url" schema up >/dev/null
    run -0 dblock -u "$url" run x -- dblock -u "$url" show x
    contains "$output" x
  done
}
