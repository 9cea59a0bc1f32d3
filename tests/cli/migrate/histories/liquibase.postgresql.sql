-- Liquibase 5.0.4 (cdbdec7f), as liquibase-standard/src/main/java/liquibase/sqlgenerator/core/
-- CreateDatabaseChangeLogTableGenerator.java and MarkChangeSetRanGenerator.java make it
-- The SQL that results in this database: printed by update-sql of Liquibase 4.28.0, which was run, and
-- changed where 5.0.4 differs (only the LIQUIBASE column). No primary key; a change set is (ID, AUTHOR,
-- FILENAME), ID is free text. EXECTYPE: EXECUTED, RERAN and MARK_RAN; failed and skipped ones get no row. A
-- tag may sit on a row, or on one of its own. The tool names the schema: the default schema of the
-- connection.

CREATE TABLE public.databasechangeloglock (ID INTEGER NOT NULL, LOCKED BOOLEAN NOT NULL,
 LOCKGRANTED TIMESTAMP WITHOUT TIME ZONE, LOCKEDBY VARCHAR(255),
 CONSTRAINT databasechangeloglock_pkey PRIMARY KEY (ID));
DELETE FROM public.databasechangeloglock;
INSERT INTO public.databasechangeloglock (ID, LOCKED) VALUES (1, FALSE);
UPDATE public.databasechangeloglock SET LOCKED = TRUE, LOCKEDBY = 'host (192.0.2.1)', LOCKGRANTED = NOW()
 WHERE ID = 1 AND LOCKED = FALSE;
CREATE TABLE public.databasechangelog (ID VARCHAR(255) NOT NULL, AUTHOR VARCHAR(255) NOT NULL,
 FILENAME VARCHAR(255) NOT NULL, DATEEXECUTED TIMESTAMP WITHOUT TIME ZONE NOT NULL,
 ORDEREXECUTED INTEGER NOT NULL,
 EXECTYPE VARCHAR(10) NOT NULL, MD5SUM VARCHAR(35), DESCRIPTION VARCHAR(255), COMMENTS VARCHAR(255),
 TAG VARCHAR(255), LIQUIBASE VARCHAR(20), CONTEXTS VARCHAR(255), LABELS VARCHAR(255),
 DEPLOYMENT_ID VARCHAR(10));

INSERT INTO public.databasechangelog (ID, AUTHOR, FILENAME, DATEEXECUTED, ORDEREXECUTED, MD5SUM,
 DESCRIPTION, COMMENTS, EXECTYPE, CONTEXTS, LABELS, LIQUIBASE, DEPLOYMENT_ID)
 VALUES ('1', 'dblock', 'changelog/1.sql', NOW(), 1, '9:55e33066a1daec8ba60e40351da7b084',
 'sql', '', 'EXECUTED', NULL, NULL, '5.0.4', '5706363601');
INSERT INTO public.databasechangelog (ID, AUTHOR, FILENAME, DATEEXECUTED, ORDEREXECUTED, MD5SUM,
 DESCRIPTION, COMMENTS, EXECTYPE, CONTEXTS, LABELS, LIQUIBASE, DEPLOYMENT_ID)
 VALUES ('2', 'dblock', 'changelog/2.sql', NOW(), 2, '9:436f6a1d0e540d30a4b7fb52d30ee69a',
 'sql', '', 'EXECUTED', NULL, NULL, '5.0.4', '5706363601');
INSERT INTO public.databasechangelog (ID, AUTHOR, FILENAME, DATEEXECUTED, ORDEREXECUTED, MD5SUM,
 DESCRIPTION, COMMENTS, EXECTYPE, CONTEXTS, LABELS, LIQUIBASE, DEPLOYMENT_ID)
 VALUES ('3', 'dblock', 'changelog/3.sql', NOW(), 3, '9:501c910a6fc907938a7f8f7a2dcf4175',
 'sql', '', 'EXECUTED', NULL, NULL, '5.0.4', '5706363601');
UPDATE public.databasechangeloglock SET LOCKED = FALSE, LOCKEDBY = NULL, LOCKGRANTED = NULL WHERE ID = 1;
