"""Ours beside a limit or a peer, in one run: only the ratios count."""
