-- quorum_forgets: which setting lets this server forget what it has committed when its machine crashes; '': none.
SELECT CASE @@GLOBAL.innodb_flush_log_at_trx_commit WHEN 1 THEN ''
            ELSE CONCAT('innodb_flush_log_at_trx_commit = ', @@GLOBAL.innodb_flush_log_at_trx_commit) END
