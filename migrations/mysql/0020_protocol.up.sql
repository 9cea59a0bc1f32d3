-- What the client of a session knows to do; 0: an older version, which does not look whether a grant of
-- its was taken away. (Version 0.1.0 made the table without this column.)
ALTER TABLE dblock_session ADD COLUMN /*M! IF NOT EXISTS */ protocol SMALLINT NOT NULL DEFAULT 0;
