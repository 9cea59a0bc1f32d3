-- ring: find the connection that sleeps on a channel (see doorbell), which has to be interrupted. Other
-- users' connections are seen only with PROCESS. The client then reads by itself what is new.
-- MySQL fails to read information_schema.processlist while anybody's statement has a character beyond
-- utf8mb3 (error 3854); without the performance schema there is no other one.
-- $1 channel
SELECT p.id
  FROM (SELECT id, command, info FROM information_schema.processlist
        /*!80000 WHERE NOT @@performance_schema
         UNION ALL SELECT id, command, info FROM performance_schema.processlist */) p
 WHERE p.command = 'Query' AND p.id <> CONNECTION_ID()
   AND p.info LIKE CONCAT('-- doorbell: %SELECT SLEEP(%) AS bell\\_', $1)
