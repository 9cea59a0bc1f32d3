DROP TABLE app_customer;
