"""Has Google's message classes read every request that our client sends.

Usage: requests_parse.py FILE, with a line of JSON for each request: its method, its target and its body.
A name, a type or an enum that the classes do not know is an error, and so is a method of the client that sent nothing.
"""

import collections
import json
import sys
from urllib.parse import parse_qs, unquote, urlsplit

from google.cloud.firestore_v1.types import (
    BatchGetDocumentsRequest,
    CommitRequest,
    GetDocumentRequest,
    ListDocumentsRequest,
    RunQueryRequest,
)
from google.protobuf import json_format

VERBS = {"commit": CommitRequest, "batchGet": BatchGetDocumentsRequest, "runQuery": RunQueryRequest}
EXPECTED = {kind.__name__ for kind in [*VERBS.values(), GetDocumentRequest, ListDocumentsRequest]}


def parts(method, target):
    """The message class of a request, and what its path and its query say, as JSON has it."""
    url = urlsplit(target)
    path, _, verb = url.path.rpartition(":") if method == "POST" else (url.path, "", "")
    segments = unquote(path).split("/")
    if segments[:2] != ["", "v1"] or segments[2] != "projects" or segments[4] != "databases" or segments[6] != "documents":
        raise ValueError("the path is none of the API")
    name = "/".join(segments[2:])
    fields = {key: values[0] for key, values in parse_qs(url.query, strict_parsing=bool(url.query)).items()}
    if method == "POST":
        place = {"parent": name} if verb == "runQuery" else {"database": name.removesuffix("/documents")}
        return VERBS[verb], {**fields, **place}
    if method != "GET":
        raise ValueError(f"the client is not known to send {method}")
    if len(segments) % 2 == 1:
        return GetDocumentRequest, {**fields, "name": name}
    parent, _, collection = name.rpartition("/")
    return ListDocumentsRequest, {**fields, "parent": parent, "collectionId": collection}


def main():
    seen = collections.Counter()
    failures = 0
    with open(sys.argv[1], encoding="utf-8") as lines:
        for line in lines:
            request = json.loads(line)
            if (request["method"], request["target"]) == ("GET", "/v1/"):
                continue  # Whether anybody answers there: no method of the API, and no message.
            try:
                kind, fields = parts(request["method"], request["target"])
                body = json.loads(request["body"]) if request["body"] else {}
                json_format.ParseDict({**body, **fields}, kind.pb(kind()))
                seen[kind.__name__] += 1
            except (KeyError, ValueError, json_format.ParseError) as error:
                failures += 1
                print(f"FAILED  {request['method']} {request['target']}: {error!r}: {request['body'][:500]}")
    for name, count in sorted(seen.items()):
        print(f"passed  {count} of {name}")
    for name in sorted(EXPECTED - set(seen)):
        failures += 1
        print(f"FAILED  no request of {name} was seen")
    print(f"{failures} requests failed" if failures else f"all {sum(seen.values())} requests parsed")
    sys.exit(1 if failures else 0)


main()
