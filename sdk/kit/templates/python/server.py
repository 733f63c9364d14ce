"""A module without dependencies: an MCP server that speaks JSON-RPC, one message per line, over stdin and stdout.

stdout belongs to the protocol. Whatever you want to say to the administrator goes to stderr.
"""

import json
import os
import sys
from pathlib import Path

VERSION = json.loads(Path(__file__).with_name("manifest.json").read_text(encoding="utf-8"))["version"]

TOOLS = [
    {
        "name": "greet",
        "title": "Greet",
        "description": "Greets somebody by name. Use it when the person asks for a greeting.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "minLength": 1, "maxLength": 100, "description": "Whom to greet"}
            },
            "required": ["name"],
            "additionalProperties": False,
        },
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    }
]


def greet(name=None, **_):
    if not isinstance(name, str) or not name.strip():
        raise ValueError('"name" must be a text that is not empty.')
    return f"{os.environ.get('GREETING', 'Hello')}, {name.strip()}."


# One function per tool: takes the arguments, returns the text, raises ValueError with a sentence that a person can act on.
RUN = {"greet": greet}


def call_tool(params):
    run = RUN.get(params.get("name"))
    if run is None:
        raise LookupError(f"There is no tool {params.get('name')}.")
    try:
        return {"content": [{"type": "text", "text": run(**params.get("arguments", {}))}]}
    except ValueError as error:
        # A tool that fails is a result, so that the assistant can read why.
        return {"content": [{"type": "text", "text": str(error)}], "isError": True}


# What a person can attach to a message: read when it is asked for.
RESOURCES = [
    {
        "uri": "greetings://words",
        "name": "words",
        "title": "Words of greeting",
        "description": "The words that it greets with, one per line",
        "mimeType": "text/plain",
    }
]


def read_resource(params):
    if params.get("uri") != "greetings://words":
        raise LookupError(f"There is no resource {params.get('uri')}.")
    words = f"{os.environ.get('GREETING', 'Hello')}\n"
    return {"contents": [{"uri": "greetings://words", "mimeType": "text/plain", "text": words}]}


METHODS = {
    "initialize": lambda params: {
        "protocolVersion": params.get("protocolVersion", "2025-11-25"),
        "capabilities": {"tools": {}, "resources": {}},
        "serverInfo": {"name": "{{name}}", "version": VERSION},
    },
    "ping": lambda params: {},
    "tools/list": lambda params: {"tools": TOOLS},
    "tools/call": call_tool,
    "resources/list": lambda params: {"resources": RESOURCES},
    "resources/templates/list": lambda params: {"resourceTemplates": []},
    "resources/read": read_resource,
}


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def answer(line):
    try:
        request = json.loads(line)
    except ValueError:
        return send({"id": None, "error": {"code": -32700, "message": "This is not JSON."}})
    if "id" not in request:
        return None  # A notification: nothing here needs one.
    method = METHODS.get(request.get("method"))
    if method is None:
        message = f"There is no method {request.get('method')}."
        return send({"id": request["id"], "error": {"code": -32601, "message": message}})
    try:
        return send({"id": request["id"], "result": method(request.get("params") or {})})
    except LookupError as error:
        return send({"id": request["id"], "error": {"code": -32602, "message": str(error)}})
    except Exception as error:  # The server lives on: one broken request is no reason to go away.
        print(f"failed: {error!r}", file=sys.stderr)
        return send({"id": request["id"], "error": {"code": -32603, "message": "Something went wrong in the module."}})


# The end of stdin is how the host says goodbye.
for each in sys.stdin:
    if each.strip():
        answer(each)
