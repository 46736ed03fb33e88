#!/usr/bin/env python3
"""Answers the hooks of this sample: POST /hook with an event, the answer is what Claude Code reads.

    python3 policy_server.py [PORT]

It listens on 127.0.0.1 only, and prints its address. A command that contains a line of `denied.txt` is denied.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

RULES = Path(__file__).with_name("denied.txt")


def answer(event):
    """The answer to an event; empty if the server has no opinion."""
    command = str(event.get("tool_input", {}).get("command", ""))
    for rule in RULES.read_text("utf-8").splitlines():
        if rule and rule in command:
            reason = f"The policy of this team denies commands with `{rule}`."
            decision = {"permissionDecision": "deny", "permissionDecisionReason": reason}
            return {"hookSpecificOutput": {"hookEventName": event["hook_event_name"], **decision}}
    return {}


class Policy(BaseHTTPRequestHandler):
    def do_POST(self):
        event = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        body = json.dumps(answer(event)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args):
        """Nothing: events may contain secrets."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if sys.argv[1:] else 8787), Policy)
    print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()
