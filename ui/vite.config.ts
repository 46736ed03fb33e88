import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vitest/config";
import { firstScreenPlugin } from "./vite/firstScreen.ts";
import { frozenPrototypePlugin } from "./vite/frozen.ts";
import { messagesPlugin } from "./vite/messages.ts";
import { alias, compiledReact } from "./vite/react.ts";

// One bundle serves the desktop window and the loopback page, so every address in it is relative.
export default defineConfig({
  base: "./",
  plugins: [compiledReact(), tailwindcss(), messagesPlugin(), frozenPrototypePlugin(), firstScreenPlugin()],
  resolve: { alias },
  clearScreen: false,
  server: { port: 5173, strictPort: true },
  build: {
    target: "es2022",
    sourcemap: false,
    chunkSizeWarningLimit: 1500,
    assetsInlineLimit: 0,
  },
  test: {
    css: false,
    testTimeout: 60_000,
    // One page for all files: to load the interface again for each takes longer than most of their tests. What tests
    // leave in it is removed in `src/testing`; a module that is replaced is replaced for its file only.
    isolate: false,
    // A document takes longer to set up than most tests without one take: only a `.test.tsx` has it.
    projects: [
      {
        extends: true,
        test: { name: "plain", environment: "node", include: ["src/**/*.test.ts"] },
      },
      {
        extends: true,
        test: {
          name: "page",
          environment: "jsdom",
          setupFiles: ["./src/testing/setup.ts"],
          include: ["src/**/*.test.tsx"],
        },
      },
    ],
  },
});
