"""Tonk itself: rules, bots, tables, hands, moves, clocks."""
