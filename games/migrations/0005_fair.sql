-- A fold of the table's stream, written in the transaction of its events.
GRANT SELECT, INSERT, UPDATE, DELETE ON games_anchor TO tonk_app;
GRANT USAGE ON SEQUENCE games_anchor_id_seq TO tonk_app;
