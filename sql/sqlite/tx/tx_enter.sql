-- tx_enter: nothing to set: no setting of a connection's matters to us, and the driver does the waiting.
-- $1 ms
SELECT $1
