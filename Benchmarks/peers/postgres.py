"""SQLAlchemy and Django on psycopg, on the workload of `bench postgres`.

Each saves, fetches and pages the rows that the store under test saved, in a table of its own with the same indices.
Prints one line of JSON: the median seconds of each line by peer. Called by `bench postgres`.
"""

import argparse
import gc
import json
import statistics
import time

import psycopg

COLUMNS = [
    "id", "conversationID", "senderID", "text", "createdAt", "updatedAt", "status", "syncStatus", "retryCount",
    "category", "categoryConfidence", "unreadFlag",
]


def rows(url):
    names = ", ".join(f'"{name}"' for name in COLUMNS)
    with psycopg.connect(url) as connection:
        return connection.execute(f'SELECT {names} FROM bench."Message" ORDER BY _pk').fetchall()


def touch(message):
    """Reads every property, as the other peers do."""
    return sum(1 for name in COLUMNS if getattr(message, name) is not None)


class SQLAlchemyPeer:
    def __init__(self, url):
        import sqlalchemy as sa
        from sqlalchemy import orm

        self.sa, self.orm = sa, orm
        base = orm.declarative_base()
        integer, text, real = sa.BigInteger, sa.Text, sa.Double
        kinds = [text, text, text, text, real, real, text, text, integer, text, real, integer]
        fields = {name: sa.Column(kind, nullable=True) for name, kind in zip(COLUMNS, kinds)}
        fields["id"] = sa.Column(text, unique=True, nullable=False)
        self.model = type(
            "Message", (base,),
            {
                "__tablename__": "message_sqlalchemy",
                "__table_args__": (sa.Index("sa_conversation_created", "conversationID", "createdAt"), {"schema": "bench"}),
                "pk": sa.Column("_pk", integer, primary_key=True),
                **fields,
            })
        self.engine = sa.create_engine(url.replace("postgres://", "postgresql://", 1).replace("postgresql://", "postgresql+psycopg://", 1))
        base.metadata.drop_all(self.engine)
        base.metadata.create_all(self.engine)

    def clear(self):
        with self.engine.begin() as connection:
            connection.execute(self.sa.text("TRUNCATE bench.message_sqlalchemy"))

    def save(self, rows):
        with self.orm.Session(self.engine) as session:
            session.add_all([self.model(**dict(zip(COLUMNS, row))) for row in rows])
            session.commit()

    def fetch(self):
        with self.orm.Session(self.engine) as session:
            return sum(touch(message) for message in session.scalars(self.sa.select(self.model).order_by(self.model.pk)))

    def points(self, ids):
        with self.orm.Session(self.engine) as session:
            return sum(touch(session.scalars(self.sa.select(self.model).where(self.model.id == id)).one()) for id in ids)

    def pages(self, conversations):
        model, total = self.model, 0
        with self.orm.Session(self.engine) as session:
            for conversation in conversations:
                query = (
                    self.sa.select(model).where(model.conversationID == conversation)
                    .order_by(model.createdAt.desc(), model.pk).limit(20))
                total += sum(touch(message) for message in session.scalars(query))
        return total

    def close(self):
        with self.engine.begin() as connection:
            connection.execute(self.sa.text("DROP TABLE bench.message_sqlalchemy"))
        self.engine.dispose()


class DjangoPeer:
    def __init__(self, url):
        import django
        from django.conf import settings

        parts = psycopg.conninfo.conninfo_to_dict(url)
        settings.configure(
            DEBUG=False, USE_TZ=False, INSTALLED_APPS=[],
            DATABASES={"default": {
                "ENGINE": "django.db.backends.postgresql", "NAME": parts.get("dbname"), "USER": parts.get("user"),
                "PASSWORD": parts.get("password", ""), "HOST": parts.get("host", ""), "PORT": parts.get("port", ""),
                "OPTIONS": {"options": "-c search_path=bench"},
            }})
        django.setup()
        from django.db import connection, models, transaction

        self.connection, self.transaction = connection, transaction
        text, real, integer = models.TextField, models.FloatField, models.BigIntegerField
        kinds = [text, text, text, text, real, real, text, text, integer, text, real, integer]
        fields = {name: kind(null=True, db_column=name) for name, kind in zip(COLUMNS, kinds)}
        fields["id"] = text(unique=True)
        fields["pk_"] = models.BigAutoField(primary_key=True, db_column="_pk")
        meta = type("Meta", (), {
            "app_label": "bench", "db_table": "message_django",
            "indexes": [models.Index(fields=["conversationID", "createdAt"], name="dj_conversation_created")],
        })
        self.model = type("Message", (models.Model,), {"__module__": __name__, "Meta": meta, **fields})
        with connection.schema_editor() as editor:
            editor.execute("DROP TABLE IF EXISTS message_django")
            editor.create_model(self.model)

    def clear(self):
        with self.connection.cursor() as cursor:
            cursor.execute("TRUNCATE message_django")

    def save(self, rows):
        with self.transaction.atomic():
            self.model.objects.bulk_create([self.model(**dict(zip(COLUMNS, row))) for row in rows], batch_size=5_000)

    def fetch(self):
        return sum(touch(message) for message in self.model.objects.order_by("pk_"))

    def points(self, ids):
        return sum(touch(self.model.objects.get(id=id)) for id in ids)

    def pages(self, conversations):
        return sum(
            touch(message)
            for conversation in conversations
            for message in self.model.objects.filter(conversationID=conversation).order_by("-createdAt", "pk_")[:20])

    def close(self):
        with self.connection.cursor() as cursor:
            cursor.execute("DROP TABLE message_django")


def timed(body, runs, before=lambda: None):
    times, result = [], None
    for _ in range(runs):
        before()
        gc.collect()
        start = time.perf_counter()
        result = body()
        times.append(time.perf_counter() - start)
    return statistics.median(times), result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    source = rows(options.url)
    ids = [source[number * 7919 % len(source)][0] for number in range(10_000)]
    conversations = sorted({row[1] for row in source})[:1_000]
    results = {}
    for name, kind in [("SQLAlchemy", SQLAlchemyPeer), ("Django", DjangoPeer)]:
        peer = kind(options.url)
        save, _ = timed(lambda: peer.save(source), options.runs, peer.clear)
        fetch, touched = timed(peer.fetch, options.runs)
        expected = sum(1 for row in source for cell in row if cell is not None)
        assert touched == expected, f"{name} touched {touched} cells instead of {expected}"
        points, _ = timed(lambda: peer.points(ids), options.runs)
        pages, _ = timed(lambda: peer.pages(conversations), options.runs)
        peer.close()
        results[name] = {"save": save, "fetch": fetch, "points": points, "pages": pages}
    print(json.dumps(results))


if __name__ == "__main__":
    main()
