SET @was = @@sql_mode, sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT';
CREATE TABLE "quoted;" ("a;" VARCHAR(20) DEFAULT 'x;');
INSERT INTO "quoted;" VALUES ('a' || ';');
SET sql_mode = @was;
