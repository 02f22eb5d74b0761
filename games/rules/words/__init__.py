"""The rules in words, English and Lithuanian: the rule sheet, and why a hand ended as it did."""
