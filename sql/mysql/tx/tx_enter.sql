-- tx_enter: in the caller's open transaction: one statement of ours waits for each lock only so long, in
-- whole seconds, at least one, and its times are UTC. The old settings are kept for tx_leave.
-- $1 ms
SET @wait_of_dblock = @@SESSION.innodb_lock_wait_timeout,
    @zone_of_dblock = @@SESSION.time_zone,
    @id_of_dblock = @@SESSION.last_insert_id,
    SESSION innodb_lock_wait_timeout = GREATEST(1, $1 DIV 1000),
    SESSION time_zone = '+00:00'
