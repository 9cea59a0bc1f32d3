-- One row for each slot of a job that was done (dblock_once() in once.h): marked by who held the lock
-- of that name then. The row is written once and never changed; `dblock reap` deletes it after 400
-- days (--keep-marks), and then the slot could be had again.
CREATE TABLE IF NOT EXISTS dblock_once (
	name   TEXT NOT NULL,    -- of the job, and of its lock
	slot   TEXT NOT NULL
	       CHECK (length(CAST(slot AS BLOB)) BETWEEN 1 AND 64), -- which of its times
	token  INTEGER NOT NULL, -- fencing token of the grant under which it was done
	host   TEXT NOT NULL,    -- where,
	pid    INTEGER NOT NULL, -- and by which process
	marked INTEGER NOT NULL, -- when it was marked, us since 1970
	PRIMARY KEY (name, slot),
	UNIQUE (marked, name, slot) -- for the reaper: what is old
) STRICT, WITHOUT ROWID;
