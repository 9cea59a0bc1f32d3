DROP TABLE person;
DROP TYPE mood;
