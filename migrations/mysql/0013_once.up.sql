-- One row for each slot of a job that was done (dblock_once() in once.h): marked by who held the lock
-- of that name then. The row is written once and never changed; `dblock reap` deletes it after 400
-- days (--keep-marks), and then the slot could be had again.
CREATE TABLE IF NOT EXISTS dblock_once (
	name   VARBINARY(255) NOT NULL, -- of the job, and of its lock
	slot   VARBINARY(64) NOT NULL,  -- which of its times: UTF-8, compared byte for byte
	token  BIGINT NOT NULL,         -- fencing token of the grant under which it was done
	host   VARCHAR(255) NOT NULL,   -- where,
	pid    BIGINT NOT NULL,         -- and by which process
	marked BIGINT NOT NULL,         -- when it was marked, us since 1970-01-01 00:00 UTC
	PRIMARY KEY (name, slot),
	KEY by_time (marked),
	CHECK (LENGTH(slot) BETWEEN 1 AND 64)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
