DROP TABLE hashed;
DROP TABLE measurement;
