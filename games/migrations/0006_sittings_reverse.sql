REVOKE ALL ON games_sitting FROM tonk_app;
REVOKE ALL ON SEQUENCE games_sitting_id_seq FROM tonk_app;
