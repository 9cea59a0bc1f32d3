-- ring: find the connection that sleeps on a channel (see doorbell), which has to be interrupted. Other
-- users' connections are seen only with PROCESS. The client then reads by itself what is new.
-- $1 channel
SELECT p.id
  FROM information_schema.processlist p
 WHERE p.command = 'Query' AND p.id <> CONNECTION_ID()
   AND p.info LIKE CONCAT('-- doorbell: %SELECT SLEEP(%) AS bell\\_', $1)
