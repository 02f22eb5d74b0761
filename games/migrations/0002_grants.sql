GRANT SELECT, INSERT, UPDATE ON games_table TO tonk_app;
GRANT SELECT, INSERT, DELETE ON games_seat TO tonk_app;
GRANT USAGE ON SEQUENCE games_seat_id_seq TO tonk_app;
-- A sealed seed is written, read and removed; it is never changed.
GRANT SELECT, INSERT, DELETE ON games_dealersecret TO tonk_app;
GRANT SELECT, INSERT ON games_botdecision TO tonk_app;
GRANT USAGE ON SEQUENCE games_botdecision_id_seq TO tonk_app;
