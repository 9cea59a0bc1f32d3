--liquibase formatted sql

--changeset dblock:3
CREATE TABLE third (id INT);
--rollback DROP TABLE third;

--changeset dblock:4
CREATE TABLE fourth (id INT);
--rollback DROP TABLE fourth;
