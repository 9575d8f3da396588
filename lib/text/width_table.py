#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints, as C rows { first, last, cells }, the characters that are not one terminal cell wide.

The widths follow Markus Kuhn's wcwidth: combining and formatting characters take none,
East Asian wide and fullwidth ones two.  The Unicode version is that of this Python.
"""
import sys
import unicodedata


def cells(code):
    char = chr(code)
    if 0x1160 <= code <= 0x11FF:  # Hangul vowels and finals join the syllable before them
        return 0
    category = unicodedata.category(char)
    if category in ("Mn", "Me", "Cf"):
        return 0
    if category in ("Cn", "Cs"):  # nobody knows yet; never a character
        return 1
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def main(path):
    rows = []
    for code in range(0x300, 0x110000):
        width = cells(code)
        if width == 1:
            continue
        if rows and rows[-1][1] == code - 1 and rows[-1][2] == width:
            rows[-1][1] = code
        else:
            rows.append([code, code, width])
    with open(path, "w", encoding="ascii") as out:
        for first, last, width in rows:
            out.write(f"{{ 0x{first:x}, 0x{last:x}, {width} }},\n")


main(sys.argv[1])
