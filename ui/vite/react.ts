/** What every page of the interface is built with. */
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";

/**
 * React Compiler keeps what was made from the same values. What it cannot compile would not be drawn again in another
 * language (`memoCache.ts`), so it fails the build.
 */
export const compiledReact = () =>
  react({
    compiler: {
      // The only target whose cache can come from a module of our own.
      target: { kind: "donotuse_meta_internal", runtimeModule: "@/lib/memoCache" },
      panicThreshold: "all_errors",
      environment: { validateNoImpureFunctionsInRender: true },
    },
  });

export const alias = { "@": fileURLToPath(new URL("../src", import.meta.url)) };
