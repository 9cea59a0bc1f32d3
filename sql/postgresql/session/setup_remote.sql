-- setup_remote: for each connection of a client that has asked for it: a commit is answered when it is on
-- the synchronous standby's disk as well; a row: 1 if there is to be such a standby, else 0. 'on' does
-- that. 'remote_apply' would also wait until it can be read there, where nobody reads it: a standby
-- applies all that it has before it is promoted; so 'remote_apply' is kept, but never set.
-- $1 1: for this transaction only
SELECT CASE WHEN pg_catalog.set_config('synchronous_commit',
              CASE WHEN pg_catalog.current_setting('synchronous_commit') = 'remote_apply'
                   THEN 'remote_apply' ELSE 'on' END, $1::int <> 0) IS NOT NULL
             AND pg_catalog.current_setting('synchronous_standby_names') <> '' THEN 1 ELSE 0 END AS standby
