REVOKE ALL ON games_anchor FROM tonk_app;
REVOKE ALL ON SEQUENCE games_anchor_id_seq FROM tonk_app;
