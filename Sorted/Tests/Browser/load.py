"""Many idle browsers on one thread while somebody writes: does each hear of every message, and does memory stay flat?

Usage: load.py CLIENTS SECONDS. Traffic stays on this machine; it ends by itself.
"""
import asyncio
import http.client
import json
import pathlib
import re
import sys
import time
import urllib.parse
import uuid

from support import Server

RATE = 20
MARK = b'class="text" dir="auto">load '


def memory(process):
    """In MiB, what the server holds."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024


class Writer:
    """Signs in and sends messages, one connection for all."""

    def __init__(self, server):
        self.server = server
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port)
        path = server.new_door().removeprefix(server.url)
        # The server lets 30 browsers in at once, then one every two seconds.
        while (answer := self.request("GET", path)).status == 429:
            time.sleep(2)
        self.cookie = answer.getheader("Set-Cookie").split(";")[0]
        page = self.request("GET", "/settings").body
        self.token = re.search(r'name="form" value="([^"]+)"', page).group(1)

    def request(self, method, path, fields=None):
        headers = {"Cookie": getattr(self, "cookie", ""), "X-Live": "1"}
        body = urllib.parse.urlencode(fields) if fields is not None else None
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        self.connection.request(method, path, body, headers)
        answer = self.connection.getresponse()
        answer.body = answer.read().decode()
        return answer

    def send(self, slug, text):
        answer = self.request(
            "POST", f"/c/{slug}/send", {"form": self.token, "key": str(uuid.uuid4()), "text": text})
        assert answer.status == 200, (answer.status, answer.body)


# As many streams as one session may have.
STREAMS = 12


async def listen(port, cookie, slug, heard, delays):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET /events?threads={slug}:: HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n\r\n".encode())
    seen = set()
    heard.append(seen)
    try:
        rest = b""
        while chunk := await reader.read(1 << 16):
            # Whole texts only; the beginning of one stays for the next chunk.
            parts = (rest + chunk).split(MARK)
            for part in parts[1:]:
                text, end, _ = part.partition(b"<")
                number = int(text.split(b" ")[0]) if end else None
                if end and number not in seen:
                    seen.add(number)
                    delays.append(time.time() - float(text.split(b" ")[2]))
            last = parts[-1]
            rest = MARK + last if len(parts) > 1 and b"<" not in last else (rest + chunk)[-32:]
    finally:
        writer.close()


async def main(clients, seconds):
    server = Server("--sample")
    writer = None
    try:
        cookies = [Writer(server).cookie for _ in range((clients + STREAMS - 1) // STREAMS)]
        writer = Writer(server)
        page = writer.request("GET", "/").body
        slug = re.search(r'id="c-([^"]+)"', page).group(1)
        heard, delays = [], []
        tasks = [
            asyncio.create_task(listen(server.port, cookies[index // STREAMS], slug, heard, delays))
            for index in range(clients)
        ]
        while len(heard) < clients:
            await asyncio.sleep(0.05)
        await asyncio.sleep(2)
        samples, sent, start = [], 0, time.time()
        due = start
        while sent < seconds * RATE:
            await asyncio.to_thread(writer.send, slug, f"load {sent} at {time.time()}")
            sent += 1
            if sent % RATE == 0:
                samples.append(memory(server.process))
            # Who fell behind does not hurry after: the server would ask for patience.
            due = max(due + 1 / RATE, time.time())
            await asyncio.sleep(max(0, due - time.time()))
        wrote = time.time() - start
        # Until the suite's time limit, unless a browser was sent away.
        while any(len(seen) < sent for seen in heard) and not any(task.done() for task in tasks):
            await asyncio.sleep(0.1)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        delays.sort()
        result = {
            "clients": clients, "messages": sent, "messages per second": round(sent / wrote, 1),
            "median delay": round(delays[len(delays) // 2], 3), "p99 delay": round(delays[len(delays) * 99 // 100], 3),
            "MiB at first": round(samples[len(samples) // 4]), "MiB at last": round(samples[-1]),
            "clients that missed something": sum(len(seen) < sent for seen in heard),
        }
        print(json.dumps(result, indent=2))
        assert result["clients that missed something"] == 0
        # A message weighs less than a KiB; what grows with clients times messages is a leak.
        assert samples[-1] - samples[len(samples) // 4] < 24 + 0.01 * sent, samples
    finally:
        if writer:
            writer.connection.close()
        server.stop()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
