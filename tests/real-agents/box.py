"""The folders of one run: a home, a project, and what the hooks noted."""

import json
import shlex
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Box:
    """Folders for one run of an agent, or of Hookwright. Both get the same files, each with its own paths."""

    def __init__(self, root, url):
        self.root = Path(root).resolve()
        self.home, self.project = self.root / "home", self.root / "project"
        hook = [sys.executable, str(HERE / "hook.py"), str(self.root)]
        self._names = {
            "@hook": shlex.join(hook),
            "@python": sys.executable,
            "@script": str(HERE / "hook.py"),
            "@root": str(self.root),
            "@home": str(self.home),
            "@project": str(self.project),
            "@model": url,
        }
        for folder in (self.home, self.project, self.root / "tmp", self.root / "records"):
            folder.mkdir(parents=True)

    def expand(self, value):
        """Replaces `@hook` (the recorder up to its label), `@home` and the other names, in texts at any depth."""
        if isinstance(value, str):
            for name, text in self._names.items():
                value = value.replace(name, text)
            return value
        if isinstance(value, dict):
            return {self.expand(name): self.expand(item) for name, item in value.items()}
        return [self.expand(item) for item in value] if isinstance(value, list) else value

    def write(self, path, content):
        """Writes a text as it is and anything else as JSON. A text with `#!` becomes executable."""
        path.parent.mkdir(parents=True, exist_ok=True)
        expanded = self.expand(content)
        text = expanded if isinstance(expanded, str) else json.dumps(expanded, indent=1)
        path.write_text(text, "utf-8")
        if text.startswith("#!"):
            path.chmod(0o755)

    def prepare(self, scenario):
        """Writes what the hooks do, and the files of a scenario that belong to no settings of the agent."""
        self.write(self.root / "hooks.json", scenario.get("hooks", {}))
        for path, content in scenario.get("files", {}).items():
            self.write(self.project / path, content)
        for path, content in scenario.get("home", {}).items():
            self.write(self.home / path, content)

    def environment(self):
        """The variables of a process that sees nothing of this machine's user."""
        folders = {"CONFIG": ".config", "DATA": ".local/share", "STATE": ".local/state", "CACHE": ".cache"}
        places = {f"XDG_{name}_HOME": str(self.home / folder) for name, folder in folders.items()}
        return {"HOME": str(self.home), "TMPDIR": str(self.root / "tmp"), "TERM": "dumb", **places}

    def records(self):
        """What the hooks noted, in the order in which they began."""
        files = sorted((self.root / "records").glob("*.json"))
        return [json.loads(path.read_text("utf-8")) for path in files]

    def without_paths(self, value):
        """The value with `@root` for this folder, so that two boxes can be compared."""
        text = json.dumps(value, ensure_ascii=False)
        return json.loads(text.replace(str(self.root), "@root"))
