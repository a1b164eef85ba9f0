"""Stands for Amazon's cloud in a Python skill that uses boto3 itself; loaded by the runner.

DynamoDB tables are kept in memory: whole items by key, with plain conditions. S3 keeps objects
and makes addresses. Other services answer as a cloud that cannot be reached.
"""

import json
import re


def put_in_place(boto3, store):
    """Let `boto3.resource` and `boto3.client` give stand-ins."""

    def made(service, *_, **__):
        if service == "dynamodb":
            return Database(store)
        if service == "s3":
            return Objects(store)
        return Unreachable(service)

    boto3.resource = boto3.client = made
    session = getattr(boto3, "Session", None)
    if session is not None:
        session.resource = session.client = lambda self, service, *_, **__: made(service)


class Unreachable:
    """A service of which nothing is known."""

    def __init__(self, service):
        self._service = service

    def __getattr__(self, name):
        def refused(*_, **__):
            raise ConnectionError("there is no %s.%s in Sparring" % (self._service, name))

        return refused


class Database:
    """DynamoDB: a table per name, made when it is used."""

    def __init__(self, store):
        self._store = store
        self.meta = self
        self.client = self

    def Table(self, name):
        return Table(self._store.setdefault("dynamodb:" + name, []), name)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)

        def call(TableName=None, **options):
            return getattr(self.Table(TableName), name)(**options)

        return call


class Table:
    """Items of one table."""

    def __init__(self, items, name):
        self._items = items
        self.name = self.table_name = name
        self.table_status = "ACTIVE"

    def put_item(self, Item, **_):
        key = next(iter(Item), None)
        self._items[:] = [item for item in self._items if not self._same(item, Item, key)]
        self._items.append(_plain(Item))
        return {}

    def _same(self, item, other, key):
        named = [name for name in ("id", "userId", "userID", "user_id", "ID") if name in other]
        key = named[0] if named else key
        return key is not None and item.get(key) == _plain(other).get(key)

    def get_item(self, Key, **_):
        found = self._found(Key)
        return {"Item": json.loads(json.dumps(found))} if found is not None else {}

    def _found(self, key):
        wanted = _plain(key)
        for item in self._items:
            if all(item.get(name) == value for name, value in wanted.items()):
                return item
        return None

    def delete_item(self, Key, **_):
        found = self._found(Key)
        if found is not None:
            self._items.remove(found)
        return {}

    def update_item(
        self,
        Key,
        UpdateExpression="",
        ExpressionAttributeValues=None,
        ExpressionAttributeNames=None,
        **_,
    ):
        item = self._found(Key)
        if item is None:
            item = _plain(Key)
            self._items.append(item)
        names = ExpressionAttributeNames or {}
        values = _plain(ExpressionAttributeValues or {})
        for name, value in re.findall(r"([#\w.]+)\s*=\s*(:\w+)", UpdateExpression):
            item[names.get(name, name)] = values.get(value)
        return {"Attributes": json.loads(json.dumps(item))}

    def scan(self, **_):
        return {"Items": json.loads(json.dumps(self._items)), "Count": len(self._items)}

    def query(self, KeyConditionExpression=None, **_):
        wanted = dict(_equalities(KeyConditionExpression))
        items = [
            item
            for item in self._items
            if all(item.get(name) == value for name, value in wanted.items())
        ]
        return {"Items": json.loads(json.dumps(items)), "Count": len(items)}

    def describe_table(self, **_):
        return {"Table": {"TableName": self.name, "TableStatus": "ACTIVE"}}

    def create_table(self, **_):
        return self

    def wait_until_exists(self):
        return None

    def load(self):
        return None


def _equalities(condition):
    """The equalities in a boto3 condition."""
    parts = getattr(condition, "_values", ())
    if len(parts) == 2 and hasattr(parts[0], "name"):
        yield parts[0].name, _plain(parts[1])
    else:
        for part in parts:
            for pair in _equalities(part):
                yield pair


def _plain(value):
    """Values as JSON has them."""

    def simpler(item):
        number = float(item)
        return int(number) if number.is_integer() else number

    return json.loads(json.dumps(value, default=simpler))


class Objects:
    """S3: objects by bucket and key."""

    def __init__(self, store):
        self._kept = store.setdefault("s3", {})

    def put_object(self, Bucket, Key, Body=b"", **_):
        text = Body.decode("utf-8", "replace") if isinstance(Body, bytes) else str(Body)
        self._kept[Bucket + "/" + Key] = text
        return {}

    def get_object(self, Bucket, Key, **_):
        import io

        if Bucket + "/" + Key not in self._kept:
            raise KeyError("NoSuchKey: " + Key)
        return {"Body": io.BytesIO(self._kept[Bucket + "/" + Key].encode())}

    def delete_object(self, Bucket, Key, **_):
        self._kept.pop(Bucket + "/" + Key, None)
        return {}

    def generate_presigned_url(self, ClientMethod="", Params=None, **_):
        place = Params or {}
        return "https://%s.s3.amazonaws.com/%s" % (place.get("Bucket", ""), place.get("Key", ""))

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(Unreachable("s3"), name)
