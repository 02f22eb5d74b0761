REVOKE ALL ON players_proposal FROM tonk_app;
