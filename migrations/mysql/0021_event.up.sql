-- What happened to locks and sessions, for people (dblock events): a loss, a break, a death, a refusal; who,
-- when, by whom. Written where something is written anyway. Nothing is decided by a row in here, and any may
-- be deleted: `dblock reap` keeps the newest 10 000, and none that is older than 30 days.
CREATE TABLE IF NOT EXISTS dblock_event (
	id      BIGINT NOT NULL AUTO_INCREMENT, -- grows
	at      BIGINT NOT NULL,              -- when it was written, us since 1970-01-01 00:00 UTC
	kind    SMALLINT NOT NULL,            -- what: enum dblock_event_kind in events.h
	name    VARBINARY(255) NOT NULL,      -- of the lock; empty: of none, or of all that a session held
	token   BIGINT NOT NULL,              -- of the grant; 0: of none
	host    VARCHAR(255) NOT NULL,        -- to whom it happened: where,
	pid     BIGINT NOT NULL,              -- its process there,
	app     VARCHAR(255) NOT NULL,        -- what it calls itself,
	session VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- and its session; empty, 0: unknown
	by_host VARCHAR(255) NOT NULL,        -- who did it, or noticed it: where,
	by_pid  BIGINT NOT NULL,              -- its process there,
	by_app  VARCHAR(255) NOT NULL,        -- and what it calls itself
	detail  VARCHAR(1024) NOT NULL,       -- for people
	PRIMARY KEY (id),
	UNIQUE KEY by_name (name, id)         -- what happened to one lock
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The first that happened: this. (Who did it is in the history.) A later file that changes the tables says so
-- as well.
INSERT INTO dblock_event (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
VALUES (CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED), 10, '', 0, '', 0, '', '', '', 0, '',
        'migration 0021_event');
