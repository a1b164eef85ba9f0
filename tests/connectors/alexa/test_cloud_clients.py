"""Clients of the whole `aws-sdk` are loaded when a skill uses them."""

import json
from pathlib import Path

from .conftest import talked, texts

LIBRARY = {
    "package.json": '{"name": "aws-sdk", "main": "lib/aws.js"}',
    "lib/aws.js": "const AWS = require('./core');\nrequire('../clients/all');\nmodule.exports = AWS;\n",
    "lib/core.js": "module.exports = { loaded: [] };\n",
    "clients/all.js": "module.exports = {\n  SNS: require('./sns'),\n  SQS: require('./sqs'),\n};\n",
    "clients/sns.js": "const AWS = require('../lib/core');\nAWS.loaded.push('SNS');\nAWS.SNS = class SNS {};\nmodule.exports = AWS.SNS;\n",
    "clients/sqs.js": "const AWS = require('../lib/core');\nAWS.loaded.push('SQS');\nAWS.SQS = class SQS {};\nmodule.exports = AWS.SQS;\n",
}
USES_SQS = """
const AWS = require('aws-sdk');
exports.handler = async () => {
  const before = AWS.loaded.join();
  const made = new AWS.SQS().constructor.name;
  const text = `${Object.keys(AWS).filter((name) => name.startsWith('S')).sort().join()}: ${before}; ${made}; ${AWS.loaded.join()}`;
  return { version: '1.0', response: { outputSpeech: { type: 'PlainText', text }, shouldEndSession: false } };
};
"""


def test_clients_of_a_cloud_library_are_loaded_when_they_are_used(
    tmp_path: Path, node: str
) -> None:
    """It names 300 of them, and a skill uses two."""
    for name, content in LIBRARY.items():
        path = tmp_path / "node_modules" / "aws-sdk" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    (tmp_path / "index.js").write_text(USES_SQS)
    language = {
        "invocationName": "queue",
        "intents": [{"name": "AMAZON.HelpIntent", "samples": []}],
    }
    (tmp_path / "model.json").write_text(
        json.dumps({"interactionModel": {"languageModel": language}})
    )
    skill = {"folder": str(tmp_path), "model": "model.json", "handler": "index.js"}
    (heard,) = texts(talked(skill, None))
    assert heard == "S3,SNS,SQS: ; SQS; SQS"
