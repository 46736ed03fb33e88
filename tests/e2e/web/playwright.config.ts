import { defineConfig } from "@playwright/test";

// The browser is the system's: `./dev test` says where it is.
const executablePath = process.env.HOOKWRIGHT_CHROMIUM || "/usr/bin/chromium";

export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.ts",
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  // Each test has an engine and a browser of its own.
  workers: 2,
  timeout: 60_000,
  // A failed test runs again with a recording, which costs too much for all of them. It has failed all the same.
  retries: 1,
  expect: { timeout: 15_000 },
  reporter: "list",
  outputDir: "test-results",
  use: {
    browserName: "chromium",
    headless: true,
    viewport: { width: 1280, height: 800 },
    locale: "en-US",
    colorScheme: "dark",
    screenshot: "only-on-failure",
    trace: "on-first-retry",
    launchOptions: {
      executablePath,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
