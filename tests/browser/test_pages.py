# SPDX-License-Identifier: GPL-2.0-or-later
"""The pages in a browser, wide and narrow, light and dark: nothing sticks out, nothing complains.

Pictures of all of them are left in the folder that PATCHMETER_PICTURES names.
"""
import os
import pathlib
import sys
import unittest

import chrome
import lab
from webtest import Server, main
import pg

SIZES = ((1280, False), (400, False), (1280, True), (400, True))

# What is wider than the screen and neither scrolls by itself nor stands in something that does.
STICKS_OUT = """[...document.querySelectorAll('body *')].filter(element => {
    if (element.getBoundingClientRect().right <= innerWidth + 0.5) return false;
    for (let at = element; at; at = at.parentElement)
        if (['auto', 'scroll', 'hidden'].includes(getComputedStyle(at).overflowX)) return false;
    return !element.closest('.skip');
}).map(element => element.outerHTML.slice(0, 200))"""

# Contrast of text against what stands behind it, by WCAG 2.1; the worst ones below 4.5.
CONTRAST = """(() => {
    const channel = c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    const light = c => 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]);
    const numbers = text => (text.match(/[\\d.]+/g) || []).map(Number);
    const behind = element => {
        for (let at = element; at; at = at.parentElement) {
            const c = numbers(getComputedStyle(at).backgroundColor);
            if (c.length === 3 || c[3] > 0.99) return c;
        }
        return [255, 255, 255];
    };
    const found = [];
    for (const element of document.querySelectorAll('body *')) {
        if (![...element.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
        if (element.closest('svg, .skip, progress')) continue;
        const a = light(numbers(getComputedStyle(element).color)), b = light(behind(element));
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) found.push(ratio.toFixed(2) + ' ' + element.outerHTML.slice(0, 120));
    }
    return found;
})()"""

# Structure that a screen reader needs.
UNNAMED = """[...document.querySelectorAll('a, button, select, img, svg, [role=region]')].filter(element =>
    !(element.textContent.trim() || element.getAttribute('aria-label') || element.labels?.length))
    .map(element => element.outerHTML.slice(0, 120))"""


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = pg.Cluster().__enter__()
        cls.db = cls.cluster.database("pages")
        cls.server = Server(cls.db)
        cls.lab = lab.Lab(cls.db, cls.server).fill()
        cls.browser = chrome.Browser().__enter__()
        cls.pictures = os.environ.get("PATCHMETER_PICTURES")

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        status = cls.server.close()
        cls.cluster.__exit__()
        assert status == 0, "the server did not end well"

    def each(self, check):
        for width, dark in SIZES:
            page = self.browser.page(width, 900, dark)
            for path in self.lab.pages() + ["/nothing"]:
                with self.subTest(path=path, width=width, dark=dark):
                    page.open(f"http://127.0.0.1:{self.server.port}{path}")
                    check(page, path, width, dark)
            page.close()

    def test_nothing_sticks_out_and_nothing_complains(self):
        def check(page, path, width, dark):
            self.assertEqual(page.value(STICKS_OUT), [])
            self.assertLessEqual(page.value("document.scrollingElement.scrollWidth"), width)
            if path != "/nothing":
                self.assertEqual(page.complaints, [])
            self.assertLessEqual(len(page.waiting), 4, page.waiting)
            if self.pictures:
                name = path.split("?")[0].strip("/").replace("/", "-")[:20] or "status"
                kind = f"{width}{'-all' if 'show=' in path else ''}{'-dark' if dark else ''}"
                page.shot(pathlib.Path(self.pictures, f"{name}-{kind}.png"))
        self.each(check)

    def test_text_stands_out_from_its_ground(self):
        self.each(lambda page, *_: self.assertEqual(page.value(CONTRAST), []))

    def test_everything_that_can_be_used_has_a_name(self):
        def check(page, *_):
            self.assertEqual(page.value(UNNAMED), [])
            self.assertEqual(page.value("document.querySelectorAll('h1').length"), 1)
            self.assertEqual(page.value("document.documentElement.lang"), "en")
        self.each(check)


if __name__ == "__main__":
    main()
