"""The model endpoint of the settings: redirects do not carry the key elsewhere, an endless answer ends."""
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

from ag import Report, Trial, rss

report = Report("modelhttp")
seen, code = [], [307]


class Other(BaseHTTPRequestHandler):
    def do_POST(self):
        seen.append(dict(self.headers))
        self.send_response(200)
        self.end_headers()

    do_GET = do_POST

    def log_message(self, *args):
        pass


class Redirect(Other):
    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.send_response(code[0])
        self.send_header("location", f"http://127.0.0.1:{other.server_port}/x")
        self.end_headers()


class Endless(Other):
    def do_POST(self):
        self.send_response(200)
        self.end_headers()
        try:
            for _ in range(3000):
                self.wfile.write(b"a" * (1 << 20))
        except OSError:
            pass


def served(handler):
    server = HTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


other, redirect, endless = served(Other), served(Redirect), served(Endless)
trial = Trial("modelhttp")
trial.write(trial.home + "/.jdata/agent/hooks.yaml", "stop:\n  - type: llm\n    prompt: hi\n    timeout: 8\n", 0o600)
settings = '[model]\nprovider = "openai"\nbase_url = "http://127.0.0.1:%d/v1"\nmodel = "m"\napi_key = "sk-SECRETSECRETSECRET1"\n'
trial.write(trial.data + "/settings.toml", settings % redirect.server_port, 0o600)
for code[0] in (301, 302, 307, 308):
    trial.fire("jcli", "stop", {"assistant_output": "x"})
    report.case("redirects", str(code[0]), not seen, headers=str(seen)[:200])
trial.write(trial.data + "/settings.toml", settings % endless.server_port, 0o600)
process = trial.popen("fire", "--dialect", "jcli", "--event", "stop", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
begin, top = time.time(), 0
while process.poll() is None:
    try:
        top = max(top, rss(process.pid)[0])
    except (OSError, KeyError):
        pass
    time.sleep(0.05)
report.figure("MiB for an endless answer", round(top), 150)
report.figure("seconds for an endless answer", round(time.time() - begin, 1), 12)
report.finish()
