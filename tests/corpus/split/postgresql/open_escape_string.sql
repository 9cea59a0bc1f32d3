SELECT E'open\';
