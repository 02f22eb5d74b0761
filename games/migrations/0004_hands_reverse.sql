DROP VIEW games_hand;
REVOKE ALL ON games_handrow FROM tonk_app;
