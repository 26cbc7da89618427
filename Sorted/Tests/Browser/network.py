"""A network between browsers and a server that delays, cuts and counts."""
import asyncio
import random
import re
import threading

from support import free_port


class Network:
    """A proxy in a thread of its own."""

    def __init__(self, target, delay=0.0, loss=0.0, seed=1):
        self.target, self.port = target, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        # In seconds, each way, and the part of all chunks that are lost with their connection.
        self.delay, self.loss = delay, loss
        self.random = random.Random(seed)
        self.cut = 0
        # Tells from the path of a request how many bytes of its answer come through; None is all of them.
        self.limit = lambda path: None
        # How many event streams are open, after each change.
        self.streams = [0]
        self.loop = asyncio.new_event_loop()
        started = threading.Event()
        threading.Thread(target=self.run, args=[started], daemon=True).start()
        started.wait()

    def run(self, started):
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(asyncio.start_server(self.serve, "127.0.0.1", self.port))
        started.set()
        self.loop.run_forever()

    async def serve(self, reader, writer):
        try:
            other_reader, other_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            return writer.close()
        connection = {"left": None, "isStream": False}
        await asyncio.gather(
            self.copy(reader, other_writer, lambda chunk: self.asked(chunk, connection)),
            self.copy(other_reader, writer, lambda chunk: self.limited(chunk, connection)))
        if connection["isStream"]:
            self.streams.append(self.streams[-1] - 1)

    def asked(self, chunk, connection):
        for path in re.findall(rb"^GET (\S+) HTTP/1\.1\r$", chunk, re.MULTILINE):
            connection["left"] = self.limit(path.decode())
            if path.startswith(b"/events") and not connection["isStream"]:
                connection["isStream"] = True
                self.streams.append(self.streams[-1] + 1)
        return chunk

    def limited(self, chunk, connection):
        """As much of an answer as comes through; the connection ends with less than all of it."""
        if connection["left"] is None:
            return chunk
        connection["left"], part = connection["left"] - len(chunk), chunk[:connection["left"]]
        return part if connection["left"] < 0 else chunk

    async def copy(self, reader, writer, change):
        try:
            while chunk := await reader.read(1 << 16):
                await asyncio.sleep(self.delay)
                part = change(chunk)
                is_lost = self.random.random() < self.loss
                if not is_lost and part:
                    writer.write(part)
                    await writer.drain()
                if is_lost or len(part) < len(chunk):
                    self.cut += 1
                    break
        except OSError:
            pass
        finally:
            writer.close()
