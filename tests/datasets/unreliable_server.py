# SPDX-License-Identifier: Apache-2.0
"""A web server that misbehaves on purpose, for tests of datasets/fetch.sh.

usage: unreliable_server.py FOLDER REQUESTS

Serves the files of FOLDER on 127.0.0.1; the first part of a path says how, as in http://127.0.0.1:PORT/cut/GROUP/NAME.tar.gz:

plain        as servers do, ranges and If-Range too
cut          every answer breaks off after a third of the file
deaf         the same, and ranges are not understood: all of the file begins anew
deaf-once    ranges are not understood; the first answer alone breaks off
short        announces half of the file, and sends that
long         announces 1000 bytes more than it sends
changed      the first answer is half of another file, with another ETag
careless     the same, but If-Range is not heeded
shrunk       the first answer is of a longer file and breaks off beyond the length of the right one; If-Range is not heeded
slow         a hundredth of the file every tenth of a second
missing      404
busy         503
moved        302 to the same under plain
refusing     416 to every request

"First" means the first since the server began. Prints its port, then nothing. A line is added to REQUESTS for each request: how,
the first byte asked for or '-', the If-Range asked for or '-', the status answered. Ends after five minutes in any case.
"""

import http.server
import os
import re
import sys
import threading
import time

FOLDER, REQUESTS = sys.argv[1:]
LIFETIME_S = 300


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    answered = set()

    def do_GET(self):
        _, how, path = self.path.split("/", 2)
        first = how not in self.answered
        self.answered.add(how)
        if how in ("missing", "busy"):
            self.refuse(how, {"missing": 404, "busy": 503}[how])
        elif how == "refusing":
            self.refuse(how, 416)
        elif how == "moved":
            self.refuse(how, 302, ("Location", f"/plain/{path}"))
        else:
            with open(os.path.join(FOLDER, path), "rb") as file:
                self.serve(how, first, file.read())

    def serve(self, how, first, content):
        etag = '"right"'
        most = len(content)
        if how in ("changed", "careless", "shrunk") and first:
            etag = '"wrong"'
            most = most // 2 if how != "shrunk" else most + 100
            content = bytes(byte ^ 255 for byte in content) * 2
        elif how in ("cut", "deaf") or (how == "deaf-once" and first):
            most //= 3
        begin = 0 if how.startswith("deaf") else self.wanted_from(how, etag)
        if begin >= len(content):
            return self.refuse(how, 416, ("Content-Range", f"bytes */{len(content)}"))
        self.answer(how, 206 if begin else 200)
        if begin:
            self.send_header("Content-Range", f"bytes {begin}-{len(content) - 1}/{len(content)}")
        rest = content[begin:]
        announced = len(rest) // 2 if how == "short" else len(rest) + 1000 if how == "long" else len(rest)
        self.send_header("Content-Length", str(announced))
        self.send_header("ETag", etag)
        self.end_headers()
        self.send(rest[: announced if how == "short" else most], slowly=how == "slow")
        self.close_connection = True
        return None

    def wanted_from(self, how, etag):
        """Where the range that is asked for begins; 0 for all of the file."""
        found = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if not found or (how not in ("careless", "shrunk") and self.headers.get("If-Range", etag) != etag):
            return 0
        return int(found[1])

    def send(self, content, slowly):
        try:
            step = max(1, len(content) // 100) if slowly else len(content)
            for begin in range(0, len(content), step or 1):
                self.wfile.write(content[begin : begin + step])
                if slowly:
                    self.wfile.flush()
                    time.sleep(0.1)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client was killed

    def refuse(self, how, status, *headers):
        self.answer(how, status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def answer(self, how, status):
        begin = re.sub(r"bytes=(\d+)-", r"\1", self.headers.get("Range", "-"))
        with open(REQUESTS, "a", encoding="ascii") as requests:
            requests.write(f"{how} {begin} {self.headers.get('If-Range', '-')} {status}\n")
        self.send_response(status)

    def log_message(self, *_):
        pass


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    time.sleep(LIFETIME_S)


main()
