DELETE FROM app_customer WHERE name = 'Ada; the first';
