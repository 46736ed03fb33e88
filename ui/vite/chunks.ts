/** Named chunks: what the first screen always needs, and libraries that are loaded when they are used. */
const packages = (...names: string[]) => new RegExp(`/node_modules/(?:${names.join("|")})/`);

/** Of what stands at the top the first screen needs all. */
export const CHUNKS = [
  { name: "react", test: packages("react", "react-dom", "scheduler", "use-sync-external-store") },
  { name: "query", test: packages("@tanstack/(?:react-)?query(?:-core)?") },
  {
    name: "controls",
    test: packages(
      "@radix-ui/react-(?:tabs|radio-group|switch|roving-focus|slot|primitive|context|collection|direction|id|presence|compose-refs|use-.*)",
      "@radix-ui/primitive",
      "zustand",
    ),
  },

  {
    name: "codemirror",
    test: packages("@codemirror/.*", "@lezer/.*", "@marijn/.*", "style-mod", "crelt", "w3c-keyname"),
  },
  { name: "floating", test: packages("@floating-ui/.*", "@radix-ui/react-(?:popper|arrow|tooltip)") },
  {
    name: "dialogs",
    test: packages(
      "@radix-ui/react-(?:dialog|alert-dialog|popover|menu|dropdown-menu|select|focus-.*|dismissable-layer|portal|visually-hidden)",
      "react-remove-scroll.*",
      "react-style-singleton",
      "use-(?:callback-ref|sidecar)",
      "aria-hidden",
    ),
  },
  { name: "cmdk", test: packages("cmdk") },
  { name: "toasts", test: packages("sonner") },
  { name: "diff", test: packages("diff") },
  { name: "charts", test: packages("d3-.*", "internmap") },
  { name: "window", test: packages("@tauri-apps/.*") },
];
