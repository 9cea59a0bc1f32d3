-- One row for each grant whose holder was asked to let go. It is about that grant, and about no other:
-- tokens never come again. Who holds it looks here with each heartbeat, by its host and pid, and
-- deletes what is over; so does `dblock reap`. Nothing is taken from anybody by a row in here.
CREATE TABLE IF NOT EXISTS dblock_request (
	host    text NOT NULL,             -- of who holds it,
	pid     bigint NOT NULL,           -- its process there
	name    text COLLATE "C" NOT NULL, -- of the lock
	token   bigint NOT NULL,           -- of the grant
	reason  text NOT NULL,             -- what for; may be empty
	by_host text NOT NULL,             -- of who asks, or asked last:
	by_pid  bigint NOT NULL,           -- its process there,
	by_app  text NOT NULL,             -- and what it calls itself
	since   bigint NOT NULL,           -- when that was, us since 1970-01-01 00:00 UTC
	PRIMARY KEY (host, pid, name, token)
)
WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
