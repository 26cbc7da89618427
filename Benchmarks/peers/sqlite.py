"""SQLAlchemy and Django on SQLite, on the workloads of `bench` and with its files.

Each cell runs in a process of its own, on a copy of the file of the raw peers (or on the file itself where nothing is
written), and has to read what raw C reads: the sums of both are compared. Raw C runs before each cell, so that both sides of
a ratio see the same machine. Prints the rows of the table.

    Benchmarks/peers/run sqlite.py --bench .build/release/bench --data FOLDER --only W1,W3
"""

import time

START = time.perf_counter()  # W11 counts the imports too, as the other peers' processes count theirs.

import argparse
import gc
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys

COLUMNS = [
    "id", "conversationID", "senderID", "text", "createdAt", "updatedAt", "status", "syncStatus", "retryCount",
    "category", "categoryConfidence", "unreadFlag",
]
STATUS = {"sending": 0, "sent": 1, "delivered": 2, "read": 3}
SYNC = {"pending": 0, "synced": 1, "failed": 2}
NEEDLE = "zanzibar"
# The file of each workload, and whether it is changed. Both files have to be made by `bench --only W1,W3,W5b` before.
WORKLOADS = {
    "W1": ("empty", True), "W3": ("100k", False), "W4x": ("100k", False), "W5a": ("100k", False), "W5b": ("1m", False),
    "W6": ("100k", True), "W7e": ("100k", False), "W9": ("100k", True), "W10a": ("1m", False), "W10b": ("1m", False),
    "W11": ("1m", False),
}


def touch(message):
    """The checksum of one message with every property read, as `touch` in BenchKit."""
    return (
        len(message.id) + len(message.conversationID) + len(message.senderID) + len(message.text.encode())
        + int(message.createdAt) + int(message.updatedAt) + STATUS[message.status] + SYNC[message.syncStatus]
        + message.retryCount + len(message.category or "") + int((message.categoryConfidence or 0) * 128)
        + (1 if message.unreadFlag else 0))


class SQLAlchemyPeer:
    def __init__(self, path):
        import sqlalchemy as sa
        from sqlalchemy import orm

        self.sa, self.orm = sa, orm
        base = orm.declarative_base()
        kinds = [sa.Text] * 4 + [sa.Double] * 2 + [sa.Text] * 2 + [sa.Integer, sa.Text, sa.Double, sa.Boolean]
        fields = {name: sa.Column(kind) for name, kind in zip(COLUMNS, kinds)}
        fields["id"] = sa.Column(sa.Text, primary_key=True)
        self.conversation = type("Conversation", (base,), {
            "__tablename__": "conversation", "id": sa.Column(sa.Text, primary_key=True), "displayName": sa.Column(sa.Text)})
        fields["conversationID"] = sa.Column(sa.Text, sa.ForeignKey("conversation.id"))
        self.model = type("Message", (base,), {
            "__tablename__": "message", **fields, "conversation": orm.relationship(self.conversation)})
        engine = sa.create_engine(f"sqlite:///{path}")

        @sa.event.listens_for(engine, "connect")
        def setting(connection, _):
            connection.execute("PRAGMA synchronous = NORMAL")

        self.session = orm.Session(engine, expire_on_commit=False)

    def sum(self, query):
        return sum(touch(message) for message in self.session.scalars(query))

    def insert(self, rows):
        self.session.add_all([self.model(**dict(zip(COLUMNS, row))) for row in rows])
        self.session.commit()

    def fetch(self):
        return self.sum(self.sa.select(self.model))

    def points(self, ids):
        return sum(self.sum(self.sa.select(self.model).where(self.model.id == id)) for id in ids)

    def pages(self, conversations):
        model = self.model
        return sum(
            self.sum(
                self.sa.select(model).where(model.conversationID == conversation)
                .order_by(model.createdAt.desc()).limit(20))
            for conversation in conversations)

    def load(self, count):
        self.loaded = list(self.session.scalars(self.sa.select(self.model).limit(count)))

    def update(self):
        for message in self.loaded:
            message.retryCount += 1
        self.session.commit()

    def save_each(self):
        for message in self.loaded:
            message.retryCount += 1
            self.session.commit()

    def related(self):
        query = self.sa.select(self.model).options(self.orm.joinedload(self.model.conversation)).limit(10_000)
        return sum(len(m.id) + len(m.conversation.displayName) for m in self.session.scalars(query))

    def count(self):
        condition = (self.model.status == "read") & self.model.unreadFlag
        return self.session.scalar(self.sa.select(self.sa.func.count()).select_from(self.model).where(condition))

    def search(self):
        return self.sum(self.sa.select(self.model).where(self.model.text.contains(NEEDLE)))


class DjangoPeer:
    def __init__(self, path):
        import django
        from django.conf import settings

        settings.configure(
            DEBUG=False, USE_TZ=False, INSTALLED_APPS=[],
            DATABASES={"default": {
                "ENGINE": "django.db.backends.sqlite3", "NAME": path,
                "OPTIONS": {"init_command": "PRAGMA synchronous = NORMAL"},
            }})
        django.setup()
        from django.db import models, transaction

        self.transaction = transaction
        text, real = models.TextField, models.FloatField
        kinds = [text] * 4 + [real] * 2 + [text] * 2 + [models.IntegerField, text, real, models.BooleanField]
        fields = {name: kind(null=True, db_column=name) for name, kind in zip(COLUMNS, kinds)}
        fields["id"] = text(primary_key=True)
        self.conversation = type("Conversation", (models.Model,), {
            "__module__": __name__, "id": text(primary_key=True), "displayName": text(db_column="displayName"),
            "Meta": type("Meta", (), {"app_label": "bench", "db_table": "conversation", "managed": False})})
        del fields["conversationID"]
        fields["conversation"] = models.ForeignKey(
            self.conversation, models.DO_NOTHING, db_column="conversationID", db_constraint=False)
        # The name that the other peers give the column.
        fields["conversationID"] = property(lambda message: message.conversation_id)
        self.model = type("Message", (models.Model,), {
            "__module__": __name__, **fields,
            "Meta": type("Meta", (), {"app_label": "bench", "db_table": "message", "managed": False})})

    def sum(self, query):
        return sum(touch(message) for message in query)

    def insert(self, rows):
        names = ["conversation_id" if name == "conversationID" else name for name in COLUMNS]
        with self.transaction.atomic():
            self.model.objects.bulk_create([self.model(**dict(zip(names, row))) for row in rows])

    def fetch(self):
        return self.sum(self.model.objects.all())

    def points(self, ids):
        return sum(touch(self.model.objects.get(id=id)) for id in ids)

    def pages(self, conversations):
        return sum(
            self.sum(self.model.objects.filter(conversation_id=conversation).order_by("-createdAt")[:20])
            for conversation in conversations)

    def load(self, count):
        self.loaded = list(self.model.objects.all()[:count])

    def update(self):
        with self.transaction.atomic():
            for message in self.loaded:
                message.retryCount += 1
                message.save(update_fields=["retryCount"])

    def save_each(self):
        for message in self.loaded:
            message.retryCount += 1
            message.save(update_fields=["retryCount"])

    def related(self):
        query = self.model.objects.select_related("conversation")[:10_000]
        return sum(len(message.id) + len(message.conversation.displayName) for message in query)

    def count(self):
        return self.model.objects.filter(status="read", unreadFlag=True).count()

    def search(self):
        return self.sum(self.model.objects.filter(text__contains=NEEDLE))


PEERS = {"SQLAlchemy": SQLAlchemyPeer, "Django": DjangoPeer}


def inputs(data):
    """The identifiers, conversations and rows that the workloads name, in the order of their making."""
    connection = sqlite3.connect(f"{data}/raw-100k.db")
    names = ", ".join(COLUMNS)
    rows = connection.execute(f"SELECT {names} FROM message ORDER BY rowid").fetchall()
    conversations = [row[0] for row in connection.execute("SELECT id FROM conversation ORDER BY rowid")]
    connection.close()
    return rows, conversations


def work(name, workload, data):
    """One cell, in this process: milliseconds and the sum of what was read."""
    file, changes = WORKLOADS[workload]
    path = f"{data}/raw-{file}.db"
    if workload == "W11":
        connection = sqlite3.connect(path)
        first = connection.execute("SELECT id FROM conversation ORDER BY rowid LIMIT 1").fetchone()[0]
        connection.close()
        total = PEERS[name](path).pages([first])
        return (time.perf_counter() - START) * 1e3, total
    if changes:
        shutil.copyfile(path, f"{data}/peer.db")
        for suffix in ["-wal", "-shm"]:
            if os.path.exists(f"{data}/peer.db{suffix}"):
                os.remove(f"{data}/peer.db{suffix}")
        path = f"{data}/peer.db"
    rows, conversations = inputs(data)
    ids = [rows[(number * 7919 + 13) % 100_000][0] for number in range(10_000)]
    pages = [conversations[(number * 389 + 7) % 1000] for number in range(1000)]
    peer = PEERS[name](path)
    if workload == "W6":
        peer.load(100_000)
    if workload == "W9":
        peer.load(1000)
    bodies = {
        "W1": lambda: peer.insert(rows), "W3": peer.fetch, "W4x": lambda: peer.points(ids),
        "W5a": lambda: peer.pages(pages), "W5b": lambda: peer.pages(pages), "W6": peer.update, "W7e": peer.related,
        "W9": peer.save_each, "W10a": peer.count, "W10b": peer.search,
    }
    gc.collect()
    start = time.perf_counter()
    total = bodies[workload]()
    return (time.perf_counter() - start) * 1e3, total


def run(command):
    return [json.loads(line) for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bench", help="the program whose raw C is compared with")
    parser.add_argument("--data", required=True, help="the folder of bench's databases")
    parser.add_argument("--only", default=",".join(WORKLOADS))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--work", nargs=2, metavar=("PEER", "WORKLOAD"), help="one cell, in this process")
    options = parser.parse_args()
    if options.work:
        milliseconds, total = work(*options.work, options.data)
        print(json.dumps({"milliseconds": milliseconds, "checksum": total}))
        return
    print("| workload | raw C, ms | " + " | ".join(PEERS) + " |\n| --- | ---: | ---: | ---: |")
    for workload in options.only.split(","):
        raw, cells = [], {name: [] for name in PEERS}
        for _ in range(options.runs):
            for name in PEERS:
                raw += run([options.bench, "worker", "raw C", workload, "--data", options.data])
                cell = run([sys.executable, __file__, "--data", options.data, "--work", name, workload])[0]
                expected = raw[-1]["checksum"]
                if WORKLOADS[workload][1] is False and cell["checksum"] != expected:
                    sys.exit(f"{name} {workload} read {cell['checksum']} instead of {expected}")
                cells[name].append(cell["milliseconds"])
        base = statistics.median(sample["milliseconds"] for sample in raw)
        ratios = [f"{statistics.median(times) / base:.2f}" for times in cells.values()]
        print(f"| {workload} | {base:.1f} | " + " | ".join(ratios) + " |", flush=True)


if __name__ == "__main__":
    main()
