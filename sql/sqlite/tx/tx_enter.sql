-- tx_enter: what a connection has set changes nothing for us; its waiting is the driver's.
-- $1 ms
SELECT $1
