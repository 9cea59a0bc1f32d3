-- doctor_insert: may this user add rows to our tables?
INSERT INTO dblock_lock (name, token, nonce, host, pid, thread, reentry, acquired)
SELECT '', 0, 0, '', 0, 0, 0, 0 FROM (SELECT 1 AS one) d WHERE 1 = 0
-- step
INSERT INTO dblock_session (id, host, pid, app, ttl, opened, expires, beat)
SELECT '', '', 0, '', 1, 0, 0, 0 FROM (SELECT 1 AS one) d WHERE 1 = 0
-- step
INSERT INTO dblock_queue (name, nonce, session, thread, bell, since)
SELECT '', 0, '', 0, '', 0 FROM (SELECT 1 AS one) d WHERE 1 = 0
-- step
INSERT INTO dblock_once (name, slot, token, host, pid, marked)
SELECT '', '', 0, '', 0, 0 FROM (SELECT 1 AS one) d WHERE 1 = 0
-- step
INSERT INTO dblock_request (host, pid, name, token, reason, by_host, by_pid, by_app, since)
SELECT '', 0, '', 0, '', '', 0, '', 0 FROM (SELECT 1 AS one) d WHERE 1 = 0
-- step
INSERT INTO dblock_flight (name, token, made, took, expires, coded, value)
SELECT '', 0, 0, 0, 0, 0, '' FROM (SELECT 1 AS one) d WHERE 1 = 0
-- step
INSERT INTO dblock_revocation (session, name, token, nonce, cause, by_host, by_pid, by_app, since)
SELECT '', '', 0, 0, 0, '', 0, '', 0 FROM (SELECT 1 AS one) d WHERE 1 = 0
-- step
INSERT INTO dblock_history (n, id, facts, since)
SELECT 0, '', '', 0 FROM (SELECT 1 AS one) d WHERE 1 = 0
-- step
INSERT INTO dblock_event
  (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
SELECT 0, 0, '', 0, '', 0, '', '', '', 0, '', '' FROM (SELECT 1 AS one) d WHERE 1 = 0
