# SPDX-License-Identifier: GPL-2.0-or-later
"""A headless Chromium through its DevTools protocol, with nothing but Python's own library.

    with chrome.Browser() as browser:
        page = browser.page(width=400, height=900, dark=True)
        page.open(url)
        page.value("document.title")
        page.shot("status.png")

Where there is no Chromium the test ends as skipped.
"""
import base64
import json
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time

OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
           "--disable-background-networking", "--disable-component-update", "--disable-sync",
           "--disable-default-apps", "--disable-extensions", "--remote-debugging-port=0")


class Socket:
    """A client's end of a WebSocket (RFC 6455) for text messages."""

    def __init__(self, port, path):
        self.wire = socket.create_connection(("127.0.0.1", port), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        self.wire.sendall((f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
                           f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
                           "Sec-WebSocket-Version: 13\r\n\r\n").encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.wire.recv(1)
        if b" 101 " not in head:
            raise RuntimeError(head.decode())

    def close(self):
        self.wire.close()

    def take(self, nr_bytes):
        data = b""
        while len(data) < nr_bytes:
            part = self.wire.recv(nr_bytes - len(data))
            if not part:
                raise RuntimeError("the browser went away")
            data += part
        return data

    def send(self, text):
        data = text.encode()
        size = len(data)
        head = bytes([0x81]) + (bytes([0x80 | size]) if size < 126 else
                                bytes([0xfe]) + struct.pack(">H", size) if size < 1 << 16 else
                                bytes([0xff]) + struct.pack(">Q", size))
        self.wire.sendall(head + bytes(4) + data)  # a mask of zeros leaves the bytes as they are

    def receive(self):
        text = b""
        while True:
            first, size = self.take(2)
            if size == 126:
                size = struct.unpack(">H", self.take(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self.take(8))[0]
            data = self.take(size)
            if first & 0x0f in (0, 1):
                text += data
                if first & 0x80:
                    return text.decode()


class Page:
    def __init__(self, wire):
        self.wire = wire
        self.nr = 0
        self.complaints = []
        self.waiting = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def next(self):
        message = json.loads(self.wire.receive())
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.complaints.append(params["exceptionDetails"]["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(params["entry"]["text"] + " " + params["entry"].get("url", ""))
        elif method == "Network.requestWillBeSent":
            self.waiting.append(params["request"]["url"])
        return message

    def call(self, method, **params):
        self.nr += 1
        self.wire.send(json.dumps({"id": self.nr, "method": method, "params": params}))
        while True:
            message = self.next()
            if message.get("id") == self.nr:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]

    def look(self, width, height, dark=False):
        """The screen's size in CSS pixels, and the colours that the reader likes."""
        self.width = width
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, url):
        """Loads it; `complaints` holds what the console said, `waiting` what was asked for."""
        self.complaints, self.waiting = [], []
        self.call("Page.navigate", url=url)
        while self.next().get("method") != "Page.loadEventFired":
            pass

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']['text']}")
        return result["result"].get("value")

    def close(self):
        self.wire.close()

    def shot(self, path):
        """The whole page as a picture."""
        height = min(int(self.value("document.documentElement.scrollHeight")), 8000)
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                         clip={"x": 0, "y": 0, "width": self.width, "height": height, "scale": 1})["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))


class Browser:
    def __enter__(self):
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        if not program:
            print("SKIP: there is no Chromium (apt-get install chromium)")
            sys.exit(77)
        self.root = None
        self.folder = tempfile.mkdtemp(prefix="patchmeter-chrome-")
        self.process = subprocess.Popen([program, *OPTIONS, f"--user-data-dir={self.folder}", "about:blank"],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        told = pathlib.Path(self.folder, "DevToolsActivePort")
        deadline = time.monotonic() + 60
        while not (told.exists() and told.read_text(encoding="utf-8").count("\n") >= 1):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.__exit__()
                raise RuntimeError("the browser does not start")
            time.sleep(0.1)
        self.port, path = told.read_text(encoding="utf-8").split("\n")[:2]
        self.port = int(self.port)
        self.root = Socket(self.port, path)
        return self

    def __exit__(self, *_):
        if self.root:
            self.root.close()
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def page(self, width=1280, height=900, dark=False):
        self.root.send(json.dumps({"id": 1, "method": "Target.createTarget", "params": {"url": "about:blank"}}))
        while True:
            message = json.loads(self.root.receive())
            if message.get("id") == 1:
                break
        page = Page(Socket(self.port, "/devtools/page/" + message["result"]["targetId"]))
        page.look(width, height, dark)
        return page
