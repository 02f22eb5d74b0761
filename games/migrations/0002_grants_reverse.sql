REVOKE ALL ON games_table, games_seat, games_dealersecret, games_botdecision FROM tonk_app;
REVOKE ALL ON SEQUENCE games_seat_id_seq, games_botdecision_id_seq FROM tonk_app;
