-- One row for each open client. A client is alive while its row beats; when it stops for a whole
-- ttl, others may bury it (set dead, once and for ever), and every lock that it held is free.
-- All times are microseconds since 1970-01-01 00:00 UTC by this server's clock.
CREATE TABLE IF NOT EXISTS dblock_session (
	id      CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- 128 random bits, hexadecimal
	host    VARCHAR(255) NOT NULL,          -- where the client runs
	pid     BIGINT NOT NULL,                -- its process there
	app     VARCHAR(255) NOT NULL,          -- what it calls itself
	ttl     BIGINT NOT NULL,                -- how long it lives without a heartbeat
	opened  BIGINT NOT NULL,                -- when it was opened
	expires BIGINT NOT NULL,                -- last heartbeat + ttl
	beat    BIGINT NOT NULL,                -- grows with each heartbeat, from a random number
	dead    BOOLEAN NOT NULL DEFAULT FALSE, -- buried or closed; never set back
	ended   BIGINT NULL,                    -- when that was
	PRIMARY KEY (id),
	CHECK (ttl > 0)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
