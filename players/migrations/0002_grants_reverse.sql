REVOKE ALL ON players_user, players_role, players_token FROM tonk_app;
REVOKE ALL ON SEQUENCE players_role_id_seq FROM tonk_app;
