# --- !Ups
CREATE TABLE a (id INT);
# --- !Downs
DROP TABLE a;
