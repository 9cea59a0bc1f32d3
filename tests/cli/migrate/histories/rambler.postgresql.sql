-- rambler v5.5.0 (0ebb15b), as driver/postgresql/driver.go makes it
-- The migration is the whole file name; rows are read by it. A reverse deletes the row.

CREATE TABLE migrations ( migration VARCHAR(255) NOT NULL );

INSERT INTO migrations (migration) VALUES ('1_first.sql');
