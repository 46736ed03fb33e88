/** Who gets in, and who does not. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "@playwright/test";
import { expect, LANGUAGES, set, test } from "./engine.ts";

const SAMPLE = /Open the sample project/;

/** Opens a link, and waits for the first screen. */
async function enter(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await expect(page.getByRole("button", { name: SAMPLE })).toBeVisible();
}

/** What a program of this machine gets from the page's server. It sends the right `Host`, and no header of a browser. */
async function ask(origin: string, method: string, path: string, headers: IncomingHttpHeaders, body = "") {
  const asked = request(`${origin}${path}`, { method, headers: { "content-type": "application/json", ...headers } });
  asked.end(body);
  const [answer] = await once(asked, "response");
  let text = "";
  if (answer.statusCode !== 200) for await (const chunk of answer) text += chunk;
  answer.destroy();
  return { status: answer.statusCode as number, text };
}

test("the link works for one window, once", async ({ page, engine, browser }) => {
  const urls: string[] = [];
  page.on("request", (sent) => urls.push(sent.url(), sent.headers().referer ?? ""));
  await enter(page, engine.link);
  // The code is not left behind where somebody could copy it.
  expect(page.url()).not.toContain("code=");
  await page.reload();
  await expect(page.getByRole("button", { name: SAMPLE })).toBeVisible();
  expect(await page.evaluate(() => document.cookie)).toBe("");
  const secret = await page.evaluate(() => sessionStorage.getItem("hookwright.window"));
  expect(secret).toMatch(/^[0-9a-f]{64}$/);
  expect(urls.join("\n")).not.toContain(secret);

  const stranger = await (await browser.newContext()).newPage();
  await stranger.goto(engine.origin);
  await expect(stranger.getByRole("heading")).toContainText("from its link");

  const another = await (await browser.newContext()).newPage();
  const answer = await another.goto(engine.link);
  expect(answer?.status()).toBe(401);
  await expect(another.getByRole("heading")).toContainText("no longer valid");
});

test("a server on another port gets the cookie, and can do nothing with it", async ({ page, context, engine }) => {
  let cookie = "";
  const other = createServer((asked, answer) => {
    cookie ||= asked.headers.cookie ?? "";
    answer.setHeader("content-type", "text/html").end("<h1>my app</h1>");
  }).listen(0, "127.0.0.1");
  await once(other, "listening");
  try {
    await enter(page, engine.link);
    const tab = await context.newPage();
    await tab.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/app`);
    await expect(tab.getByRole("heading")).toHaveText("my app");
    // Browsers do not separate cookies by port: this is what the second secret is for.
    expect(cookie).toMatch(/^hookwright-\d+=[0-9a-f]{64}$/);
    const state = JSON.stringify({ method: "state", params: {} });
    for (const window of [undefined, "", "0".repeat(64), cookie.split("=")[1]]) {
      const headers = window === undefined ? { cookie } : { cookie, "x-hookwright-window": window };
      expect(await ask(engine.origin, "POST", "/rpc", headers, state)).toMatchObject({ status: 401 });
      expect(await ask(engine.origin, "GET", "/pushes", headers)).toMatchObject({ status: 401 });
    }
    const code = new URL(engine.link).searchParams.get("code");
    for (const body of ["{}", JSON.stringify({ code: "" }), JSON.stringify({ code })]) {
      const { status } = await ask(engine.origin, "POST", "/enter", { cookie }, body);
      expect([401, 422]).toContain(status);
    }
    // A script of that server reads nothing of the page's origin either.
    const read = (path: string) =>
      fetch(path, { credentials: "include" }).then(
        (answer) => answer.text(),
        () => "nothing",
      );
    expect(await tab.evaluate(read, `${engine.origin}/`)).toBe("nothing");
    await page.reload();
    await page.getByRole("button", { name: SAMPLE }).click();
    await expect(page.getByRole("link", { name: "6 hooks wait for your review" })).toBeVisible();
  } finally {
    other.closeAllConnections();
    other.close();
  }
});

const NEEDS_LINK = { en: "This window needs its own link", "zh-CN": "此窗口需要自己的链接" };
for (const language of LANGUAGES) {
  test(`a second tab says that it needs its own link, and works with one, in ${language}`, async ({
    page,
    context,
    engine,
  }) => {
    await enter(page, engine.link);
    await set(page, "ui.language", language);
    const calls: string[] = [];
    const second = await context.newPage();
    second.on("request", (sent) => calls.push(new URL(sent.url()).pathname));
    await second.goto(engine.origin);
    await expect(second.getByRole("heading", { name: NEEDS_LINK[language] })).toBeVisible();
    await expect(second.getByText("hookwright open --web")).toBeVisible();
    await expect(second.getByRole("alert")).toBeHidden();
    expect(calls.filter((path) => path === "/rpc" || path === "/pushes")).toEqual([]);
    await second.screenshot({ path: test.info().outputPath(`second-tab-${language}.png`) });

    await second.goto(await engine.newLink());
    const sample = second.getByRole("button", { name: language === "en" ? SAMPLE : /打开示例项目/ });
    await expect(sample).toBeVisible();
    // The first window keeps its access, and hears what the second one does.
    await sample.click();
    await expect(
      page.getByRole("button", { name: language === "en" ? /^Project: starter/ : /^项目.*starter/ }),
    ).toBeVisible();
    await page.reload();
    await expect(page.getByRole("heading", { level: 1, name: language === "en" ? "Overview" : "概览" })).toBeVisible();
  });
}

test("a window whose engine was started again says how to get a link", async ({ page, engine }) => {
  await enter(page, engine.link);
  await page.evaluate(() => sessionStorage.setItem("hookwright.window", "0".repeat(64)));
  await page.reload();
  await expect(page.getByRole("heading", { name: "Open this page from its link" })).toBeVisible();
  await expect(page.getByText("hookwright open --web")).toBeVisible();
});

test("a page of another origin gets nothing, not even with the cookie", async ({ page, engine }) => {
  await enter(page, engine.link);
  await page.route("http://other.example/", (route) =>
    route.fulfill({ contentType: "text/html", body: "<p>hello</p>" }),
  );
  await page.goto("http://other.example/");
  const got = await page.evaluate(async (origin) => {
    try {
      const answer = await fetch(`${origin}/rpc`, {
        method: "POST",
        credentials: "include",
        headers: { "content-type": "text/plain" },
        body: '{"method":"state","params":{}}',
      });
      return await answer.text();
    } catch {
      return "nothing";
    }
  }, engine.origin);
  expect(got).toBe("nothing");
});

test("the page runs under its own policy without a complaint", async ({ page, engine }) => {
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(engine.link);
  await page.getByRole("button", { name: /Open the sample project/ }).click();
  await expect(page.getByRole("link", { name: "6 hooks wait for your review" })).toBeVisible();
  for (const key of ["2", "3", "4", "9", "1"]) {
    await page.keyboard.press(key);
    await expect(page.getByRole("main")).toBeVisible();
  }
  expect(complaints).toEqual([]);
});
