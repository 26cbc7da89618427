"""SQLAlchemy on psycopg's pool of connections, under the load of `bench server postgres`.

Each client is a thread with a session for each operation. Prints one line of JSON, as `bench server-worker` does.
"""

import argparse
import json
import random
import threading
import time

import sqlalchemy as sa
from psycopg_pool import ConnectionPool
from sqlalchemy import orm, pool

from postgres import COLUMNS, touch

Base = orm.declarative_base()
KINDS = [sa.Text] * 4 + [sa.Double] * 2 + [sa.Text] * 2 + [sa.BigInteger, sa.Text, sa.Double, sa.BigInteger]
Message = type(
    "Message", (Base,),
    {
        "__tablename__": "sqlalchemy",
        "__table_args__": (sa.Index("server_conversation_created", "conversationID", "createdAt"), {"schema": "bench"}),
        "pk": sa.Column("_pk", sa.BigInteger, primary_key=True),
        **{name: sa.Column(kind, nullable=True, unique=name == "id") for name, kind in zip(COLUMNS, KINDS)},
    })


class Change(Base):
    """A row of history for each write, as the other peers have."""

    __tablename__ = "sqlalchemy_history"
    __table_args__ = {"schema": "bench"}
    id = sa.Column(sa.BigInteger, primary_key=True)
    timestamp = sa.Column(sa.Double, nullable=False)
    author = sa.Column(sa.Text)
    program = sa.Column(sa.Text, nullable=False)
    process = sa.Column(sa.Text, nullable=False)
    changes = sa.Column(sa.Text, nullable=False)


def fill(engine):
    """Copies the rows once."""
    with engine.begin() as connection:
        if connection.execute(sa.text("SELECT to_regclass('bench.sqlalchemy')")).scalar():
            return
        Base.metadata.create_all(connection)
        names = ", ".join(f'"{name}"' for name in ["_pk", *COLUMNS])
        connection.execute(sa.text(f'INSERT INTO bench.sqlalchemy ({names}) SELECT {names} FROM bench.raw WHERE _pk <= 100000'))


def page(engine, conversation):
    query = (
        sa.select(Message).where(Message.conversationID == conversation)
        .order_by(Message.createdAt.desc(), Message.pk).limit(20))
    with orm.Session(engine) as session:
        found = session.scalars(query).all()
        assert len(found) == 20 and sum(touch(message) for message in found)


def point(engine, identifier):
    with orm.Session(engine) as session:
        assert touch(session.scalars(sa.select(Message).where(Message.id == identifier)).one())


def write(engine, identifier):
    with orm.Session(engine) as session:
        message = session.scalars(sa.select(Message).where(Message.id == identifier)).one()
        message.retryCount += 1
        changes = json.dumps([{"kind": 1, "class": "Message", "properties": ["retryCount"], "keys": [identifier]}])
        session.add(Change(timestamp=time.time(), program="bench", process="12345", changes=changes))
        session.commit()


def vacuum(engine):
    """What the server would otherwise do while the next cell is measured."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(sa.text("VACUUM ANALYZE bench.sqlalchemy"))


def quantiles(times):
    times = sorted(times)
    if not times:
        return {"count": 0, "p50": 0, "p99": 0, "p999": 0, "max": 0}

    def at(part):
        return times[min(len(times) - 1, int(len(times) * part))] * 1e3

    return {"count": len(times), "p50": at(0.5), "p99": at(0.99), "p999": at(0.999), "max": times[-1] * 1e3}


def peak_memory():
    """VmHWM in KiB."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--width", type=int, required=True)
    parser.add_argument("--reads", choices=["pages", "points"], required=True)
    parser.add_argument("--writes", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--connections", type=int, required=True)
    options = parser.parse_args()

    connections = ConnectionPool(
        options.url, min_size=options.connections, max_size=options.connections, timeout=30, close_returns=True, open=True)
    connections.wait()
    engine = sa.create_engine("postgresql+psycopg://", poolclass=pool.NullPool, creator=connections.getconn)
    fill(engine)
    vacuum(engine)
    with engine.connect() as connection:
        identifiers = list(connection.execute(sa.text("SELECT id FROM bench.sqlalchemy ORDER BY _pk LIMIT 4096")).scalars())
        conversations = list(connection.execute(sa.text('SELECT DISTINCT "conversationID" FROM bench.sqlalchemy')).scalars())
        before = connection.execute(sa.text("SELECT count(*) FROM bench.sqlalchemy_history")).scalar()

    # Clients work before the clock starts, so that statements are prepared.
    start = time.perf_counter() + 0.25
    end = start + options.seconds
    lock, reads, writes, failures, ended, written, finished = threading.Lock(), [], [], [], [0], [0], [0]

    def client(number):
        own = random.Random(number)
        read, wrote, done, kept, count = [], [], 0, 0, 0
        try:
            while (begin := time.perf_counter()) < end:
                is_write = own.randrange(100) < options.writes
                if is_write:
                    write(engine, own.choice(identifiers))
                    kept += 1
                elif options.reads == "pages":
                    page(engine, own.choice(conversations))
                else:
                    point(engine, own.choice(identifiers))
                now = time.perf_counter()
                count += 1
                done += start <= now < end
                if begin >= start:
                    (wrote if is_write else read).append(now - begin)
        except Exception as error:  # pylint: disable=broad-except
            failures.append(error)
        with lock:
            reads.extend(read)
            writes.extend(wrote)
            ended[0] += done
            written[0] += kept
            finished[0] += count

    cpu = time.process_time()
    threads = [threading.Thread(target=client, args=(number,)) for number in range(options.width)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cpu = time.process_time() - cpu
    if failures:
        raise failures[0]
    with engine.connect() as connection:
        after = connection.execute(sa.text("SELECT count(*) FROM bench.sqlalchemy_history")).scalar()
    assert after - before == written[0], f"{after - before} changes were kept of {written[0]}"
    print(json.dumps({
        "rate": ended[0] / options.seconds, "cpu": cpu * 1e6 / max(1, finished[0]), "reads": quantiles(reads), "writes": quantiles(writes),
        "all": quantiles(reads + writes), "peakMemory": peak_memory(), "threads": threading.active_count() + len(threads),
    }))
    connections.close()


if __name__ == "__main__":
    main()
