ALTER TABLE app_customer DROP COLUMN email;
