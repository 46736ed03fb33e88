#!/usr/bin/env python3
"""A scripted model on loopback, for agents that talk to a model by HTTP. Python's own modules are enough.

    model_server.py SCRIPT [--log FILE]

It listens on 127.0.0.1 at a free port and prints the address in its first line. It speaks the OpenAI chat completions, the
OpenAI responses, the Anthropic and the Gemini API, whole and streamed. SCRIPT is JSON:

    {"tool": NAME, "arguments": {...}, "text": TEXT}
        A request that offers the tool and has no result of one yet gets one call of the tool, every other one the text.

    {"answers": [ANSWER...], "rules": [{"contains": TEXT, "answer": ANSWER}...], "pages": {NAME: PAGE}}
        A request that contains the text of a rule gets its answer, after the rule's `seconds`. One that offers tools gets
        the next of `answers`, and every other one "done". ANSWER is a text, or {"tool": NAME, "input": {...}}, or
        {"calls": [such objects]}. A request to /hook/NAME gets PAGE: {"status", "headers", "body"}.

--log writes one line of JSON for each request: method, path and body.
"""

import argparse
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Script:
    """What the model says, and what it was asked."""

    def __init__(self, log=None):
        self.load({"answers": []})
        self.requests = []
        self._log = log
        self._calls = 0
        self._lock = threading.Lock()

    def load(self, script):
        self.script, self.answers = script, list(script.get("answers", []))

    def note(self, method, path, body, headers=None):
        row = {"method": method, "path": path, "body": body}
        with self._lock:
            self.requests.append({**row, "headers": headers or {}, "at": time.time()})
            if self._log is not None:
                self._log.write(json.dumps(row) + "\n")
                self._log.flush()

    def choose(self, body, offered, answered):
        """The answer to a request, as `(text, [(id, tool, input)])`. `offered`: its tools. `answered`: whether it contains
        the result of a call."""
        with self._lock:
            answer, seconds = self._next(json.dumps(body, ensure_ascii=False), offered, answered)
        time.sleep(seconds)
        with self._lock:
            if isinstance(answer, str):
                return answer, []
            calls = answer.get("calls", [answer])
            first, self._calls = self._calls + 1, self._calls + len(calls)
            return None, [(f"call_{first + at}", call["tool"], call["input"]) for at, call in enumerate(calls)]

    def _next(self, text, offered, answered):
        if "tool" in self.script:
            call = {"tool": self.script["tool"], "input": self.script["arguments"]}
            return (call if call["tool"] in offered and not answered else self.script["text"]), 0
        for rule in self.script.get("rules", []):
            if rule["contains"] in text:
                return rule["answer"], rule.get("seconds", 0)
        return (self.answers.pop(0) if offered and self.answers else "done"), 0


def chat(script, body):
    """The answer of `chat/completions`: whole, and in parts."""
    offered = [tool.get("function", {}).get("name") for tool in body.get("tools") or []]
    answered = any(message.get("role") == "tool" for message in body.get("messages", []))
    text, calls = script.choose(body, offered, answered)
    message, reason = {"role": "assistant", "content": text}, "stop"
    if calls:
        reason = "tool_calls"
        message["tool_calls"] = [
            {"index": at, "id": name, "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}
            for at, (name, tool, arguments) in enumerate(calls)
        ]
    common = {"id": "chat_1", "created": 1, "model": body.get("model", "scripted")}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}

    def answer(kind, key, message, reason):
        choice = {"index": 0, key: message, "finish_reason": reason}
        return {**common, "object": kind, "choices": [choice], "usage": usage}

    chunk = "chat.completion.chunk"
    parts = [answer(chunk, "delta", message, None), answer(chunk, "delta", {}, reason)]
    return answer("chat.completion", "message", message, reason), [("", part) for part in parts] + [("", "[DONE]")]


def responses(script, body):
    """The answer of `responses`. A call whose input is a text is a custom tool's."""
    offered = [tool.get("name") or tool.get("type") for tool in body.get("tools") or []]
    inputs = body.get("input") if isinstance(body.get("input"), list) else []
    answered = any(str(item.get("type", "")).endswith("_call_output") for item in inputs)
    text, calls = script.choose(body, offered, answered)
    items = []
    if text is not None:
        content = [{"type": "output_text", "text": text, "annotations": []}]
        items.append({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content})
    for name, tool, arguments in calls:
        item = {"id": f"item_{name}", "call_id": name, "name": tool, "status": "completed"}
        if isinstance(arguments, str):
            items.append({"type": "custom_tool_call", **item, "input": arguments})
        else:
            items.append({"type": "function_call", **item, "arguments": json.dumps(arguments)})
    usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    whole = {"id": "resp_1", "object": "response", "status": "completed", "output": items, "usage": usage}
    parts = [{"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}}]
    for index, item in enumerate(items):
        parts.append({"type": "response.output_item.added", "output_index": index, "item": item})
        if item["type"] == "message":
            place = {"item_id": item["id"], "output_index": index, "content_index": 0}
            parts.append({"type": "response.output_text.delta", **place, "delta": text})
        parts.append({"type": "response.output_item.done", "output_index": index, "item": item})
    parts.append({"type": "response.completed", "response": whole})
    return whole, [(part["type"], part) for part in parts]


def anthropic(script, body):
    """The answer of `messages`: whole, and in parts."""
    offered = [tool.get("name") for tool in body.get("tools") or []]
    blocks = [block for message in body.get("messages", []) for block in as_list(message.get("content"))]
    answered = any(block.get("type") == "tool_result" for block in blocks)
    text, calls = script.choose(body, offered, answered)
    content = [{"type": "tool_use", "id": name, "name": tool, "input": given} for name, tool, given in calls]
    if text is not None:
        content.insert(0, {"type": "text", "text": text})
    reason = "tool_use" if calls else "end_turn"
    usage = {"input_tokens": 10, "output_tokens": 5}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body.get("model", "scripted")}
    message |= {"content": content, "stop_reason": reason, "stop_sequence": None, "usage": usage}
    parts = [{"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}]
    for index, block in enumerate(content):
        if block["type"] == "text":
            start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        parts.append({"type": "content_block_start", "index": index, "content_block": start})
        parts.append({"type": "content_block_delta", "index": index, "delta": delta})
        parts.append({"type": "content_block_stop", "index": index})
    parts.append({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage})
    parts.append({"type": "message_stop"})
    return message, [(part["type"], part) for part in parts]


def gemini(script, body):
    """The answer of `generateContent` and `streamGenerateContent`."""
    groups = [group for tool in body.get("tools") or [] for group in tool.get("functionDeclarations", [])]
    offered = [function.get("name") for function in groups]
    given = [part for content in body.get("contents", []) for part in content.get("parts", [])]
    text, calls = script.choose(body, offered, any("functionResponse" in part for part in given))
    parts = [{"functionCall": {"name": tool, "args": arguments}} for _, tool, arguments in calls]
    content = {"role": "model", "parts": parts or [{"text": text}]}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    answer = {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": usage}
    return answer, [("", answer)]


def as_list(content):
    return content if isinstance(content, list) else []


class Handler(BaseHTTPRequestHandler):
    """One request to the model."""

    protocol_version = "HTTP/1.1"

    def do_HEAD(self):
        self.reply(b"", "application/json", 200)

    def do_GET(self):
        self.server.script.note("GET", self.path, None)
        self.whole({"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(raw or b"{}")
        except ValueError:
            body = {}
        path = self.path.split("?")[0]
        is_hook = path.startswith("/hook/")
        # Only those of a hook are noted: the others may contain a key.
        self.server.script.note("POST", self.path, body, dict(self.headers) if is_hook else None)
        if is_hook:
            self.page(self.server.script.script.get("pages", {}).get(path.rsplit("/", 1)[1], {}))
        elif path.endswith("/chat/completions"):
            self.answer(chat, body, body.get("stream"))
        elif path.endswith("/responses"):
            self.answer(responses, body, body.get("stream"))
        elif path.endswith("/messages"):
            self.answer(anthropic, body, body.get("stream"))
        elif path.endswith(":countTokens"):
            self.whole({"totalTokens": 10})
        elif path.endswith("/count_tokens"):
            self.whole({"input_tokens": 10})
        elif path.endswith(("enerateContent", "enerateContents")):
            self.answer(gemini, body, ":stream" in path)
        else:
            self.whole({"error": {"message": f"unknown path {path}"}}, status=404)

    def page(self, page):
        body = page.get("body", "")
        text = body if isinstance(body, str) else json.dumps(body)
        self.reply(text.encode(), "application/json", page.get("status", 200), page.get("headers"))

    def answer(self, api, body, streamed):
        whole, parts = api(self.server.script, body)
        if streamed:
            self.in_parts(parts)
        else:
            self.whole(whole)

    def whole(self, answer, status=200):
        self.reply(json.dumps(answer).encode(), "application/json", status)

    def in_parts(self, parts):
        text = ""
        for name, part in parts:
            data = part if isinstance(part, str) else json.dumps(part)
            text += (f"event: {name}\n" if name else "") + f"data: {data}\n\n"
        self.reply(text.encode(), "text/event-stream", 200)

    def reply(self, body, kind, status, headers=None):
        try:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body if self.command != "HEAD" else b"")
        except ConnectionError:
            pass  # the agent did not wait

    def log_message(self, *_args):
        """Nothing: `--log` has the requests."""


class Model:
    """The server in a thread: `with Model() as model: model.script.load({…}) … model.url … model.script.requests`."""

    def __init__(self, log=None):
        self.script = Script(log)
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.script = self.script
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_exception):
        self.server.shutdown()
        self.server.server_close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("script", help="what the model says, as JSON")
    parser.add_argument("--log", type=argparse.FileType("w"), help="a file for the requests")
    options = parser.parse_args()
    model = Model(options.log)
    model.script.load(json.loads(options.script))
    print(model.url, flush=True)
    try:
        model.server.serve_forever()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
