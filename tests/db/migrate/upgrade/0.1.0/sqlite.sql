-- A database of version 0.1.0 (commit fd95d35), with what its program wrote: its files 1 to 15 as the server was
-- sent them, without comments and without what they made and dropped again; then the rows of a dump.
-- One process has locks as "alive" and "waiter", whose ttl is a day, and as "dying", whose ttl is a second.
CREATE TABLE IF NOT EXISTS dblock_migration (
	scope      TEXT NOT NULL,
	version    INTEGER NOT NULL,
	name       TEXT NOT NULL,
	kind       TEXT NOT NULL,
	state      TEXT NOT NULL,
	seq        INTEGER NOT NULL,
	checksum   TEXT NOT NULL,
	token_checksum TEXT NOT NULL,
	steps      INTEGER NOT NULL,
	step_begun INTEGER NOT NULL,
	step_done  INTEGER NOT NULL,
	prefix_sum TEXT,
	started    INTEGER NOT NULL,
	finished   INTEGER,
	applied_by TEXT NOT NULL,
	tool       TEXT NOT NULL,
	error      TEXT,
	PRIMARY KEY (scope, version),
	CHECK (state IN ('applied', 'running', 'failed', 'reverting'))
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS dblock_session (
	id      TEXT NOT NULL PRIMARY KEY,
	clock   TEXT NOT NULL,
	host    TEXT NOT NULL,
	pid     INTEGER NOT NULL,
	app     TEXT NOT NULL,
	ttl     INTEGER NOT NULL CHECK (ttl > 0),
	opened  INTEGER NOT NULL,
	expires INTEGER NOT NULL,
	beat    INTEGER NOT NULL,
	dead    INTEGER NOT NULL DEFAULT 0 CHECK (dead IN (0, 1)),
	ended   INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS dblock_lock (
	name       TEXT NOT NULL PRIMARY KEY
	           CHECK (length(CAST(name AS BLOB)) BETWEEN 1 AND 255),
	token      INTEGER NOT NULL,
	nonce      INTEGER NOT NULL,
	mode       INTEGER NOT NULL DEFAULT 0,
	session    TEXT,
	clock      TEXT NOT NULL DEFAULT '',
	host       TEXT NOT NULL,
	pid        INTEGER NOT NULL,
	thread     INTEGER NOT NULL,
	reentry    INTEGER NOT NULL,
	lease      INTEGER,
	expires    INTEGER,
	keep_until INTEGER,
	acquired   INTEGER NOT NULL,
	released   INTEGER NOT NULL DEFAULT 0,
	queued     INTEGER NOT NULL DEFAULT 0 CHECK (queued IN (0, 1)),
	queue_version INTEGER NOT NULL DEFAULT 0,
	served     INTEGER NOT NULL DEFAULT 0,
	value      TEXT CHECK (length(CAST(value AS BLOB)) <= 1024),
	CHECK (session IS NULL OR expires IS NULL)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS dblock_floor (
	id    INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
	token INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS dblock_queue (
	name       TEXT NOT NULL,
	ticket     INTEGER NOT NULL,
	nonce      INTEGER NOT NULL,
	mode       INTEGER NOT NULL DEFAULT 0,
	weight     INTEGER NOT NULL DEFAULT 1 CHECK (weight > 0),
	capacity   INTEGER,
	upgrades   INTEGER,
	names      INTEGER NOT NULL DEFAULT 1,
	session    TEXT NOT NULL,
	thread     INTEGER NOT NULL,
	blocks     INTEGER NOT NULL DEFAULT 0 CHECK (blocks IN (0, 1)),
	lease      INTEGER,
	at_least   INTEGER,
	value      TEXT CHECK (length(CAST(value AS BLOB)) <= 1024),
	bell       TEXT NOT NULL,
	since      INTEGER NOT NULL,
	token      INTEGER,
	acquired   INTEGER,
	clock      TEXT NOT NULL DEFAULT '',
	expires    INTEGER,
	keep_until INTEGER,
	host       TEXT NOT NULL DEFAULT '',
	pid        INTEGER NOT NULL DEFAULT 0,
	reentry    INTEGER NOT NULL DEFAULT 1,
	PRIMARY KEY (name, ticket)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS dblock_queue_session ON dblock_queue (session, thread) WHERE token IS NULL;
CREATE VIEW IF NOT EXISTS dblock_held AS
SELECT l.name,
       l.token,
       CASE WHEN l.session IS NOT NULL THEN 'session'
            WHEN l.nonce <> 0 THEN 'lease'
            ELSE 'rest' END AS held_by,
       l.host,
       l.pid,
       l.thread,
       s.app,
       strftime('%Y-%m-%d %H:%M:%S', l.acquired / 1000000, 'unixepoch')
           || printf('.%06d', l.acquired % 1000000) AS acquired,
       NULL AS expires,
       l.value,
       'exclusive' AS mode,
       1 AS weight,
       NULL AS capacity
FROM dblock_lock AS l
LEFT JOIN dblock_session AS s ON s.id = l.session
WHERE CASE WHEN l.session IS NOT NULL THEN NOT coalesce(s.dead, 0)
           ELSE l.expires IS NOT NULL END
UNION ALL
SELECT q.name,
       q.token,
       CASE WHEN q.expires IS NULL THEN 'session'
            WHEN q.nonce <> 0 THEN 'lease'
            ELSE 'rest' END AS held_by,
       q.host,
       q.pid,
       q.thread,
       s.app,
       strftime('%Y-%m-%d %H:%M:%S', q.acquired / 1000000, 'unixepoch')
           || printf('.%06d', q.acquired % 1000000) AS acquired,
       NULL AS expires,
       q.value,
       CASE q.mode WHEN 1 THEN 'shared' WHEN 2 THEN 'update' WHEN 3 THEN 'permits' ELSE 'exclusive' END,
       q.weight,
       q.capacity
FROM dblock_queue AS q
LEFT JOIN dblock_session AS s ON s.id = q.session
WHERE q.token IS NOT NULL
  AND (CASE WHEN q.expires IS NULL THEN NOT coalesce(s.dead, 0)
           ELSE q.expires IS NOT NULL END);
CREATE VIEW IF NOT EXISTS dblock_waits AS
SELECT w.name,
       CASE WHEN NOT s.dead
            THEN count(CASE WHEN NOT s.dead THEN 1 END)
                 OVER (PARTITION BY w.name ORDER BY w.ticket ROWS UNBOUNDED PRECEDING) END AS place,
       s.host,
       s.pid,
       w.thread,
       s.app,
       strftime('%Y-%m-%d %H:%M:%S', w.since / 1000000, 'unixepoch')
           || printf('.%06d', w.since % 1000000) AS since,
       CAST(strftime('%s', 'now') AS INTEGER) - w.since / 1000000 AS seconds,
       w.value,
       CASE w.mode WHEN 1 THEN 'shared' WHEN 2 THEN 'update' WHEN 3 THEN 'permits' ELSE 'exclusive' END AS mode,
       w.weight, w.capacity
FROM dblock_queue AS w
LEFT JOIN dblock_lock AS l ON l.name = w.name
LEFT JOIN dblock_session AS s ON s.id = w.session
WHERE w.ticket > coalesce(l.served, 0) AND w.token IS NULL;
CREATE TABLE IF NOT EXISTS dblock_once (
	name   TEXT NOT NULL,
	slot   TEXT NOT NULL
	       CHECK (length(CAST(slot AS BLOB)) BETWEEN 1 AND 64),
	token  INTEGER NOT NULL,
	host   TEXT NOT NULL,
	pid    INTEGER NOT NULL,
	marked INTEGER NOT NULL,
	PRIMARY KEY (name, slot),
	UNIQUE (marked, name, slot)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS dblock_request (
	host    TEXT NOT NULL,
	pid     INTEGER NOT NULL,
	name    TEXT NOT NULL,
	token   INTEGER NOT NULL,
	reason  TEXT NOT NULL,
	by_host TEXT NOT NULL,
	by_pid  INTEGER NOT NULL,
	by_app  TEXT NOT NULL,
	since   INTEGER NOT NULL,
	PRIMARY KEY (host, pid, name, token)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS dblock_flight (
	name    TEXT NOT NULL PRIMARY KEY,
	token   INTEGER NOT NULL,
	made    INTEGER NOT NULL,
	took    INTEGER NOT NULL,
	expires INTEGER NOT NULL,
	coded   INTEGER NOT NULL,
	value   TEXT NOT NULL CHECK (length(CAST(value AS BLOB)) <= 87380),
	UNIQUE (expires, name)
) STRICT;
INSERT INTO dblock_migration VALUES
('dblock',1,'session','sql','applied',1,'811b5e0299bea27c1d2345c56a8c2430b61f83f956864b123b31985406c739fd','t1:c7d38dd24c553f6b00872153b9ace2247cdb08c7e724efd4b601cadde4ddc316',1,1,1,NULL,1795472555110843,1795472555111229,'root@oldhost (pid 12841)','dblock 0.1.0',NULL),
('dblock',2,'lock','sql','applied',2,'bd9d6f69587aa18b82c63017a63db7b173760dc2ef4c659ab9590ef4f1be290f','t1:d3831ae3bbbb4ffa0a9b9c5d673c06da41ec3402a742b54c8f8aa6a3c3e6150e',1,1,1,NULL,1795472555111345,1795472555111639,'root@oldhost (pid 12841)','dblock 0.1.0',NULL),
('dblock',3,'floor','sql','applied',3,'af2d92c565e1d3bc233056e547d6f49f519adfccc469aa06fa280778bbdadb93','t1:7b2920cd399990b64588be8ab928370926947a92f66ce1e94b0832f8e2cc9e5c',1,1,1,NULL,1795472555111774,1795472555111935,'root@oldhost (pid 12841)','dblock 0.1.0',NULL),
('dblock',4,'floor_row','sql','applied',4,'afb74256d47206d51976f483e7fb57d9f50249edc5224aa993181283913caa1b','t1:e4f61b402713eb33b4898b9f989e1e46be7b278da04cf33056f1d59ef370f1c5',1,1,1,NULL,1795472555112053,1795472555112143,'root@oldhost (pid 12841)','dblock 0.1.0',NULL),
('dblock',5,'view','sql','applied',5,'39d34197b0a5fd42acf424305c9c94dfbec95da015ee56d49fc8ddd5bbd84331','t1:dd83d194912d75c3308abd9a60e86ee0fd42db3a74e357492dee505fc5580876',1,1,1,NULL,1795472555112185,1795472555112306,'root@oldhost (pid 12841)','dblock 0.1.0',NULL),
('dblock',6,'waiter','sql','applied',6,'6e5dda573620d4199bee5ada0c2c1743c6b3bdc1fc027339c182d788acc53c70','t1:fd4713414851982f8230805a34c70ba79cde5413058cc593d6eb46f979069974',1,1,1,NULL,1795472555116179,1795472555116538,'root@oldhost (pid 12841)','dblock 0.1.0',NULL),
('dblock',7,'waiting','sql','applied',7,'d58effa42129e369b5211a42856a7d26284e170258af8be7fea05d31b75cd9cd','t1:174d6e456d06c51a1f8eb218fb37567fa2b2351e1d7e5e033dc7129ce02de52d',1,1,1,NULL,1795472555116676,1795472555116901,'root@oldhost (pid 12841)','dblock 0.1.0',NULL),
('dblock',8,'queue','sql','applied',8,'ebb15a3a586141ebf8f034b7492f00d264468fb2b9af52125e6b67fedecc4b36','t1:66beca51b9a28ce8f20384b039bb06220959ab1e5542baee47955b5873404d7a',2,2,2,NULL,1795472555117052,1795472555117348,'root@oldhost (pid 12841)','dblock 0.1.0',NULL),
('dblock',9,'held','sql','applied',9,'b14d7c472a989bae534b20423c7acd07d2d86eb1814b0c4fa7bf19692066bd73','t1:3704daff8902f9fca5e53d5b0dc6b85025f5c96018da68549120f87e707635ee',1,1,1,NULL,1795472555117481,1795472555117778,'root@oldhost (pid 12841)','dblock 0.1.0',NULL),
('dblock',10,'waits','sql','applied',10,'fcbf4c789d20ec38ba43b1a8ade2c1929c6bde473018918df5752a0a773b88a3','t1:e42eaf1cb582780b6788b270513d8902d606fd24586458ef5b809f53467fedc1',1,1,1,NULL,1795472555117922,1795472555118143,'root@oldhost (pid 12841)','dblock 0.1.0',NULL),
('dblock',11,'views_gone','sql','applied',11,'fc73e8ba2f1f0b350110e6f9a5eecdc3f2c1ca183c81a5f04dcdf882e73edcea','t1:963a596701c8308a62a10a16abed07a003d5ee07481249abbd9a8024651019d0',2,2,2,NULL,1795472555118238,1795472555118339,'root@oldhost (pid 12841)','dblock 0.1.0',NULL),
('dblock',12,'waiter_gone','sql','applied',12,'580a4e8ad6748fe752540fd846266df1abc2d88963ec56f2a7a6ffe36e499411','t1:ef1d994482442fe286b9a655abf983a27094d7a57ea9b2c0b45a02e56ea4227d',1,1,1,NULL,1795472555118427,1795472555118615,'root@oldhost (pid 12841)','dblock 0.1.0',NULL),
('dblock',13,'once','sql','applied',13,'ea7c99482b72e575d1af07e0e14ce52c6fbfb81c16a6438ac0a8d53eec14caa0','t1:63580f47f2bfbd136aa81148516599bed92ed1771bc9d9c06ae97c019dde222c',1,1,1,NULL,1795472555118724,1795472555120567,'root@oldhost (pid 12841)','dblock 0.1.0',NULL),
('dblock',14,'request','sql','applied',14,'62b5ccc8157b86f1e318402aaeacc7bc405e451ca634f8f1ff6a72f57b5c1da5','t1:fa81c17a9f7963f91e3d2adf3d0017d5c15d464ca23d09da4cea9c238def1e1a',1,1,1,NULL,1795472555120703,1795472555120902,'root@oldhost (pid 12841)','dblock 0.1.0',NULL),
('dblock',15,'flight','sql','applied',15,'27ae114497f709aec4093221621906a106397f9fb856f5e4b38ae888b8c31113','t1:395f1177e77b431c6a2e4b29e77f0f99224373af6f1c9d15f4101f9e04944d30',1,1,1,NULL,1795472555121066,1795472555121267,'root@oldhost (pid 12841)','dblock 0.1.0',NULL);
INSERT INTO dblock_session VALUES
('7c9c0ce4a735cfe65f3cc4a91d1f6efd','494ac313-fd56-4a59-b367-b2291c8cd22d/4026531834','oldhost',12868,'alive',86400000000,1795472555203613,102078967235,2394543307468242830,0,NULL),
('9936803ebc33e25486d08e8a25de5fb8','494ac313-fd56-4a59-b367-b2291c8cd22d/4026531834','oldhost',12868,'waiter',86400000000,1795472555230129,102078993752,1212347154628900873,0,NULL),
('e0adb03643c229d12bdb5c2872859436','494ac313-fd56-4a59-b367-b2291c8cd22d/4026531834','oldhost',12868,'dying',1000000,1795472555218169,15682988849,1678200613559214429,0,NULL);
INSERT INTO dblock_lock VALUES
('dying',1795472556387351,1200803182459544055,0,'e0adb03643c229d12bdb5c2872859436','494ac313-fd56-4a59-b367-b2291c8cd22d/4026531834','oldhost',12868,12868,1,NULL,NULL,NULL,1795472556387351,0,0,0,0,NULL),
('dying/shared',1795472556402530,0,1,NULL,'494ac313-fd56-4a59-b367-b2291c8cd22d/4026531834','',0,0,0,NULL,NULL,NULL,1795472556404851,0,0,1,1795472556402740,NULL),
('exclusive',1795472556300550,286423163771929166,0,'7c9c0ce4a735cfe65f3cc4a91d1f6efd','494ac313-fd56-4a59-b367-b2291c8cd22d/4026531834','oldhost',12868,12868,1,NULL,NULL,NULL,1795472556300550,0,1,2,0,'it''s mine'),
('flight:flight',1795472556421071,0,0,NULL,'494ac313-fd56-4a59-b367-b2291c8cd22d/4026531834','oldhost',12868,12868,0,NULL,NULL,NULL,1795472556421071,1795472556424642,0,0,0,NULL),
('free',1795472556283780,0,0,NULL,'494ac313-fd56-4a59-b367-b2291c8cd22d/4026531834','oldhost',12868,12868,0,NULL,NULL,NULL,1795472556283780,1795472556293161,0,0,0,NULL),
('lease',1795472556372842,1344690970528569372,0,NULL,'494ac313-fd56-4a59-b367-b2291c8cd22d/4026531834','oldhost',12868,12868,1,3600000000,19280136466,NULL,1795472556372842,0,0,0,0,NULL),
('once',1795472556411086,0,0,NULL,'494ac313-fd56-4a59-b367-b2291c8cd22d/4026531834','oldhost',12868,12868,0,NULL,NULL,NULL,1795472556411086,1795472556416564,0,0,0,NULL),
('permits',1795472556366672,0,1,NULL,'494ac313-fd56-4a59-b367-b2291c8cd22d/4026531834','',0,0,0,NULL,NULL,NULL,1795472556369620,0,0,1,1795472556366726,NULL),
('resting',1795472556376830,0,0,NULL,'494ac313-fd56-4a59-b367-b2291c8cd22d/4026531834','oldhost',12868,12868,0,3599996229,19280140454,NULL,1795472556376830,1795472556380602,0,0,0,NULL),
('shared',1795472556342201,0,1,NULL,'494ac313-fd56-4a59-b367-b2291c8cd22d/4026531834','',0,0,0,NULL,NULL,NULL,1795472556352879,0,0,2,1795472556342414,NULL);
INSERT INTO dblock_floor VALUES
(1,1795472555272694);
INSERT INTO dblock_queue VALUES
('dying/shared',1795472556402740,4479745886152745292,1,1,NULL,NULL,1,'e0adb03643c229d12bdb5c2872859436',12868,0,NULL,NULL,NULL,'',1795472556402740,1795472556402530,1795472556404865,'494ac313-fd56-4a59-b367-b2291c8cd22d/4026531834',NULL,NULL,'oldhost',12868,1),
('exclusive',1795472556429242,8571075802182900599,0,1,NULL,NULL,1,'9936803ebc33e25486d08e8a25de5fb8',13080,1,NULL,NULL,NULL,'494ac313-fd56-4a59-b367-b2291c8cd22d/4026531833/dblock.12868.0',1795472556429242,NULL,NULL,'',NULL,NULL,'',0,1),
('exclusive',1795472557426785,165156947722934406,1,1,NULL,NULL,1,'9936803ebc33e25486d08e8a25de5fb8',13223,1,NULL,NULL,NULL,'494ac313-fd56-4a59-b367-b2291c8cd22d/4026531833/dblock.12868.0',1795472557426785,NULL,NULL,'',NULL,NULL,'',0,1),
('permits',1795472556366726,8238684527987230339,3,2,3,NULL,1,'7c9c0ce4a735cfe65f3cc4a91d1f6efd',12868,0,NULL,NULL,NULL,'',1795472556366726,1795472556366672,1795472556369645,'494ac313-fd56-4a59-b367-b2291c8cd22d/4026531834',NULL,NULL,'oldhost',12868,1),
('shared',1795472556320834,5473932756072832658,1,1,NULL,NULL,1,'7c9c0ce4a735cfe65f3cc4a91d1f6efd',12868,0,NULL,NULL,NULL,'',1795472556320834,1795472556320550,1795472556335876,'494ac313-fd56-4a59-b367-b2291c8cd22d/4026531834',NULL,NULL,'oldhost',12868,1),
('shared',1795472556342414,3741216249433991947,1,1,NULL,NULL,1,'9936803ebc33e25486d08e8a25de5fb8',12868,0,NULL,NULL,NULL,'',1795472556342414,1795472556342201,1795472556352900,'494ac313-fd56-4a59-b367-b2291c8cd22d/4026531834',NULL,NULL,'oldhost',12868,1);
INSERT INTO dblock_once VALUES
('once','2026-11-22',1795472556411086,'oldhost',12868,1795472556412132);
INSERT INTO dblock_request VALUES
('oldhost',12868,'exclusive',1795472556300550,'an upgrade','oldhost',12868,'waiter',1795472558425845);
INSERT INTO dblock_flight VALUES
('flight:flight',1795472556421071,1795472556423990,7,1795472616423990,0,'made by 0.1.0');
