/** A tripwire: how much script the page loads before its first screen is drawn. The measure is the time to the first row. */
import type { Plugin, Rolldown } from "vite";

const MOST_KB = 1500;
/** Loaded with the entry, or at once after it. */
const FIRST = /\/src\/(?:features\/overview\/index\.tsx|i18n\/en\/index\.ts)$/;
/** Loaded when they are used. */
const LATE = /\/node_modules\/(?:@codemirror|d3-\w+)\//;

export function firstScreenPlugin(): Plugin {
  return {
    name: "first-screen",
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
      const first = new Set<Rolldown.OutputChunk>();
      function add(chunk: Rolldown.OutputChunk | undefined): void {
        if (chunk === undefined || first.has(chunk)) return;
        first.add(chunk);
        for (const name of chunk.imports) add(chunks.find(({ fileName }) => fileName === name));
      }
      for (const chunk of chunks) if (chunk.isEntry || FIRST.test(chunk.facadeModuleId ?? "")) add(chunk);
      const size = [...first].reduce((sum, { code }) => sum + code.length, 0) / 1000;
      if (size > MOST_KB) this.error(`the first screen loads ${Math.round(size)} kB of script, more than ${MOST_KB}`);
      const late = [...first].flatMap(({ moduleIds }) => moduleIds).find((id) => LATE.test(id));
      if (late !== undefined) this.error(`the first screen loads ${late}, which is for later`);
      this.info(`the first screen loads ${Math.round(size)} kB of script`);
    },
  };
}
