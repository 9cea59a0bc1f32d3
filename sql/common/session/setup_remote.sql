-- setup_remote: never sent, as no connection of this database can ask for that.
SELECT 0 AS standby
