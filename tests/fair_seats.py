"""Seats that take part in the deal, as in the trials."""

from tonk_site.proving.fair_seats import Links, anchors, gives, hand_at, time_is_up

__all__ = ["Links", "anchors", "gives", "hand_at", "time_is_up"]
