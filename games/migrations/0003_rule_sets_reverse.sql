REVOKE ALL ON games_ruleset FROM tonk_app;
