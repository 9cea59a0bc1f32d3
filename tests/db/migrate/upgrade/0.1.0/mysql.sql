-- A database of version 0.1.0 (commit fd95d35), with what its program wrote: its files 1 to 15 as the server was
-- sent them, without comments and without what they made and dropped again; then the rows of a dump, of MariaDB.
-- One process has locks as "alive" and "waiter", whose ttl is a day, and as "dying", whose ttl is a second.
CREATE TABLE IF NOT EXISTS dblock_migration (
	scope      VARCHAR(64) NOT NULL,
	version    BIGINT NOT NULL,
	name       VARCHAR(200) NOT NULL,
	kind       VARCHAR(8) NOT NULL,
	state      VARCHAR(9) NOT NULL,
	seq        BIGINT NOT NULL,
	checksum   CHAR(64) NOT NULL,
	token_checksum CHAR(67) NOT NULL,
	steps      BIGINT NOT NULL,
	step_begun BIGINT NOT NULL,
	step_done  BIGINT NOT NULL,
	prefix_sum CHAR(64),
	started    BIGINT NOT NULL,
	finished   BIGINT,
	applied_by VARCHAR(400) NOT NULL,
	tool       VARCHAR(40) NOT NULL,
	error      VARCHAR(1000),
	PRIMARY KEY (scope, version),
	CHECK (state IN ('applied', 'running', 'failed', 'reverting'))
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE TABLE IF NOT EXISTS dblock_session (
	id      CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	host    VARCHAR(255) NOT NULL,
	pid     BIGINT NOT NULL,
	app     VARCHAR(255) NOT NULL,
	ttl     BIGINT NOT NULL,
	opened  BIGINT NOT NULL,
	expires BIGINT NOT NULL,
	beat    BIGINT NOT NULL,
	dead    BOOLEAN NOT NULL DEFAULT FALSE,
	ended   BIGINT NULL,
	PRIMARY KEY (id),
	CHECK (ttl > 0)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE TABLE IF NOT EXISTS dblock_lock (
	name       VARBINARY(255) NOT NULL,
	token      BIGINT NOT NULL,
	nonce      BIGINT NOT NULL,
	mode       SMALLINT NOT NULL DEFAULT 0,
	session    CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL,
	host       VARCHAR(255) NOT NULL,
	pid        BIGINT NOT NULL,
	thread     BIGINT NOT NULL,
	reentry    BIGINT NOT NULL,
	lease      BIGINT NULL,
	expires    BIGINT NULL,
	keep_until BIGINT NULL,
	acquired   BIGINT NOT NULL,
	released   BIGINT NOT NULL DEFAULT 0,
	queued     BOOLEAN NOT NULL DEFAULT FALSE,
	queue_version BIGINT NOT NULL DEFAULT 0,
	served     BIGINT NOT NULL DEFAULT 0,
	value      VARCHAR(1024) NULL,
	PRIMARY KEY (name),
	CHECK (LENGTH(name) BETWEEN 1 AND 255),
	CHECK (session IS NULL OR expires IS NULL)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE TABLE IF NOT EXISTS dblock_floor (
	id    INT NOT NULL,
	token BIGINT NOT NULL,
	PRIMARY KEY (id),
	CHECK (id = 1)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;
CREATE TABLE IF NOT EXISTS dblock_queue (
	name       VARBINARY(255) NOT NULL,
	ticket     BIGINT NOT NULL AUTO_INCREMENT,
	nonce      BIGINT NOT NULL,
	mode       SMALLINT NOT NULL DEFAULT 0,
	weight     BIGINT NOT NULL DEFAULT 1,
	capacity   BIGINT NULL,
	upgrades   BIGINT NULL,
	names      BIGINT NOT NULL DEFAULT 1,
	session    CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	thread     BIGINT NOT NULL,
	blocks     BOOLEAN NOT NULL DEFAULT FALSE,
	lease      BIGINT NULL,
	at_least   BIGINT NULL,
	value      VARCHAR(1024) NULL,
	bell       VARCHAR(255) NOT NULL,
	since      BIGINT NOT NULL,
	token      BIGINT NULL,
	acquired   BIGINT NULL,
	expires    BIGINT NULL,
	keep_until BIGINT NULL,
	host       VARCHAR(255) NOT NULL DEFAULT '',
	pid        BIGINT NOT NULL DEFAULT 0,
	reentry    BIGINT NOT NULL DEFAULT 1,
	PRIMARY KEY (name, ticket),
	KEY by_ticket (ticket),
	KEY by_session (session, thread)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE OR REPLACE SQL SECURITY INVOKER VIEW dblock_held AS
SELECT CONVERT(l.name USING utf8mb4) AS name,
       l.token,
       CASE WHEN l.session IS NOT NULL THEN 'session'
            WHEN l.nonce <> 0 THEN 'lease'
            ELSE 'rest' END AS held_by,
       l.host,
       l.pid,
       l.thread,
       s.app,
       TIMESTAMP('1970-01-01') + INTERVAL l.acquired MICROSECOND AS acquired,
       TIMESTAMP('1970-01-01') + INTERVAL
           CASE WHEN l.session IS NOT NULL THEN s.expires
                ELSE l.expires END MICROSECOND AS expires,
       l.value,
       'exclusive' AS mode,
       1 AS weight,
       NULL AS capacity
FROM dblock_lock AS l
LEFT JOIN dblock_session AS s ON s.id = l.session
WHERE CASE WHEN l.session IS NOT NULL THEN NOT COALESCE(s.dead, FALSE)
           ELSE COALESCE(l.expires, 0)
                > CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) END
UNION ALL
SELECT CONVERT(q.name USING utf8mb4) AS name,
       q.token,
       CASE WHEN q.expires IS NULL THEN 'session'
            WHEN q.nonce <> 0 THEN 'lease'
            ELSE 'rest' END AS held_by,
       q.host,
       q.pid,
       q.thread,
       s.app,
       TIMESTAMP('1970-01-01') + INTERVAL q.acquired MICROSECOND AS acquired,
       TIMESTAMP('1970-01-01') + INTERVAL
           CASE WHEN q.expires IS NULL THEN s.expires
                ELSE q.expires END MICROSECOND AS expires,
       q.value,
       CASE q.mode WHEN 1 THEN 'shared' WHEN 2 THEN 'update' WHEN 3 THEN 'permits' ELSE 'exclusive' END,
       q.weight,
       q.capacity
FROM dblock_queue AS q
LEFT JOIN dblock_session AS s ON s.id = q.session
WHERE q.token IS NOT NULL
  AND (CASE WHEN q.expires IS NULL THEN NOT COALESCE(s.dead, FALSE)
           ELSE COALESCE(q.expires, 0)
                > CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) END);
CREATE OR REPLACE SQL SECURITY INVOKER VIEW dblock_waits AS
SELECT CONVERT(w.name USING utf8mb4) AS name,
       CASE WHEN NOT s.dead
            THEN COUNT(CASE WHEN NOT s.dead THEN 1 END)
                 OVER (PARTITION BY w.name ORDER BY w.ticket ROWS UNBOUNDED PRECEDING) END AS place,
       s.host,
       s.pid,
       w.thread,
       s.app,
       TIMESTAMP('1970-01-01') + INTERVAL w.since MICROSECOND AS since,
       (CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) - w.since) DIV 1000000 AS seconds,
       NOT s.dead AND s.expires > CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) AS alive,
       w.value,
       CASE w.mode WHEN 1 THEN 'shared' WHEN 2 THEN 'update' WHEN 3 THEN 'permits' ELSE 'exclusive' END AS mode,
       w.weight, w.capacity
FROM dblock_queue AS w
LEFT JOIN dblock_lock AS l ON l.name = w.name
LEFT JOIN dblock_session AS s ON s.id = w.session
WHERE w.ticket > COALESCE(l.served, 0) AND w.token IS NULL;
CREATE TABLE IF NOT EXISTS dblock_once (
	name   VARBINARY(255) NOT NULL,
	slot   VARBINARY(64) NOT NULL,
	token  BIGINT NOT NULL,
	host   VARCHAR(255) NOT NULL,
	pid    BIGINT NOT NULL,
	marked BIGINT NOT NULL,
	PRIMARY KEY (name, slot),
	KEY by_time (marked),
	CHECK (LENGTH(slot) BETWEEN 1 AND 64)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE TABLE IF NOT EXISTS dblock_request (
	host    VARCHAR(255) NOT NULL,
	pid     BIGINT NOT NULL,
	name    VARBINARY(255) NOT NULL,
	token   BIGINT NOT NULL,
	reason  VARCHAR(255) NOT NULL,
	by_host VARCHAR(255) NOT NULL,
	by_pid  BIGINT NOT NULL,
	by_app  VARCHAR(255) NOT NULL,
	since   BIGINT NOT NULL,
	PRIMARY KEY (host, pid, name, token)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE TABLE IF NOT EXISTS dblock_flight (
	name    VARBINARY(255) NOT NULL,
	token   BIGINT NOT NULL,
	made    BIGINT NOT NULL,
	took    BIGINT NOT NULL,
	expires BIGINT NOT NULL,
	coded   SMALLINT NOT NULL,
	value   MEDIUMTEXT NOT NULL,
	PRIMARY KEY (name),
	KEY by_end (expires),
	CHECK (LENGTH(value) <= 87380)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
INSERT INTO dblock_migration VALUES
('dblock',1,'session','sql','applied',1,'060aaad61c28e9195617060a884f728ec2eb12cadea1b693e11235013a7cefc5','t1:fcc6be2c3014a59e3e607fa9506ae8f446f6611505eb29e9bdeeaf1b79654a93',1,1,1,'3cb09478f3eedf7dd8a58a9cfd1ee778263ea7acfd5ed27b6d55200d707c5025',1795472562550796,1795472562552719,'root@oldhost (pid 13889)','dblock 0.1.0',NULL),
('dblock',2,'lock','sql','applied',2,'3eca756a41d11a3c4a7c441e0d9e6357091a4f1b2a3f66db42fe2cd96dd0e0b6','t1:b73ae127e4937284de85d3bb0b9d7a0c6800aaf2a045fc9a5c06d06297cab8fb',1,1,1,'972b3675515a786eaa18e730a090241a30603e18f5b6f5e53585dd8c01edf0bd',1795472562553159,1795472562557186,'root@oldhost (pid 13889)','dblock 0.1.0',NULL),
('dblock',3,'floor','sql','applied',3,'6618fcd3a433fdafecb1af6f6126436d049a3bfe564a01a4c9931d30654c3766','t1:b948e1f5bf591c9e9d14da31e32791179ef39cfc7ad1c552de67c079d33c887a',1,1,1,'c6851cda959f146154046ad174ba21f8366df485e4f7c39ca59b038863797612',1795472562557507,1795472562558456,'root@oldhost (pid 13889)','dblock 0.1.0',NULL),
('dblock',4,'floor_row','sql','applied',4,'083d3d9041894da52459bce2f2ca210d494061a7d54f1e027e937110b13a3b44','t1:7409b7c133fc0b728213911cc10eb2528d2e720231b25797ac96824ff16fac3a',1,1,1,NULL,1795472562558699,1795472562558842,'root@oldhost (pid 13889)','dblock 0.1.0',NULL),
('dblock',5,'view','sql','applied',5,'0de3c1736b80d44e461d67485625be5dad1055981e0030a35124f0af470a009d','t1:a0df3457d79f4ec8597fc25ad7617fc63912a37c15194a012074e83cd0d1a93c',1,1,1,'b46f748ef83850283759b852fbea8bb231c02ade856ff757e7c812bb0207edfc',1795472562559046,1795472562560631,'root@oldhost (pid 13889)','dblock 0.1.0',NULL),
('dblock',6,'waiter','sql','applied',6,'0c8b63e7e045e7845b3afbf9de6ce5e8ed72a8f46e79e62c581849b331815199','t1:04c1b74c34f9b22b06b255c4ac7b6bd39b54506fcbd6c0fb098b02d8e75ef568',1,1,1,'31fe73b491fc3c6152e538af9914ff6a51e24da2b52bd469bcaed259645dd507',1795472562560913,1795472562561969,'root@oldhost (pid 13889)','dblock 0.1.0',NULL),
('dblock',7,'waiting','sql','applied',7,'57b5ec167e5bd9a969275101dc9fefaff01b784f07ce1dc3e7a82f37da8d99d5','t1:ce9deda073b26ce9fda44d7210dd50c34fed89a945403823b2017ef5338a2086',1,1,1,'d8c3e9aa5fa345f0644cedb529363cc27ab29dc274238c97baf8f27f6033a2a2',1795472562562195,1795472562563577,'root@oldhost (pid 13889)','dblock 0.1.0',NULL),
('dblock',8,'queue','sql','applied',8,'fa3c71e7926251db4fd026d9ae0a1680851c004aac38a0f3b92ddede109298cb','t1:aa29e2948ffd06fe4653c945eb5482022458a4281ad27872e581e3da9591ffd0',1,1,1,'7537b9b783d47155a5e51f8364e71c990cd5de0ecc120b637dad4f9ad804c064',1795472562563792,1795472562569210,'root@oldhost (pid 13889)','dblock 0.1.0',NULL),
('dblock',9,'held','sql','applied',9,'587cbd432ef18f4c05258e24bdd6f42cbe6f869b5be1b241cbb346d3bfe6b40a','t1:eee09e17124e397c6a643f7394ade95adbf6e3840cc6f90589ac92dbcd6bf463',1,1,1,'55ae93a9e19409133b984f9b71e77f72ba5c5d653bd7138f0654d671d464070b',1795472562569529,1795472562570329,'root@oldhost (pid 13889)','dblock 0.1.0',NULL),
('dblock',10,'waits','sql','applied',10,'8512561488ee8a19a6086e8e66f254104532feeae808c8a1ff19fcdac5758444','t1:acf0b6550ca88930225ab095f3704d32e720b682580915df8319d7571b0f9f49',1,1,1,'b93d3c0cad741090798e513849adaf97ad90cc6fb90a350009faeb3222ac7407',1795472562570533,1795472562571023,'root@oldhost (pid 13889)','dblock 0.1.0',NULL),
('dblock',11,'views_gone','sql','applied',11,'8e9d03a61754fd6d9cc179063fd1423289e310ba9ef1c0f2f0df21bd1ad94f2f','t1:b21740190fd0705a226724929a8ab6ed49f787c8d4c494cb36f69a0540196d82',1,1,1,'cdae9a9254e8a97e98f3bf330ec180d1f7a6ea27b335eeaefaa582f22aeb4098',1795472562571200,1795472562571613,'root@oldhost (pid 13889)','dblock 0.1.0',NULL),
('dblock',12,'waiter_gone','sql','applied',12,'580a4e8ad6748fe752540fd846266df1abc2d88963ec56f2a7a6ffe36e499411','t1:ef1d994482442fe286b9a655abf983a27094d7a57ea9b2c0b45a02e56ea4227d',1,1,1,'0ad48ba5e8bff8d31c0733aba43c49c40c8d5b099e7ff05075fc7dce214adaf7',1795472562571788,1795472562572362,'root@oldhost (pid 13889)','dblock 0.1.0',NULL),
('dblock',13,'once','sql','applied',13,'662af4cf158c87c3e699d3e0af452d140f9f5e15753a3840158327b1c3c16342','t1:18fe545b3e948cdb3dd837dcfe81324c4a200f2796e73fd430bc1461792a1805',1,1,1,'9cd2ae4cd4e468295c905b5b85cbc91fb114cbe5491ec8e26f63c202735169cd',1795472562572661,1795472562573617,'root@oldhost (pid 13889)','dblock 0.1.0',NULL),
('dblock',14,'request','sql','applied',14,'fd87b304157fdad2e9fd1a01b24a149b0dbb0213aff76b01705316651a39793e','t1:f6f6a2aaac953e6c979013efe07399fc22cfa0d3d334968559eecc8f195d58c8',1,1,1,'a54a2c31ea9e59d448d2bedd07b73032e29c304e3029b20548f2f28976de972f',1795472562573824,1795472562576886,'root@oldhost (pid 13889)','dblock 0.1.0',NULL),
('dblock',15,'flight','sql','applied',15,'cbfcc14c7d88669e8e120d8e8c915998b8815efd444c0058b08b46073e66ef5b','t1:14ec0f2b04a2da819b5cefc047fe39b3484d1e60820ea2909e3e18aced721105',1,1,1,'15d9b6d98fdad153d867aa955989701b2a117d0221604ebacb45289ba3aa5f5f',1795472562577145,1795472562578205,'root@oldhost (pid 13889)','dblock 0.1.0',NULL);
INSERT INTO dblock_session VALUES
('bb5a677f9d5a881a6021f2bce6ddaed5','oldhost',13902,'alive',86400000000,1795472562655094,1795558962655098,3640540666635229243,0,NULL),
('f93cbbeece1780aa662c419bc11b0b9d','oldhost',13902,'dying',1000000,1795472562663120,1795472566669427,1910387029947002126,0,NULL),
('fbde7e123c2fb79a6e7e855a4ab9dadc','oldhost',13902,'waiter',86400000000,1795472562666878,1795558962666881,3327364363784367317,0,NULL);
INSERT INTO dblock_lock VALUES
('dying',1795472563691754,4789876772160716734,0,'f93cbbeece1780aa662c419bc11b0b9d','oldhost',13902,13902,1,NULL,NULL,NULL,1795472563691754,0,0,0,0,NULL),
('dying/shared',1795472563693165,0,1,NULL,'',0,0,0,NULL,NULL,NULL,1795472563694094,0,0,1,4,NULL),
('exclusive',1795472563679652,6114087255161443466,0,'bb5a677f9d5a881a6021f2bce6ddaed5','oldhost',13902,13902,1,NULL,NULL,NULL,1795472563679652,0,1,2,0,'it\'s mine'),
('flight:flight',1795472563695481,0,0,NULL,'oldhost',13902,13902,0,NULL,NULL,NULL,1795472563695481,1795472563696323,0,0,0,NULL),
('free',1795472563679318,0,0,NULL,'oldhost',13902,13902,0,NULL,NULL,NULL,1795472563679320,1795472563679445,0,0,0,NULL),
('lease',1795472563690675,4187077694145362504,0,NULL,'oldhost',13902,13902,1,3600000000,1795476163690675,NULL,1795472563690675,0,0,0,0,NULL),
('once',1795472563694641,0,0,NULL,'oldhost',13902,13902,0,NULL,NULL,NULL,1795472563694641,1795472563695107,0,0,0,NULL),
('permits',1795472563685073,0,1,NULL,'',0,0,0,NULL,NULL,NULL,1795472563690190,0,0,1,3,NULL),
('resting',1795472563690998,0,0,NULL,'oldhost',13902,13902,0,3599999814,1795476163690998,NULL,1795472563690998,1795472563691184,0,0,0,NULL),
('shared',1795472563682761,0,1,NULL,'',0,0,0,NULL,NULL,NULL,1795472563683925,0,0,2,2,NULL);
INSERT INTO dblock_floor VALUES
(1,1795472562670312);
INSERT INTO dblock_queue VALUES
('dying/shared',4,5513005359779840775,1,1,NULL,NULL,1,'f93cbbeece1780aa662c419bc11b0b9d',13902,0,NULL,NULL,NULL,'',1795472563693460,1795472563693165,1795472563694121,NULL,NULL,'oldhost',13902,1),
('exclusive',5,55598429334392531,0,1,NULL,NULL,1,'fbde7e123c2fb79a6e7e855a4ab9dadc',14231,1,NULL,NULL,NULL,'494ac313-fd56-4a59-b367-b2291c8cd22d/4026531833/dblock.13902.0 b2da31abe9f55336ac4b8dcb0bc68b5f',1795472563697743,NULL,NULL,NULL,NULL,'',0,1),
('exclusive',6,8701859203431675208,1,1,NULL,NULL,1,'fbde7e123c2fb79a6e7e855a4ab9dadc',14742,1,NULL,NULL,NULL,'494ac313-fd56-4a59-b367-b2291c8cd22d/4026531833/dblock.13902.0 b2da31abe9f55336ac4b8dcb0bc68b5f',1795472564712802,NULL,NULL,NULL,NULL,'',0,1),
('permits',3,7313521275042002344,3,2,3,NULL,1,'bb5a677f9d5a881a6021f2bce6ddaed5',13902,0,NULL,NULL,NULL,'',1795472563689734,1795472563685073,1795472563690232,NULL,NULL,'oldhost',13902,1),
('shared',1,814745833579738121,1,1,NULL,NULL,1,'bb5a677f9d5a881a6021f2bce6ddaed5',13902,0,NULL,NULL,NULL,'',1795472563681403,1795472563681102,1795472563682040,NULL,NULL,'oldhost',13902,1),
('shared',2,639171459849115258,1,1,NULL,NULL,1,'fbde7e123c2fb79a6e7e855a4ab9dadc',13902,0,NULL,NULL,NULL,'',1795472563683074,1795472563682761,1795472563683961,NULL,NULL,'oldhost',13902,1);
INSERT INTO dblock_once VALUES
('once','2026-11-22',1795472563694641,'oldhost',13902,1795472563694981);
INSERT INTO dblock_request VALUES
('oldhost',13902,'exclusive',1795472563679652,'an upgrade','oldhost',13902,'waiter',1795472565746837);
INSERT INTO dblock_flight VALUES
('flight:flight',1795472563695481,1795472563696166,5,1795472623696167,0,'made by 0.1.0');
