"""The cookie of the page and the other ports of this machine: a server of an agent on another port gets it, and tries to act as the person.

A browser is driven by the playwright-core of ui/node_modules, or of the folder that PLAYWRIGHT_CORE names. Without one the
rule of browsers (cookies know no port) is applied by hand.
"""
import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

from ag import Report, Trial, stop

report = Report("cookieport")
got = []


class Dev(BaseHTTPRequestHandler):
    """What an agent may start for its person: a development server."""

    def do_GET(self):
        got.append((self.path, self.headers.get("host"), self.headers.get("cookie"), self.headers.get("sec-fetch-site")))
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<h1>my app</h1>")

    def log_message(self, *args):
        pass


dev = HTTPServer(("127.0.0.1", 0), Dev)
threading.Thread(target=dev.serve_forever, daemon=True).start()
trial = Trial("cookieport")
trial.write(".jcli/hooks.yaml", f"pre_tool_execution:\n  - command: echo PWNED >> {trial.mark}\n", 0o644)
engine = trial.serve("--web", "127.0.0.1:0")
for _ in range(200):
    printed = open(trial.dir + "/serve.out").read() + open(trial.dir + "/serve.err").read()
    link = re.search(r"http://([^/\s]+)/\?code=([0-9a-f]+)", printed)
    if link:
        break
    time.sleep(0.05)
host = link.group(1)
here = os.path.dirname(os.path.abspath(__file__))
core = os.environ.get("PLAYWRIGHT_CORE") or os.path.join(here, "../../ui/node_modules/playwright-core")
chromium = next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)
if os.path.isdir(core) and chromium and shutil.which("node"):
    run = subprocess.run(["node", os.path.join(here, "cookieport.mjs"), core, chromium, link.group(0), f"http://127.0.0.1:{dev.server_port}/app",
                          f"http://localhost:{dev.server_port}/localhost"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    print(run.stdout.decode()[:500], file=sys.stderr)
else:
    report.skip("no browser: the rule of browsers is applied by hand")
    conn = http.client.HTTPConnection(host)
    conn.request("POST", "/enter", link.group(2), headers={"Host": host, "Origin": "http://" + host})
    cookie = (conn.getresponse().getheader("set-cookie") or "").split(";")[0]
    got.append(("/app", "127.0.0.1", cookie, None))
for path, name, cookie, site in got:
    print("  the other port was sent:", path, name, cookie and cookie[:24] + "…", site, file=sys.stderr)
stolen = next((cookie for path, _, cookie, _ in got if cookie and path == "/app"), None)


def status(method, params, headers):
    conn = http.client.HTTPConnection(host, timeout=20)
    conn.request("POST", "/rpc", json.dumps({"method": method, "params": params}), {"Content-Type": "application/json", "Cookie": stolen, "Host": host, **headers})
    return conn.getresponse().status


# Browsers send the cookie to every port, so it must open nothing without the secret of its window.
for what, headers in {"alone": {}, "with a guessed secret": {"X-Hookwright-Window": "0" * 64}}.items():
    for method, params in [("state", {}), ("trust.list", {"project": trial.proj}), ("fire", {"run": "r", "project": trial.proj, "dialect": "jcli", "event": "pre_tool_execution", "payload": {}})]:
        answered = status(method, params, headers) if stolen else 401
        report.case("cookie", f"the cookie {what} calls {method}", answered in (401, 403), status=answered)
report.case("cookie", "a hook ran", not trial.marked())
stop(engine)
report.finish()
