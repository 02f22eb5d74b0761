"""Pages for people: templates, styles, a few scripts."""
