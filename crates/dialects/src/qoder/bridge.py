"""Hosts one module of Qoder hooks. This text is the first line on stdin, read by a `python3 -c` that runs it.

It speaks on the stdin and stdout it was started with, one JSON object a line, as the SDK and its CLI do. Everything that
the module prints goes to stderr. It works with the package `qoder_agent_sdk` and without.
"""

import sys

# The directory it was started in is not the module's, and nobody approved what lies there.
sys.path[:] = [entry for entry in sys.path if entry not in ("", ".")]
# Compiled files are no part of an approval: sources only, and nothing is left behind.
sys.dont_write_bytecode = True
sys.pycache_prefix = "/dev/null/none"

import ast
import asyncio
import functools
import importlib.machinery
import importlib.util
import inspect
import json
import math
import os
import textwrap
import threading
import traceback
import types
import typing

try:
    here = os.path.realpath(os.getcwd())
    sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry) != here]
except OSError:
    pass

MODULE = os.path.abspath(sys.argv[1])
FOLDER = os.path.dirname(MODULE)
DEEPEST = 12
# An answer deeper than this is no JSON to the engine (128), with the message around it.
LEVELS = 120


class Wire:
    """The streams that belong to the engine; the module gets others."""

    def __init__(self):
        self.input = os.fdopen(os.dup(0), "rb")
        self.output = os.fdopen(os.dup(1), "wb")
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        self.lock = threading.Lock()

    def say(self, message):
        # Half a character has no UTF-8: it fails here, where it can still be told.
        line = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")
        with self.lock:
            self.output.write(line + b"\n")
            self.output.flush()


def only_sources(path):
    """What lies below the module's folder is imported from `.py` files only, and never through a linked folder."""
    real, base = os.path.realpath(path), os.path.realpath(FOLDER)
    if real != base and not real.startswith(base + os.sep):
        if os.path.abspath(path).startswith(FOLDER + os.sep):
            raise_outside(path)
        raise ImportError("another folder")
    if os.path.relpath(real, base).count(os.sep) >= DEEPEST:
        raise_outside(path)
    return importlib.machinery.FileFinder(path, (importlib.machinery.SourceFileLoader, [".py"]))


class Refused:
    """Finds nothing: a folder that no approval covers."""

    def find_spec(self, _name, _target=None):
        return None

    def invalidate_caches(self):
        pass


class Outside(Exception):
    pass


def raise_outside(path):
    raise Outside(path)


def path_hook(path):
    try:
        return only_sources(path)
    except Outside:
        return Refused()


class HookMatcher:
    def __init__(self, matcher=None, hooks=None, timeout=None):
        self.matcher = matcher
        self.hooks = [] if hooks is None else hooks
        self.timeout = timeout


class QoderAgentOptions:
    def __init__(self, *, hooks=None, **others):
        self.hooks = hooks
        self.__dict__.update(others)


async def stand_in_query(*_arguments, **_options):
    """A module of hooks starts no session."""
    raise RuntimeError("query() is not available here; call it in a function that does not run on import")
    yield  # An async generator, like the real one.


def stand_in():
    """`qoder_agent_sdk` for a machine without it."""
    package = types.ModuleType("qoder_agent_sdk")
    package.__path__ = []
    package.HookMatcher = HookMatcher
    package.QoderAgentOptions = QoderAgentOptions
    package.query = stand_in_query
    kinds = types.ModuleType("qoder_agent_sdk.types")
    kinds.HookMatcher = HookMatcher
    kinds.QoderAgentOptions = QoderAgentOptions

    def any_type(name):
        if name[:1].isupper():
            return typing.Any
        raise AttributeError(name)

    kinds.__getattr__ = any_type
    package.__getattr__ = any_type
    package.types = kinds
    sys.modules["qoder_agent_sdk"] = package
    sys.modules["qoder_agent_sdk.types"] = kinds


def load():
    """Imports the module."""
    sys.path_hooks.insert(0, path_hook)
    sys.path_importer_cache.clear()
    sys.path.insert(0, FOLDER)
    sdk = importlib.util.find_spec("qoder_agent_sdk")
    # A folder of that name with no package in it is not the SDK.
    if sdk is None or sdk.origin is None:
        stand_in()
    sys.argv[:] = [MODULE]
    loader = importlib.machinery.SourceFileLoader("hooks", MODULE)
    spec = importlib.util.spec_from_file_location("hooks", MODULE, loader=loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules["hooks"] = module
    loader.exec_module(module)
    return module


def failure(error):
    """What a person must know of an import that raised."""
    line = None
    if isinstance(error, SyntaxError) and error.filename == MODULE:
        line = error.lineno
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename == MODULE:
            line = frame.lineno if line is None or not isinstance(error, SyntaxError) else line
    return {"message": spoken(error), "line": line}


def spoken(error):
    """What an error says."""
    try:
        message = str(error) if not isinstance(error, SyntaxError) else error.msg
        return printable(f"{type_name(error)}: {message}" if message else type_name(error))
    except Exception:
        # Asking it raises.
        return type_name(error)


def printable(text):
    """A text as UTF-8 can hold it: half a character by its number."""
    return str.encode(text, "utf-8", "backslashreplace").decode("utf-8")


def kind(value):
    """What somebody gave, for people."""
    return "nothing" if value is None else type_name(value)


def type_name(value):
    """The name of a value's type, which can have another `__name__` for whoever asks it."""
    return printable(type.__dict__["__name__"].__get__(type(value)))


def part(item, name):
    return item.get(name) if isinstance(item, dict) else getattr(item, name, None)


def plain(value):
    """A value as JSON can hold it, anything else by the name of its type; for the engine to judge."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, str):
        whole = str.__str__(value)
        return whole if printable(whole) == whole else {"type": "string with a lone surrogate"}
    # A list is told by its name too: it can be nested beyond what the engine reads.
    return {"type": "list" if isinstance(value, (list, tuple)) else type_name(value)}


def number(value):
    """A number that JSON has, or the name of one that it has not: `inf`, `-inf`, `nan`."""
    try:
        double = float(value)
    except OverflowError:
        double = math.inf if value > 0 else -math.inf
    if not math.isfinite(double):
        return {"type": repr(double), "number": repr(double)}
    return int(value) if isinstance(value, int) else double


def seen(value, name):
    """An attribute; nothing where looking at it raises."""
    try:
        return getattr(value, name, None)
    except Exception:
        return None


def innermost(callback):
    """The function that a callback wraps."""
    try:
        inner = inspect.unwrap(callback)
        while isinstance(inner, functools.partial):
            inner = inner.func
        return inner
    except Exception:
        # It wraps itself, or looking at it raises.
        return callback


def about(callback):
    """Where a callback stands, for people."""
    inner = innermost(callback)
    function = seen(inner, "__func__")
    code = seen(inner if function is None else function, "__code__")
    code = code if type(code) is types.CodeType else None
    name = seen(inner, "__qualname__")
    name = str.__str__(name) if issubclass(type(name), str) else ""
    name = name or type.__dict__["__qualname__"].__get__(type(callback))
    return {
        "name": printable(name.replace("<locals>.", "")),
        "line": code.co_firstlineno if code else None,
        "file": printable(code.co_filename) if code else None,
    }


def fault(callback):
    """Why every call of a callback fails; nothing if that is not certain."""
    try:
        signature = inspect.signature(callback)
    except Exception:
        signature = None
    if signature is not None:
        try:
            signature.bind({}, None, {})
        except TypeError:
            return {"what": "parameters", "found": printable(str(signature))}
        except Exception:
            return None
    function = seen(innermost(callback), "__func__") or innermost(callback)
    if inspect.isasyncgenfunction(function):
        return {"what": "generator"}
    return {"what": "not_async"} if answers_at_once(callback) else None


def answers_at_once(callback):
    """Whether a callback is a plain function that certainly returns nothing to await."""
    try:
        while isinstance(callback, functools.partial):
            callback = callback.func
        function = seen(callback, "__func__") or callback
        if type(function) is not types.FunctionType or inspect.iscoroutinefunction(function):
            return False
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except Exception:
        # A lambda in the middle of a line, or a function without a file.
        return False
    if not isinstance(tree, ast.FunctionDef):
        return False
    nodes = list(own_nodes(tree))
    given = {}
    for node in nodes:
        for target in node.targets if isinstance(node, ast.Assign) else []:
            if isinstance(target, ast.Name):
                given.setdefault(target.id, []).append(node.value)
    returned = [node.value for node in nodes if isinstance(node, ast.Return)]
    return all(is_plain(value, given) for value in returned)


def own_nodes(tree):
    """The nodes of a function, without those of functions inside of it."""
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            yield node
            yield from own_nodes(node)


def is_plain(value, given):
    """Whether an expression is a dict or a constant, or a name that is given nothing else."""
    if isinstance(value, ast.Name):
        values = given.get(value.id)
        return values is not None and all(is_plain(other, {}) for other in values)
    if isinstance(value, ast.IfExp):
        return is_plain(value.body, given) and is_plain(value.orelse, given)
    return value is None or isinstance(value, (ast.Constant, ast.Dict))


class NotAsync(Exception):
    """A callback returned something that cannot be awaited."""


class Generator(Exception):
    """A callback whose call gives an async generator."""


class Table:
    """The callbacks by id, and what is told of them."""

    def __init__(self):
        self.callbacks = {}
        self.places = {}
        self.problems = []
        self.hooks = {}

    def read(self, module):
        if hasattr(module, "options"):
            hooks = part(module.options, "hooks")
        elif hasattr(module, "hooks"):
            hooks = module.hooks
        else:
            self.problems.append({"what": "nothing"})
            return
        if hooks is None:
            return
        if not isinstance(hooks, dict):
            self.problems.append({"what": "hooks", "found": type_name(hooks)})
            return
        for key, matchers in hooks.items():
            self.event(key, matchers)

    def event(self, key, matchers):
        """What raises here when it is looked at costs itself, and nothing beside it."""
        try:
            # Whoever derives a name from `str` means its text, whatever `str()` makes of it.
            event = printable(str.__str__(key) if isinstance(key, str) else str(key))
        except Exception:
            traceback.print_exc()
            self.problems.append({"what": "key", "found": type_name(key)})
            return
        try:
            items = list(matchers) if isinstance(matchers, (list, tuple)) else None
        except Exception:
            traceback.print_exc()
            items = None
        if items is None:
            self.problems.append({"what": "event", "event": event, "found": type_name(matchers)})
            return
        # Two keys can have one name.
        self.hooks.setdefault(event, []).extend(self.group(event, item) for item in items)

    def group(self, event, item):
        try:
            return self.matcher(event, item)
        except Exception as error:
            # Looking at it raises: it is nothing that could be hosted, and no other one's business.
            traceback.print_exc()
            if isinstance(item, dict) or seen(item, "hooks") is not None:
                self.problems.append({"what": "unread", "event": event, "error": spoken(error)})
            else:
                self.problems.append({"what": "matcher", "event": event, "found": type_name(item)})
            return {"matcher": None, "hookCallbackIds": []}

    def matcher(self, event, item):
        callbacks = part(item, "hooks")
        if not isinstance(callbacks, (list, tuple)):
            if isinstance(item, dict) or hasattr(item, "hooks"):
                # It is a matcher, and what it holds is no list.
                self.problems.append({"what": "callbacks", "event": event, "found": kind(callbacks)})
            else:
                self.problems.append({"what": "matcher", "event": event, "found": type_name(item)})
            callbacks = []
        told = {
            "matcher": plain(part(item, "matcher")),
            "hookCallbackIds": [self.name(callback) for callback in callbacks],
        }
        timeout = part(item, "timeout")
        if timeout is not None:
            told["timeout"] = plain(timeout)
        return told

    def name(self, callback):
        if not callable(callback):
            return None
        name = f"hook_{len(self.callbacks)}"
        self.callbacks[name] = callback
        self.places[name] = about(callback)
        found = fault(callback)
        if found:
            self.places[name]["fault"] = found
        return name

    def told(self):
        request = {"subtype": "initialize"}
        if self.hooks:
            request["hooks"] = self.hooks
        request["hookwright"] = {"callbacks": self.places, "problems": self.problems}
        return request


def spelled(answer):
    """Python's spellings at the top, on the wire. `None` is as good as absent."""
    out = {}
    for key, value in answer.items():
        key = {"continue_": "continue", "async_": "async"}.get(key, key)
        if key in ("continue", "async") and out.get(key) is not None:
            value = stricter(out[key], value)
        out[key] = value
    return out


def stricter(one, other):
    """Of two answers to one question: `False` if either is, else the one that is no answer at all."""
    if one is False or other is False:
        return False
    return other if one is True and other is not None else one


def shallow(value, left=LEVELS):
    """The value, unless it is nested beyond what the engine reads."""
    if isinstance(value, (dict, list, tuple)):
        if left == 0:
            raise ValueError(f"the output is nested more than {LEVELS} levels deep")
        for item in value.values() if isinstance(value, dict) else value:
            shallow(item, left - 1)
    return value


class Host:
    """Answers the engine."""

    def __init__(self, wire, table):
        self.wire = wire
        self.table = table
        self.tasks = {}

    def hear(self, message):
        kind = message.get("type")
        request = message.get("request") or {}
        if kind == "control_request" and request.get("subtype") == "hook_callback":
            task = asyncio.ensure_future(self.answer(message.get("request_id"), request))
            self.tasks[message.get("request_id")] = task
        elif kind == "control_cancel_request":
            task = self.tasks.pop(message.get("request_id"), None)
            if task is not None:
                task.cancel()
            # Nothing answers the request; this only says that somebody is at home.
            self.wire.say({"type": "keep_alive"})

    async def answer(self, request_id, request):
        try:
            callback = self.table.callbacks.get(request.get("callback_id"))
            if callback is None:
                raise LookupError(f"unknown callback {request.get('callback_id')}")
            answer = callback(request.get("input"), request.get("tool_use_id"), {"signal": None})
            if inspect.isasyncgen(answer):
                raise Generator("the callback is an async generator, because it contains `yield`")
            if not inspect.isawaitable(answer):
                raise NotAsync("the callback is not `async def`")
            answer = await answer
            response = shallow(spelled(answer)) if isinstance(answer, dict) else None
            told = {"subtype": "success", "request_id": request_id, "response": response}
            self.wire.say({"type": "control_response", "response": told})
        except BaseException as error:
            # What the engine cancelled is not answered; a callback can also raise this by itself.
            if isinstance(error, asyncio.CancelledError) and request_id not in self.tasks:
                raise
            traceback.print_exc()
            told = {"subtype": "error", "request_id": request_id, "error": failure(error)["message"]}
            found = {"what": "not_async"} if isinstance(error, NotAsync) else None
            if isinstance(error, Generator):
                found = {"what": "generator"}
            if isinstance(error, TypeError):
                # Wrong parameters raise this; another error of the callback itself may too.
                found = self.table.places.get(request.get("callback_id"), {}).get("fault")
            if found:
                told["hookwright"] = found
            self.wire.say({"type": "control_response", "response": told})
        finally:
            self.tasks.pop(request_id, None)


async def serve(wire, table):
    host, loop, over = Host(wire, table), asyncio.get_running_loop(), asyncio.Event()

    def listen():
        try:
            for line in wire.input:
                try:
                    message = json.loads(line)
                except ValueError:
                    continue
                if isinstance(message, dict):
                    loop.call_soon_threadsafe(host.hear, message)
        finally:
            loop.call_soon_threadsafe(over.set)

    threading.Thread(target=listen, daemon=True).start()
    await over.wait()
    tasks = list(host.tasks.values())
    host.tasks.clear()
    for task in tasks:
        task.cancel()


def greet(wire, request):
    wire.say({"type": "control_request", "request_id": "initialize", "request": request})


def main():
    wire, table = Wire(), Table()
    try:
        table.read(load())
        greet(wire, table.told())
    except BaseException as error:
        traceback.print_exc()
        greet(wire, {"subtype": "initialize", "error": failure(error)})
        sys.stderr.flush()
        os._exit(1)
    asyncio.run(serve(wire, table))


main()
