DROP TABLE contact;
DROP TYPE address;
DROP DOMAIN email;
