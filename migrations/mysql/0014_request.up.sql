-- One row for each grant whose holder was asked to let go. It is about that grant, and about no other:
-- tokens never come again. Who holds it looks here with each heartbeat, by its host and pid, and
-- deletes what is over; so does `dblock reap`. Nothing is taken from anybody by a row in here.
CREATE TABLE IF NOT EXISTS dblock_request (
	host    VARCHAR(255) NOT NULL,   -- of who holds it,
	pid     BIGINT NOT NULL,         -- its process there
	name    VARBINARY(255) NOT NULL, -- of the lock
	token   BIGINT NOT NULL,         -- of the grant
	reason  VARCHAR(255) NOT NULL,   -- what for; may be empty
	by_host VARCHAR(255) NOT NULL,   -- of who asks, or asked last:
	by_pid  BIGINT NOT NULL,         -- its process there,
	by_app  VARCHAR(255) NOT NULL,   -- and what it calls itself
	since   BIGINT NOT NULL,         -- when that was, us since 1970-01-01 00:00 UTC
	PRIMARY KEY (host, pid, name, token)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
