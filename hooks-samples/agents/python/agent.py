#!/usr/bin/env python3
"""A small agent on Hookwright's socket. It plays a scripted conversation; its model and its tools are scripted, too.

Start an engine (`hookwright serve`, or the window), then: python3 agent.py --dialect jcli --once
"""

import argparse
import importlib
import json
import os
import signal
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True  # nothing but the agent's own files belongs in its folder

from engine import EngineError, EngineLeft  # noqa: E402
from session import Session, complain  # noqa: E402

DIALECTS = ["jcli", "qoder", "agent-hooks", "picoclaw", "skill"]
SCRIPT = Path(__file__).resolve().parent.parent / "conversation.json"
RECONNECT_SECONDS = 2


class Stopped(BaseException):
    """A signal asked the agent to end. Like KeyboardInterrupt, it passes every `except Exception`."""

    exit_code = None  # known from the first signal on


def stop(number, _frame):
    signal.signal(number, signal.SIG_DFL)  # the second one ends the agent at once
    Stopped.exit_code = 128 + number
    raise Stopped


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dialect", choices=DIALECTS, default="jcli")
    parser.add_argument("--session", metavar="ID", help="the id of the session; without it the engine chooses one")
    parser.add_argument("--cwd", metavar="DIR", default=".", help="the project (default: the current directory)")
    parser.add_argument("--native", action="store_true", help="the agent runs the hooks of its files itself")
    parser.add_argument("--skills", metavar="NAMES", help="skill: the enabled skills, separated by commas")
    parser.add_argument("--pace", metavar="SECONDS", type=float, default=0, help="pause before each event")
    often = parser.add_mutually_exclusive_group()
    often.add_argument("--once", action="store_true", help="play once and exit; without it the agent stays connected")
    often.add_argument("--loop", metavar="SECONDS", type=float, help="play again after so many seconds, without end")
    return parser.parse_args()


def play(dialect, script, options):
    """Plays the conversation once. The session stays open until the pause is over."""
    session = Session(dialect, script, options)
    try:
        session.open()
        dialect.play(session)
        if options.once:
            pause = 0
        else:
            pause = options.loop
            session.say("the conversation is over; the agent stays connected")
        if session.engine.left.wait(pause):
            raise EngineLeft("the engine has closed the connection")
    finally:
        if not session.engine.left.is_set():
            session.close()


def main():
    options = read_options()
    dialect = importlib.import_module("dialects." + options.dialect.replace("-", "_"))
    script = json.loads(SCRIPT.read_text(encoding="utf-8"))
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    while True:
        try:
            play(dialect, script, options)
            if options.loop is None:
                return 0
            continue
        except Stopped:
            return Stopped.exit_code
        except BrokenPipeError:  # the reader of stdout has ended, as `| head` does
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1
        except EngineError as error:
            complain(f"the engine refused: {error}")
            return 1
        except EngineLeft as error:
            if Stopped.exit_code:  # the engine was faster than the last event
                return Stopped.exit_code
            complain(str(error))
        if options.loop is None:
            return 1
        try:
            time.sleep(RECONNECT_SECONDS)
        except Stopped:
            return Stopped.exit_code


if __name__ == "__main__":
    sys.exit(main())
