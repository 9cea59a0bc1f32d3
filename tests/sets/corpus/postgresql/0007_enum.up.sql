CREATE TYPE mood AS ENUM ('sad', 'ok; so', 'happy');
CREATE TABLE person (name text PRIMARY KEY, mood mood NOT NULL DEFAULT 'ok; so');
INSERT INTO person VALUES ('a', 'sad'), ('b', DEFAULT);
