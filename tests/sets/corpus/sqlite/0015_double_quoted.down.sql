DELETE FROM strings WHERE id = 20;
