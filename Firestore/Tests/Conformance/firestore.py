"""Google's own client of Firestore (its REST transport and its message classes) against a server.

Usage: firestore.py HOST:PORT. Prints a line for each check; ends with 1 where one failed.
"""

import datetime
import sys

from google.api_core import exceptions
from google.auth.credentials import AnonymousCredentials
from google.cloud.firestore_v1.services.firestore import FirestoreClient
from google.cloud.firestore_v1.services.firestore.transports import FirestoreRestTransport
from google.cloud.firestore_v1.types import (
    CommitRequest,
    Document,
    DocumentMask,
    DocumentTransform,
    Precondition,
    StructuredAggregationQuery,
    StructuredQuery,
    Value,
    Write,
)
from google.protobuf.struct_pb2 import NullValue

DATABASE = "projects/conformance/databases/(default)"
ROOT = DATABASE + "/documents"
failures = 0


def check(what, condition, seen=None):
    global failures
    if not condition:
        failures += 1
    print(("passed  " if condition else "FAILED  ") + what + ("" if condition else f": {seen!r}"))


def refused(what, status, call):
    """Over REST the class of an error says its HTTP code only; Google's word for it is in the body."""
    try:
        seen = call()
    except exceptions.GoogleAPICallError as error:
        body = error.response.json()
        seen = (body[0] if isinstance(body, list) else body)["error"]
        check(what, seen["status"] == status and seen["code"] == error.code and seen["message"] != "", seen)
        return
    check(what, False, seen)


def every_type():
    time = datetime.datetime(2024, 2, 29, 12, 34, 56, 789012, tzinfo=datetime.timezone.utc)
    return {
        "null": Value(null_value=NullValue.NULL_VALUE),
        "boolean": Value(boolean_value=True),
        "integer": Value(integer_value=-(2**63)),
        "double": Value(double_value=0.1),
        "infinity": Value(double_value=float("-inf")),
        "timestamp": Value(timestamp_value=time),
        "string": Value(string_value="täxt 🎥\0"),
        "bytes": Value(bytes_value=bytes(range(256))),
        "reference": Value(reference_value=ROOT + "/c/a"),
        "point": Value(geo_point_value={"latitude": 1.5, "longitude": -2}),
        "array": Value(array_value={"values": [Value(integer_value=1), Value(map_value={"fields": {}})]}),
        "map": Value(map_value={"fields": {"in.ner": Value(array_value={"values": []})}}),
    }


def commit(client, *writes):
    return client.commit(CommitRequest(database=DATABASE, writes=writes))


def put(name, **fields):
    values = {key: Value(integer_value=value) for key, value in fields.items()}
    return Write(update=Document(name=f"{ROOT}/{name}", fields=values))


def documents(client):
    name = ROOT + "/c/a"
    written = commit(client, Write(update=Document(name=name, fields=every_type())))
    read = client.get_document({"name": name})
    check("get: every type of value comes back", read.fields == every_type(), read)
    check("get: the time of the update", read.update_time == written.write_results[0].update_time, read.update_time)
    masked = client.get_document({"name": name, "mask": DocumentMask(field_paths=["double", "map.`in.ner`"])})
    check("get: a mask", sorted(masked.fields) == ["double", "map"], masked)
    refused("get: NOT_FOUND", "NOT_FOUND", lambda: client.get_document({"name": ROOT + "/c/none"}))

    # Google's binding of this method has no collections at the root.
    above = ROOT + "/above/x"

    def create(**identifier):
        return client.create_document(
            {"parent": above, "collection_id": "made", "document": Document(fields={}), **identifier}
        )

    check("create: with an identifier", create(document_id="x").name == above + "/made/x")
    made = create().name
    check("create: with one of the server's", len(made.rsplit("/", 1)[1]) == 20, made)
    refused("create: ALREADY_EXISTS", "ALREADY_EXISTS", lambda: create(document_id="x"))

    changed = client.update_document(
        {
            "document": Document(name=name, fields={"double": Value(double_value=2)}),
            "update_mask": DocumentMask(field_paths=["double", "bytes"]),
        }
    )
    check("patch: the mask writes and removes", "bytes" not in changed.fields and len(changed.fields) == 11, changed)
    check("patch: the new value", changed.fields["double"].double_value == 2, changed)
    client.delete_document({"name": name})
    refused("delete: it is gone", "NOT_FOUND", lambda: client.get_document({"name": name}))
    held = {"name": name, "current_document": Precondition(exists=True)}
    refused("delete: a precondition", "NOT_FOUND", lambda: client.delete_document(held))


def lists(client):
    commit(client, *[put(f"list/{number:02}", n=number) for number in range(25)])
    pages = list(client.list_documents({"parent": ROOT, "collection_id": "list", "page_size": 10}).pages)
    check("list: pages", [len(page.documents) for page in pages] == [10, 10, 5], pages)
    names = [document.name.rsplit("/", 1)[1] for page in pages for document in page.documents]
    check("list: in order, once each", names == [f"{number:02}" for number in range(25)], names)
    wanted = [ROOT + "/list/03", ROOT + "/list/none"]
    answers = list(client.batch_get_documents({"database": DATABASE, "documents": wanted}))
    check("batchGet: found", [a.found.name for a in answers if "found" in a] == wanted[:1], answers)
    check("batchGet: missing", [a.missing for a in answers if "missing" in a] == wanted[1:], answers)


def commits(client):
    name = ROOT + "/t/a"
    first = commit(client, put("t/a", n=1))
    time = first.write_results[0].update_time
    stale = Write(delete=name, current_document=Precondition(update_time=time))
    commit(client, put("t/a", n=2))
    refused("commit: FAILED_PRECONDITION", "FAILED_PRECONDITION", lambda: commit(client, put("t/b", n=1), stale))
    refused("commit: nothing of it happened", "NOT_FOUND", lambda: client.get_document({"name": ROOT + "/t/b"}))

    kind = DocumentTransform.FieldTransform
    transforms = [
        kind(field_path="n", increment=Value(integer_value=5)),
        kind(field_path="n", maximum=Value(double_value=9.5)),
        kind(field_path="l", append_missing_elements={"values": [Value(integer_value=1), Value(integer_value=2)]}),
        kind(field_path="l", remove_all_from_array={"values": [Value(integer_value=1)]}),
        kind(field_path="t", set_to_server_value=kind.ServerValue.REQUEST_TIME),
    ]
    write = Write(
        update=Document(name=name), update_mask=DocumentMask(field_paths=[]), update_transforms=transforms
    )
    results = commit(client, write).write_results[0].transform_results
    check("transforms: their results", [results[0].integer_value, results[1].double_value] == [7, 9.5], results)
    read = client.get_document({"name": name}).fields
    check("transforms: arrays", [v.integer_value for v in read["l"].array_value.values] == [2], read)
    check("transforms: the time", read["t"].timestamp_value == results[4].timestamp_value, read)
    older = Write(transform=DocumentTransform(document=name, field_transforms=transforms[:1]))
    commit(client, older)
    check(
        "transforms: the older form", client.get_document({"name": name}).fields["n"].double_value == 14.5, read
    )


def queries(client):
    commit(client, *[put(f"q/{letter}", n=number % 4, g=number) for number, letter in enumerate("abcdefgh")])
    field = StructuredQuery.FieldReference
    up, down = StructuredQuery.Direction.ASCENDING, StructuredQuery.Direction.DESCENDING

    def run(**parts):
        query = StructuredQuery(**{"from": [StructuredQuery.CollectionSelector(collection_id="q")]}, **parts)
        found = client.run_query({"parent": ROOT, "structured_query": query})
        return "".join(a.document.name.rsplit("/", 1)[1] for a in found if "document" in a)

    def compares(path, op, value):
        return StructuredQuery.Filter(
            field_filter=StructuredQuery.FieldFilter(field=field(field_path=path), op=op, value=value)
        )

    def one(number):
        return Value(integer_value=number)

    op = StructuredQuery.FieldFilter.Operator
    both = StructuredQuery.CompositeFilter.Operator
    order = [StructuredQuery.Order(field=field(field_path="n"), direction=down)]
    check("query: all, by name", run() == "abcdefgh", run())
    check("query: equal", run(where=compares("n", op.EQUAL, one(1))) == "bf")
    check("query: in", run(where=compares("n", op.IN, Value(array_value={"values": [one(0), one(3)]}))) == "adeh")
    check("query: a range brings its order", run(where=compares("n", op.GREATER_THAN, one(1))) == "cgdh")
    mixed = StructuredQuery.CompositeFilter(
        op=both.OR, filters=[compares("n", op.EQUAL, one(1)), compares("g", op.EQUAL, one(0))]
    )
    check("query: or", run(where=StructuredQuery.Filter(composite_filter=mixed)) == "abf")
    unary = StructuredQuery.UnaryFilter(field=field(field_path="n"), op=StructuredQuery.UnaryFilter.Operator.IS_NOT_NULL)
    check("query: is not null", run(where=StructuredQuery.Filter(unary_filter=unary)) == "aebfcgdh")
    check("query: descending", run(order_by=order) == "hdgcfbea", run(order_by=order))
    after = {"values": [one(2)], "before": False}
    check("query: a cursor", run(order_by=order, start_at=after) == "fbea", run(order_by=order, start_at=after))
    check("query: offset and limit", run(order_by=order, offset=1, limit=3) == "dgc")
    ascending = [StructuredQuery.Order(field=field(field_path="__name__"), direction=up)]
    place = {"values": [Value(reference_value=ROOT + "/q/c")], "before": True}
    check("query: a cursor of names", run(order_by=ascending, end_at=place) == "ab")
    refused(
        "query: INVALID_ARGUMENT",
        "INVALID_ARGUMENT",
        lambda: run(where=compares("n", op.IN, Value(array_value={"values": []}))),
    )


def aggregations(client):
    commit(client, *[put(f"agg/{letter}", n=number, g=number % 2) for number, letter in enumerate("abcde")])
    commit(client, Write(update=Document(name=ROOT + "/agg/z", fields={"n": Value(string_value="none")})))
    field = StructuredQuery.FieldReference(field_path="n")
    kind = StructuredAggregationQuery.Aggregation
    query = StructuredQuery(**{"from": [StructuredQuery.CollectionSelector(collection_id="agg")]})
    wanted = StructuredAggregationQuery(
        structured_query=query,
        aggregations=[
            kind(alias="all", count=kind.Count()),
            kind(alias="three", count=kind.Count(up_to=3)),
            kind(alias="sum", sum=kind.Sum(field=field)),
            kind(avg=kind.Avg(field=field)),
        ],
    )
    answers = list(client.run_aggregation_query({"parent": ROOT, "structured_aggregation_query": wanted}))
    found = answers[0].result.aggregate_fields
    check("aggregations: count", found["all"].integer_value == 6, answers)
    check("aggregations: count up to", found["three"].integer_value == 3, answers)
    check("aggregations: sum", found["sum"].integer_value == 10, answers)
    check("aggregations: average, and a name of the server's", found["field_1"].double_value == 2.0, answers)


def transactions(client):
    name = ROOT + "/x/a"
    commit(client, put("x/a", n=1))

    def begin(**options):
        return client.begin_transaction({"database": DATABASE, "options": options}).transaction

    def read(transaction):
        wanted = {"database": DATABASE, "documents": [name], "transaction": transaction}
        return list(client.batch_get_documents(wanted))

    def end(transaction, *writes):
        return client.commit(CommitRequest(database=DATABASE, writes=writes, transaction=transaction))

    transaction = begin(read_write={})
    check("transactions: a read", read(transaction)[0].found.fields["n"].integer_value == 1)
    end(transaction, put("x/a", n=2))
    check("transactions: a commit", client.get_document({"name": name}).fields["n"].integer_value == 2)
    transaction = begin()
    read(transaction)
    commit(client, put("x/a", n=3))
    refused("transactions: ABORTED after a change by another", "ABORTED", lambda: end(transaction, put("x/a", n=4)))
    transaction = begin()
    client.rollback({"database": DATABASE, "transaction": transaction})
    refused("transactions: none after a rollback", "INVALID_ARGUMENT", lambda: read(transaction))
    reading = begin(read_only={})
    refused("transactions: read-only", "INVALID_ARGUMENT", lambda: end(reading, put("x/a", n=5)))
    first = list(
        client.batch_get_documents({"database": DATABASE, "documents": [name], "new_transaction": {"read_write": {}}})
    )
    check("transactions: begun by batchGet", len(first[0].transaction) > 0 and len(first) == 2, first)
    query = StructuredQuery(**{"from": [StructuredQuery.CollectionSelector(collection_id="x")]})
    queried = list(
        client.run_query({"parent": ROOT, "structured_query": query, "transaction": first[0].transaction})
    )
    check("transactions: a query", len(queried) == 1, queried)
    commit(client, put("x/b", n=1))
    refused("transactions: ABORTED after a phantom", "ABORTED", lambda: end(first[0].transaction, put("x/a", n=6)))


def batches(client):
    answer = client.batch_write(
        {
            "database": DATABASE,
            "writes": [
                put("b/a", n=1),
                Write(delete=ROOT + "/b/none", current_document=Precondition(exists=True)),
                put("b/c", n=3),
            ],
        }
    )
    check("batchWrite: a status for each", [status.code for status in answer.status] == [0, 5, 0], answer)
    check("batchWrite: a result for each", len(answer.write_results) == 3, answer)
    found = client.list_documents({"parent": ROOT, "collection_id": "b"}).documents
    check("batchWrite: what can be is written", [d.name[-1] for d in found] == ["a", "c"], found)
    commit(client, put("b/a/below/x", n=1), put("b/a/beside/x", n=1))
    below = list(client.list_collection_ids({"parent": ROOT + "/b/a", "page_size": 1}))
    check("listCollectionIds: page by page", below == ["below", "beside"], below)


def main():
    transport = FirestoreRestTransport(host=sys.argv[1], credentials=AnonymousCredentials(), url_scheme="http")
    client = FirestoreClient(transport=transport)
    for part in (documents, lists, commits, queries, aggregations, transactions, batches):
        part(client)
    print(f"{failures} checks failed" if failures else "all checks passed")
    sys.exit(1 if failures else 0)


main()
