GRANT SELECT, INSERT, UPDATE ON players_user TO tonk_app;
GRANT SELECT, INSERT, DELETE ON players_role TO tonk_app;
GRANT USAGE ON SEQUENCE players_role_id_seq TO tonk_app;
GRANT SELECT, INSERT, DELETE ON players_token TO tonk_app;
