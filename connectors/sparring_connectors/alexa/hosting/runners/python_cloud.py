"""Stands for Amazon's cloud in a Python skill that uses boto3 itself; loaded by the runner.

DynamoDB tables are kept in memory: whole items by key, with plain conditions. S3 keeps objects
and makes addresses. Other services answer as a cloud that cannot be reached.
"""

from __future__ import annotations

import json
import re
from typing import Any


def put_in_place(boto3: Any, store: Any) -> Any:
    """Let `boto3.resource` and `boto3.client` give stand-ins."""

    def made(service: Any, *_: Any, **__: Any) -> Any:
        if service == "dynamodb":
            return Database(store)
        if service == "s3":
            return Objects(store)
        return Unreachable(service)

    def made_by_session(self: Any, service: Any, *_: Any, **__: Any) -> Any:
        return made(service)

    boto3.resource = boto3.client = made
    session = getattr(boto3, "Session", None)
    if session is not None:
        session.resource = session.client = made_by_session


class Unreachable:
    """A service of which nothing is known."""

    def __init__(self, service: Any) -> None:
        self._service = service

    def __getattr__(self, name: Any) -> Any:
        def refused(*_: Any, **__: Any) -> Any:
            raise ConnectionError(f"there is no {self._service}.{name} in Sparring")

        return refused


class Database:
    """DynamoDB: a table per name, made when it is used."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.meta = self
        self.client = self

    def Table(self, name: Any) -> Any:
        return Table(self._store.setdefault("dynamodb:" + name, []), name)

    def __getattr__(self, name: Any) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)

        def call(TableName: Any = None, **options: Any) -> Any:
            return getattr(self.Table(TableName), name)(**options)

        return call


class Table:
    """Items of one table."""

    def __init__(self, items: Any, name: Any) -> None:
        self._items = items
        self.name = self.table_name = name
        self.table_status = "ACTIVE"

    def put_item(self, Item: Any, **_: Any) -> Any:
        key = next(iter(Item), None)
        self._items[:] = [item for item in self._items if not self._same(item, Item, key)]
        self._items.append(_plain(Item))
        return {}

    def _same(self, item: Any, other: Any, key: Any) -> Any:
        named = [name for name in ("id", "userId", "userID", "user_id", "ID") if name in other]
        key = named[0] if named else key
        return key is not None and item.get(key) == _plain(other).get(key)

    def get_item(self, Key: Any, **_: Any) -> Any:
        found = self._stored_item(Key)
        return {"Item": json.loads(json.dumps(found))} if found is not None else {}

    def _stored_item(self, key: Any) -> Any:
        wanted = _plain(key)
        for item in self._items:
            if all(item.get(name) == value for name, value in wanted.items()):
                return item
        return None

    def delete_item(self, Key: Any, **_: Any) -> Any:
        found = self._stored_item(Key)
        if found is not None:
            self._items.remove(found)
        return {}

    def update_item(
        self,
        Key: Any,
        UpdateExpression: Any = "",
        ExpressionAttributeValues: Any = None,
        ExpressionAttributeNames: Any = None,
        **_: Any,
    ) -> Any:
        item = self._stored_item(Key)
        if item is None:
            item = _plain(Key)
            self._items.append(item)
        names: dict[str, str] = ExpressionAttributeNames or {}
        values = _plain(ExpressionAttributeValues or {})
        for name, value in re.findall(r"(?<![#\w.])([#\w.]+)\s*=\s*(:\w+)", UpdateExpression):
            item[names.get(name, name)] = values.get(value)
        return {"Attributes": json.loads(json.dumps(item))}

    def scan(self, **_: Any) -> Any:
        return {"Items": json.loads(json.dumps(self._items)), "Count": len(self._items)}

    def query(self, KeyConditionExpression: Any = None, **_: Any) -> Any:
        wanted = dict(_equalities(KeyConditionExpression))
        items = [
            item
            for item in self._items
            if all(item.get(name) == value for name, value in wanted.items())
        ]
        return {"Items": json.loads(json.dumps(items)), "Count": len(items)}

    def describe_table(self, **_: Any) -> Any:
        return {"Table": {"TableName": self.name, "TableStatus": "ACTIVE"}}

    def create_table(self, **_: Any) -> Any:
        return self

    def wait_until_exists(self) -> Any:
        return None

    def load(self) -> Any:
        return None


def _equalities(condition: Any) -> Any:
    """The equalities in a boto3 condition."""
    parts: Any = getattr(condition, "_values", ())
    if len(parts) == 2 and hasattr(parts[0], "name"):
        yield parts[0].name, _plain(parts[1])
    else:
        for part in parts:
            yield from _equalities(part)


def _plain(value: Any) -> Any:
    """Values as JSON has them."""

    def simpler(item: Any) -> Any:
        number = float(item)
        return int(number) if number.is_integer() else number

    return json.loads(json.dumps(value, default=simpler))


class Objects:
    """S3: objects by bucket and key."""

    def __init__(self, store: Any) -> None:
        self._kept = store.setdefault("s3", {})

    def put_object(self, Bucket: Any, Key: Any, Body: Any = b"", **_: Any) -> Any:
        text = Body.decode("utf-8", "replace") if isinstance(Body, bytes) else str(Body)
        self._kept[Bucket + "/" + Key] = text
        return {}

    def get_object(self, Bucket: Any, Key: Any, **_: Any) -> Any:
        import io

        if Bucket + "/" + Key not in self._kept:
            raise KeyError("NoSuchKey: " + Key)
        return {"Body": io.BytesIO(self._kept[Bucket + "/" + Key].encode())}

    def delete_object(self, Bucket: Any, Key: Any, **_: Any) -> Any:
        self._kept.pop(Bucket + "/" + Key, None)
        return {}

    def generate_presigned_url(self, ClientMethod: Any = "", Params: Any = None, **_: Any) -> Any:
        place: dict[str, Any] = Params or {}
        return f"https://{place.get('Bucket', '')}.s3.amazonaws.com/{place.get('Key', '')}"

    def __getattr__(self, name: Any) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(Unreachable("s3"), name)
