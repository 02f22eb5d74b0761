-- What is read: the rows of the version that is live. Another version is made beside it meanwhile.
CREATE VIEW games_hand AS
    SELECT h.hand, h.table_id, h.hand_no, h.tournament, h.preset, h.currency, h.stake,
           h.first_version, h.dealt_version, h.last_version, h.started, h.finished, h."end", h.by, h.log_index
    FROM games_handrow h
    JOIN eventstore_follower f ON f.name = 'hands' AND f.version = h.follower_version AND f.status = 'live';

-- A projection: rows of a version that nobody reads any more are removed.
GRANT SELECT, INSERT, UPDATE, DELETE ON games_handrow TO tonk_app;
GRANT SELECT ON games_hand TO tonk_app;
