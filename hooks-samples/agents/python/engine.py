"""The connection to Hookwright: JSON-RPC 2.0 over the agent socket, one JSON object a line, in both directions."""

import json
import os
import socket
import sys
import threading
from concurrent.futures import Future
from pathlib import Path


class EngineLeft(Exception):
    """No engine listens, or it has closed the connection."""


class EngineError(Exception):
    """The engine answered a request with an error."""

    def __init__(self, error):
        data = error.get("data") or {}
        hint = f" ({data['hint']})" if data.get("hint") else ""
        super().__init__(f"{error.get('message', 'unknown error')}{hint}")
        self.code = error.get("code")


def socket_places():
    """Yields the paths at which the engine may listen, in the order in which they are tried."""
    named = os.environ.get("HOOKWRIGHT_SOCKET")
    if named:
        yield Path(named)  # then it is the only one
        return
    runtime = absolute("XDG_RUNTIME_DIR")
    if runtime:
        yield runtime / "hookwright" / "agent.sock"
    run = data_folder() / "run"
    yield run / "agent.sock"
    try:
        first_line = (run / "endpoint").read_text(encoding="utf-8").split("\n")[0]
    except OSError:
        return
    if first_line:
        yield Path(first_line)


def absolute(variable):
    """The folder that a variable names. A relative one counts as unset."""
    value = os.environ.get(variable, "")
    return Path(value) if os.path.isabs(value) else None


def data_folder():
    """Hookwright's data folder. A relative place is an error, since the working directory would decide who is asked."""
    folder = os.environ.get("HOOKWRIGHT_DATA")
    if folder:
        if not os.path.isabs(folder):
            raise EngineLeft(f"HOOKWRIGHT_DATA is relative: {folder}")
        return Path(folder)
    share = absolute("XDG_DATA_HOME")
    if share:
        return share / "hookwright"
    home = Path.home()
    if not home.is_absolute():
        raise EngineLeft(f"HOME is relative: {home}")
    below = "Library/Application Support" if sys.platform == "darwin" else ".local/share"
    return home / below / "hookwright"


def connect():
    """Returns a connected socket. Raises EngineLeft when no place answers."""
    tried = []
    for place in socket_places():
        if place in tried:
            continue
        tried.append(place)
        stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            stream.connect(str(place))
            return stream
        except OSError:  # absent, refused, or too long a path: the next place may answer
            stream.close()
    raise EngineLeft("no engine listens at " + " or ".join(map(str, tried)))


class Engine:
    """One connection. `handlers` maps the methods that the engine may call to functions of their parameters."""

    def __init__(self, handlers):
        self.handlers = handlers
        self.stream = connect()
        self.lock = threading.Lock()  # guards the next four, and writing
        self.last_id = 0
        self.pending = {}
        self.left = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    def call(self, method, params=None):
        """Sends a request and waits for its result."""
        answer = Future()
        with self.lock:
            if self.left.is_set():
                raise EngineLeft("the engine has closed the connection")
            self.last_id += 1
            request = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params or {}}
            self.pending[self.last_id] = answer
            self._write(request)
        return answer.result()

    def notify(self, method, params):
        """Sends a notification, which has no answer."""
        with self.lock:
            self._write({"jsonrpc": "2.0", "method": method, "params": params})

    def close(self):
        try:
            self.stream.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # the engine was faster
        self.stream.close()

    def _write(self, message):
        try:
            self.stream.sendall(json.dumps(message).encode() + b"\n")
        except OSError as error:
            raise EngineLeft(f"the engine has closed the connection: {error}") from error

    def _read(self):
        """Reads lines until the engine leaves. Nothing may wait here: an event waits for what it asks of this agent."""
        try:
            with self.stream.makefile("rb") as lines:
                for line in lines:
                    self._receive(json.loads(line))
        except (OSError, ValueError) as error:
            print(f"the connection ended: {error}", file=sys.stderr)
        with self.lock:
            self.left.set()
            waiting, self.pending = self.pending, {}
        for answer in waiting.values():
            answer.set_exception(EngineLeft("the engine has closed the connection"))

    def _receive(self, message):
        if "method" in message and "id" in message:
            threading.Thread(target=self._serve, args=(message,), daemon=True).start()
            return
        if "method" in message:
            self._serve(message)  # a notification: here, so that they keep their order
            return
        with self.lock:
            answer = self.pending.pop(message.get("id"), None)
        if answer is None:
            # An error without an id is about a line that the engine could not read.
            print(f"the engine reports: {message.get('error')}", file=sys.stderr)
        elif "error" in message:
            answer.set_exception(EngineError(message["error"]))
        else:
            answer.set_result(message["result"])

    def _serve(self, message):
        """Answers a request of the engine, or takes a notification."""
        handler = self.handlers.get(message["method"])
        if handler is None:
            answer = {"error": {"code": -32601, "message": f"unknown method {message['method']}"}}
        else:
            try:
                answer = {"result": handler(message.get("params") or {})}
            except Exception as error:  # what goes wrong here must not end the agent: the engine gets the reason
                answer = {"error": {"code": -32603, "message": f"{type(error).__name__}: {error}"}}
        if "id" in message:
            try:
                with self.lock:
                    self._write({"jsonrpc": "2.0", "id": message["id"], **answer})
            except EngineLeft:
                pass  # the connection is closed, so no answer is needed
