REVOKE SELECT ON games_table, games_seat, games_sitting, games_anchor, games_ruleset, games_handrow, games_hand
    FROM tonk_auditor;
