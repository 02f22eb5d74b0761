"""The books, prizes, limits and manual money: promise 1."""
