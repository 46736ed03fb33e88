import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";
import { messagesPlugin } from "./vite/messages.ts";
import { alias, compiledReact } from "./vite/react.ts";

// The same interface over scripted replies, for looking at states that are hard to bring about. Never shipped.
export default defineConfig({
  root: fileURLToPath(new URL("./src/testing/stories", import.meta.url)),
  publicDir: fileURLToPath(new URL("./public", import.meta.url)),
  plugins: [compiledReact(), tailwindcss(), messagesPlugin()],
  resolve: { alias },
  clearScreen: false,
  server: { port: 5174, strictPort: true, fs: { allow: [fileURLToPath(new URL(".", import.meta.url))] } },
});
