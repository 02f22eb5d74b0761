"""Composition: settings, routes, processes, commands of the whole product."""
