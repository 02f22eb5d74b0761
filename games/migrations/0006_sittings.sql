-- A fold of the table's stream, written in the transaction of its events. Time spent is never removed.
GRANT SELECT, INSERT, UPDATE (left_at) ON games_sitting TO tonk_app;
GRANT USAGE ON SEQUENCE games_sitting_id_seq TO tonk_app;
