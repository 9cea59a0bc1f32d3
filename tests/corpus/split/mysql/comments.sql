# one; '
-- two; '
/* four /* not nested; */ CREATE TABLE a (id INT) COMMENT 'x' -- five;
# six;
 /* seven; */;
INSERT INTO a VALUES (5--3);
INSERT INTO a VALUES (1 -- ;
 +1 # ;
);
--
SELECT /*+ NO_MERGE() */ 1 /*; */ -1 --	tab;
;
