/**
 * The window freezes `Object.prototype`. What an object inherits from it can then be defined, but not assigned, and two
 * libraries assign `constructor` and `toString`. This rewrites their assignments.
 */
import type { Plugin } from "vite";

interface Rewrite {
  file: string;
  assignment: string;
  definition: string;
}

const REWRITES: readonly Rewrite[] = [
  {
    file: "/d3-color/dist/d3-color.mjs",
    assignment: "prototype.constructor = constructor;",
    definition:
      'Object.defineProperty(prototype, "constructor", { value: constructor, writable: true, configurable: true });',
  },
  {
    file: "/d3-color/dist/d3-color.mjs",
    assignment: "for (var key in definition) prototype[key] = definition[key];",
    definition: "Object.defineProperties(prototype, Object.getOwnPropertyDescriptors(definition));",
  },
  {
    file: "/d3-format/dist/d3-format.mjs",
    assignment: "FormatSpecifier.prototype.toString = function() {",
    definition:
      'Object.defineProperty(FormatSpecifier.prototype, "toString", { value: null, writable: true, configurable: true });\n' +
      "FormatSpecifier.prototype.toString = function() {",
  },
];

export function frozenPrototypePlugin(): Plugin {
  return {
    name: "frozen-prototype",
    transform(code, id) {
      const here = REWRITES.filter(({ file }) => id.endsWith(file));
      if (here.length === 0) return null;
      const missing = here.find(({ assignment }) => !code.includes(assignment));
      if (missing) this.error(`${missing.file} no longer has \`${missing.assignment}\`; see ui/vite/frozen.ts`);
      return here.reduce((text, { assignment, definition }) => text.replace(assignment, definition), code);
    },
  };
}
