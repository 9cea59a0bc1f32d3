DROP TABLE product;
