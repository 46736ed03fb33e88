import { defineConfig } from "vitest/config";
import { firstScreenPlugin } from "./vite/firstScreen.ts";
import { frozenPrototypePlugin } from "./vite/frozen.ts";
import { messagesPlugin } from "./vite/messages.ts";
import { alias, compiledReact } from "./vite/react.ts";

// One bundle serves the desktop window and the loopback page, so every address in it is relative.
export default defineConfig({
  base: "./",
  plugins: [compiledReact(), messagesPlugin(), frozenPrototypePlugin(), firstScreenPlugin()],
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
    environment: "jsdom",
    setupFiles: ["./src/testing/setup.ts"],
    env: { DEBUG_PRINT_LIMIT: "0" },
    include: ["src/**/*.test.{ts,tsx}"],
    css: false,
    testTimeout: 60_000,
  },
});
