-- The auditor compares live rows with the log. Sealed seeds are not among what he may read.
GRANT SELECT ON games_table, games_seat, games_sitting, games_anchor, games_ruleset, games_handrow, games_hand
    TO tonk_auditor;
