-- Made anew whenever it is changed here. The first time, a server says that there is none to drop.
DROP VIEW IF EXISTS app_customer_mail;
CREATE VIEW app_customer_mail AS SELECT name, email FROM app_customer WHERE email IS NOT NULL;
