"""Faults put into the product from outside, to see that its checks notice (`trust.md` 10).

The product has no switch for them. `make planted` runs all of them, the suite those with a star.
"""
