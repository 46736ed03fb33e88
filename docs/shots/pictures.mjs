// The pictures of the README: what each of them shows, and what is done on the page before it is taken.
import { UPLOAD } from "./scene.mjs";

const dark = { "ui.language": "en", "ui.theme": "dark" };
const light = { "ui.language": "en", "ui.theme": "light" };
const chinese = { "ui.language": "zh-CN", "ui.theme": "light" };
const narrow = { width: 960, height: 640 };

const hookOf = (event, at) => `hook=${encodeURIComponent(`jcli:project:${event}:${at}`)}`;
const denied = hookOf("pre_tool_execution", 3);
const guard = hookOf("pre_tool_execution", 2);
const slow = hookOf("pre_tool_execution", 4);
const AGENT = "jcli-4f21"; // a session of `scene.mjs`

async function fire(page) {
  await page.getByText("tool_name").first().waitFor();
  await page.keyboard.press("Control+Enter");
  await page.locator(".verdict[role=status]").waitFor();
  // The step that decided is open.
  await page.locator(".step-well").first().waitFor();
}

/** Writes the payload of an upload. Nothing is fired yet. */
async function writeUpload(page) {
  await page.locator("main").getByRole("combobox").first().waitFor();
  await page.getByRole("radio", { name: "Text" }).click();
  await page.locator(".cm-content").first().click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(JSON.stringify(UPLOAD, null, 2));
  await page.getByText("check_egress.py").first().waitFor();
}

/** The hook that looks the host up runs; those before it have ended. */
async function fireUpload(page) {
  await writeUpload(page);
  await page.keyboard.press("Control+Enter");
  await page.getByRole("region", { name: "Result" }).getByText("check_egress.py").first().waitFor();
}

async function compareUpload(page) {
  await fireUpload(page);
  await page.getByRole("region", { name: /^Replies of/ }).waitFor();
  // The step that decided was scrolled to, which puts the replies out of view.
  await page.waitForTimeout(800);
  await page.locator("[data-trace]").evaluate((result) => result.scrollTo(0, 0));
}

async function simulate(page) {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("Control+Enter");
  await page.locator(".verdict-text").waitFor();
  for (let call = 0; call < 2; call += 1) await page.keyboard.press("ArrowRight");
}

/** Opens the form and the text of the chosen hook, and gives it a time limit that is not saved. */
async function editForm(page) {
  await page.getByRole("row", { selected: true }).waitFor();
  await page.keyboard.press("Shift+E");
  const limit = page.locator("[data-field=timeout] input").first();
  const written = page.locator(".cm-line").getByText(/timeout: 2$/);
  // What is written before the page has checked the text is lost.
  for (let again = 0; again < 5 && (await written.count()) === 0; again += 1) {
    await limit.fill("2");
    await written.waitFor({ timeout: 2000 }).catch(() => {});
  }
  await written.waitFor();
  // The list of problems has taken its room by now; the text still stands as it did before.
  const hook = page.locator(".cm-line", { hasText: "check_egress.py" });
  await hook.evaluate((line) => line.scrollIntoView({ block: "center" }));
}

/** A name that only just did not match is added. Nothing is saved. */
async function editCondition(page) {
  await page.getByRole("button", { name: "Edit condition" }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByRole("option").first().waitFor();
  await sheet.getByRole("button", { name: "Add bash" }).click();
  await sheet.getByRole("region", { name: "Change of the file" }).getByText("Bash|Shell|bash").first().waitFor();
}

/** A variable that does not exist, and what the model says five times about one event. */
async function editPrompt(page) {
  await page.getByRole("button", { name: "Edit prompt" }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByRole("textbox", { name: "Template" }).click();
  await page.keyboard.press("Control+Home");
  for (let line = 0; line < 3; line += 1) await page.keyboard.press("ArrowDown");
  await page.keyboard.insertText("It answered: {{assistant_ouput}}\n");
  await sheet.getByRole("button", { name: "Run" }).click();
  await sheet.getByText("Asked 5 times about the same event.").waitFor();
}

async function convert(page) {
  await page.getByRole("region", { name: "Hook", exact: true }).getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: /^Convert/ }).click();
  const folder = page.getByRole("dialog").getByLabel("Folder");
  await folder.fill(`${await folder.inputValue()}/for-qoder`);
  await page.locator("[aria-labelledby=convert-losses] :is(li, p)").first().waitFor();
}

/** Reads a message of the protocol: the reply to a blocked call. */
async function readMessage(page) {
  await page.getByRole("grid").getByRole("row").filter({ hasText: /\bskip\b/ }).first().click({ timeout: 60_000 });
}

async function openProblem(page) {
  await page.getByRole("grid", { name: "Problems" }).getByRole("row").nth(1).click();
  await page.getByRole("region", { name: "Problem", exact: true }).waitFor();
}

async function tryRedaction(page) {
  await page.getByLabel("Try it").fill("curl -H 'Authorization: Bearer abcdefghijklmnopqrstuvwxyz0123' --data user=ada&password=hunter22");
  await page.getByText("redacted").first().waitFor();
}

async function testModel(page) {
  await page.getByRole("button", { name: "Send a test prompt" }).click();
  await page.getByText("tokens").first().waitFor();
}

const scenario = () => `#/simulator?scenario=${encodeURIComponent("file/play.yaml")}`;
const life = (dialect) => ({ look: dark, at: () => `#/hooks?view=lifecycle&dialect=${dialect}` });
const overview = (look, more) => ({ look, at: () => "#/overview?range=24h", when: "live", ...more });
const list = (look, more) => ({ look, at: () => `#/hooks?${denied}`, ...more });
const fired = (look) => ({ look, at: (blocked) => `#/fire?trace=${blocked}`, act: fire });
const history = (look) => ({ look, at: (blocked) => `#/history?trace=${blocked}` });
const explain = (look) => ({ look, at: (_blocked, _allowed, nearMiss) => `#/history/explain?trace=${nearMiss}&${guard}` });
const editor = (look) => ({ look, at: () => `#/hooks?${slow}`, act: editForm });
const agents = (look) => ({ look, at: () => `#/agents?session=${AGENT}&dialect=jcli`, act: readMessage, when: "live" });
const atAgent = (act) => ({
  look: dark,
  at: () => `#/fire?dialect=jcli&event=pre_tool_execution&agent=${AGENT}`,
  act,
  when: "live",
});
const trust = (look) => ({ look, at: () => "#/trust", when: "live" });

/**
 * name → `look`: settings; `at`: the address, a function of three traces: the newest blocked call, an allowed one before it,
 * and one that a condition only just did not match; `act`: what is done there; `size`; `rest`: how long the page then
 * rests; `project`; `when`: "live" while agents are at work, "first" in a home without a project.
 */
export const pictures = {
  "hooks-dark": list(dark),
  "hooks-light": list(light),
  "hooks-zh": list(chinese),
  "hooks-narrow": list(dark, { size: narrow }),
  "lifecycle-dark": { look: dark, at: () => "#/hooks?view=lifecycle&dialect=jcli&event=pre_tool_execution" },
  "lifecycle-qoder": life("qoder"),
  "lifecycle-skill": life("skill"),
  "lifecycle-agent-hooks": life("agent-hooks"),
  "lifecycle-picoclaw": life("picoclaw"),
  "lifecycle-zh": { look: chinese, at: () => "#/hooks?view=lifecycle&dialect=qoder" },
  "order-dark": { look: dark, at: () => "#/hooks?view=order" },
  "order-light": { look: light, at: () => "#/hooks?view=order" },
  "order-zh": { look: chinese, at: () => "#/hooks?view=order" },
  "problems-dark": { look: dark, at: () => "#/hooks?view=problems", act: openProblem, project: "broken" },
  "editor-dark": editor(dark),
  "editor-light": editor(light),
  "editor-zh": editor(chinese),
  "filter-dark": { look: dark, at: () => `#/hooks?${guard}`, act: editCondition },
  "prompt-dark": { look: dark, at: () => `#/hooks?${hookOf("stop", 0)}`, act: editPrompt },
  "convert-dark": { look: dark, at: () => `#/hooks?${guard}`, act: convert },
  "history-dark": history(dark),
  "history-light": history(light),
  "history-zh": history(chinese),
  "compare-dark": { look: dark, at: (blocked, allowed) => `#/history?trace=${blocked}&with=${allowed}` },
  "explain-dark": explain(dark),
  "explain-zh": explain(chinese),
  "metrics-dark": { look: dark, at: () => "#/metrics?range=24h" },
  "metrics-light": { look: light, at: () => "#/metrics?range=24h" },
  "metrics-zh": { look: chinese, at: () => "#/metrics?range=24h" },
  "fire-dark": fired(dark),
  "fire-light": fired(light),
  "fire-zh": fired(chinese),
  "simulator-dark": { look: dark, at: scenario, act: simulate },
  "simulator-light": { look: light, at: scenario, act: simulate },
  "simulator-zh": { look: chinese, at: scenario, act: simulate },
  "settings-dark": { look: dark, at: () => "#/settings?section=redaction", act: tryRedaction },
  "settings-light": { look: light, at: () => "#/settings?section=model", act: testModel },
  "settings-zh": { look: chinese, at: () => "#/settings?section=history" },
  "overview-dark": overview(dark),
  "overview-light": overview(light),
  "overview-zh": overview(chinese),
  "overview-narrow": overview(dark, { size: narrow }),
  "agents-dark": agents(dark),
  "agents-light": agents(light),
  "agents-zh": agents(chinese),
  "agent-fire-1": atAgent(writeUpload),
  "agent-fire-2": { ...atAgent(fireUpload), rest: 300 },
  "agent-fire-3": atAgent(compareUpload),
  "trust-dark": trust(dark),
  "trust-light": trust(light),
  "trust-zh": trust(chinese),
  "start-dark": { look: dark, at: () => "#/overview", when: "first" },
};
