-- quorum_forgets: which setting lets this server forget what it has committed when its machine crashes; '': none.
SELECT CASE current_setting('fsync') WHEN 'on' THEN '' ELSE 'fsync = off' END
