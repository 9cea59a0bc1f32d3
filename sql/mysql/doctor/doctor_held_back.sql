-- doctor_held_back: what keeps InnoDB from clearing away rows that were deleted: what it is, whose, and for how long it
-- has, us, NULL: not known; and how much has piled up by that.
-- $1 those that have for longer than so many us  $2 as many versions or more
SELECT h.what, h.who, h.age
  FROM (SELECT 'transaction' AS what, CONCAT('of connection ', t.trx_mysql_thread_id) AS who,
               TIMESTAMPDIFF(MICROSECOND, CONVERT_TZ(t.trx_started, 'SYSTEM', '+00:00'), UTC_TIMESTAMP(6)) AS age
          FROM information_schema.innodb_trx t
         WHERE t.trx_mysql_thread_id <> CONNECTION_ID()
         UNION ALL
        SELECT 'history list', CONCAT('of ', m.count, ' transactions'), NULL
          FROM information_schema.innodb_metrics m
         WHERE m.name = 'trx_rseg_history_len' AND m.count >= $2) h
 WHERE h.age >= $1 OR h.age IS NULL
 ORDER BY h.age IS NOT NULL, h.age DESC
 LIMIT 5
