# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# A network that can be cut.

# Starts a relay to the server, at $url; its pid is $relay. While it is stopped, it accepts everything and
# answers nothing. With USR1 it hangs up on everybody.
relay()
{
  cat >"$BATS_TEST_TMPDIR/relay.pl" <<-'END'
	use IO::Socket::INET;
	use IO::Select;
	my ($to, $file) = @ARGV;
	my $listen = IO::Socket::INET->new(Listen => 20, LocalAddr => "127.0.0.1") or die;
	open my $out, ">", "$file.new"; print $out $listen->sockport, "\n"; close $out;
	rename "$file.new", $file;
	my ($all, %peer) = IO::Select->new($listen);
	my $cut;
	$SIG{USR1} = sub { $cut = 1 };
	while (1) {
	  my @ready = $all->can_read;
	  if ($cut) {
	    $_ == $listen or $all->remove($_), $_->close for $all->handles;
	    ($cut, %peer) = (0);
	    next;
	  }
	  for my $from (@ready) {
	    if ($from == $listen) {
	      my $a = $listen->accept or next;
	      my $b = IO::Socket::INET->new(PeerAddr => $to) or next;
	      ($peer{$a}, $peer{$b}) = ($b, $a);
	      $all->add($a, $b);
	    } elsif (my $other = $peer{$from}) {
	      my $bytes;
	      next if sysread($from, $bytes, 65536) && syswrite($other, $bytes);
	      $all->remove($from, $other);
	      delete @peer{$from, $other};
	      $_->close for $from, $other;
	    }
	  }
	}
	END
  [[ $DBLOCK_TEST_TCP_URL =~ ^(.*@)([^/:@]+:[0-9]+)(/.*)$ ]]
  local before=${BASH_REMATCH[1]} server=${BASH_REMATCH[2]} after=${BASH_REMATCH[3]}
  background perl "$BATS_TEST_TMPDIR/relay.pl" "$server" "$BATS_TEST_TMPDIR/port"
  relay=$started
  wait_for test -s "$BATS_TEST_TMPDIR/port"
  url=$before"127.0.0.1:$(cat "$BATS_TEST_TMPDIR/port")"$after
}
