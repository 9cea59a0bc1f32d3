-- One row for each grant that was taken away from a living holder (dblock break, or a release by its
-- token from elsewhere), for each session whose client is to be told. Its heartbeat finds it here: the
-- grant is lost there from then on, and its holder gives it back. Whoever has seen such a row, and the
-- grant unchanged, for the session's whole ttl may free it: by then the holder has been told, or its
-- session is over. The client deletes the row when the grant is over, or `dblock reap`.
CREATE TABLE IF NOT EXISTS dblock_revocation (
	session TEXT NOT NULL,    -- whose client is to be told
	name    TEXT NOT NULL,    -- of the lock
	token   INTEGER NOT NULL, -- of the grant, as it was seen,
	nonce   INTEGER NOT NULL, -- and what stays as it is if its token grows
	cause   INTEGER NOT NULL, -- 3: broken, 4: released by its token
	by_host TEXT NOT NULL,    -- of who took it away:
	by_pid  INTEGER NOT NULL, -- its process there,
	by_app  TEXT NOT NULL,    -- and what it calls itself
	since   INTEGER NOT NULL, -- when that was, us since 1970
	told    INTEGER NOT NULL DEFAULT 0, -- 1: the client knows
	PRIMARY KEY (session, name, token),
	UNIQUE (name, token, session) -- for those who wait for that lock
) STRICT, WITHOUT ROWID;
