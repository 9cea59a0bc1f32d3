-- setup_remote: no connection can ask for that here, so no client gets this far.
SELECT 0 AS standby
