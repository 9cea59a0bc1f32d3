-- rows_enter: nothing to set, as the driver does the waiting.
-- $1 ms
SELECT $1
