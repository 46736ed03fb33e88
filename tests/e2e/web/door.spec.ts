/** Who gets in, and who does not. */
import { expect, test } from "./engine.ts";

test("the link works for one browser, once", async ({ page, engine, browser }) => {
  await page.goto(engine.link);
  await expect(page.getByRole("button", { name: /Open the sample project/ })).toBeVisible();
  // The code is not left behind where somebody could copy it.
  expect(page.url()).not.toContain("code=");
  await page.reload();
  await expect(page.getByRole("button", { name: /Open the sample project/ })).toBeVisible();
  expect(await page.evaluate(() => document.cookie)).toBe("");

  const stranger = await (await browser.newContext()).newPage();
  await stranger.goto(engine.origin);
  await expect(stranger.getByRole("heading")).toContainText("from its link");

  const another = await (await browser.newContext()).newPage();
  const answer = await another.goto(engine.link);
  expect(answer?.status()).toBe(401);
  await expect(another.getByRole("heading")).toContainText("no longer valid");
});

test("a page of another origin gets nothing, not even with the cookie", async ({ page, engine }) => {
  await page.goto(engine.link);
  await expect(page.getByRole("button", { name: /Open the sample project/ })).toBeVisible();
  await page.route("http://other.example/", (route) => route.fulfill({ contentType: "text/html", body: "<p>hello</p>" }));
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
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
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
