-- One row for each slot of a job that was done (dblock_once() in once.h): marked by who held the lock
-- of that name then. The row is written once and never changed; `dblock reap` deletes it after 400
-- days (--keep-marks), and then the slot could be had again.
CREATE TABLE IF NOT EXISTS dblock_once (
	name   text COLLATE "C" NOT NULL,     -- of the job, and of its lock
	slot   text COLLATE "C" NOT NULL
	       CHECK (octet_length(slot) BETWEEN 1 AND 64), -- which of its times, compared byte for byte
	token  bigint NOT NULL,               -- fencing token of the grant under which it was done
	host   text NOT NULL,                 -- where,
	pid    bigint NOT NULL,               -- and by which process
	marked bigint NOT NULL,               -- when it was marked, us since 1970-01-01 00:00 UTC
	PRIMARY KEY (name, slot),
	UNIQUE (marked, name, slot)           -- for the reaper: what is old
);
