/** View state that outlives a screen: pane widths, zoom, the chosen project, what was typed and not yet sent. */
import { create } from "zustand";
import { createJSONStorage, persist } from "zustand/middleware";
import { without } from "./without";

/** Of all text, in percent. */
export const TEXT_SIZES = [100, 110, 125] as const;
export type TextSize = (typeof TEXT_SIZES)[number];

export type Theme = "system" | "dark" | "light";

interface View {
  /** Width in px by `screen.pane`. */
  splits: Record<string, number>;
  /** Panes a person put away, by `screen.pane`. */
  hidden: Record<string, boolean>;
  /** The timeline as a table. */
  asTable: boolean;
  /** The payload of Fire as text, not as fields. */
  payloadAsText: boolean;
  /** 1 is 100 %. */
  zoom: number;
  textSize: TextSize;
  theme: Theme;
  language: string | null;
  project: string | null;
  /** Unsent texts by key, such as a payload being edited. */
  drafts: Record<string, string>;
  setSplit(key: string, width: number | null): void;
  setHidden(key: string, hidden: boolean): void;
  setAsTable(on: boolean): void;
  setPayloadAsText(on: boolean): void;
  setZoom(zoom: number): void;
  setTextSize(size: TextSize): void;
  setTheme(theme: Theme): void;
  setLanguage(language: string | null): void;
  setProject(project: string | null): void;
  setDraft(key: string, text: string | null): void;
}

export const useView = create<View>()(
  persist(
    (set) => ({
      splits: {},
      hidden: {},
      asTable: false,
      payloadAsText: false,
      zoom: 1,
      textSize: 100,
      theme: "system",
      language: null,
      project: null,
      drafts: {},
      setSplit: (key, width) =>
        set((view) => ({ splits: width === null ? without(view.splits, key) : { ...view.splits, [key]: width } })),
      setHidden: (key, hidden) => set((view) => ({ hidden: { ...view.hidden, [key]: hidden } })),
      setAsTable: (asTable) => set({ asTable }),
      setPayloadAsText: (payloadAsText) => set({ payloadAsText }),
      setZoom: (zoom) => set({ zoom }),
      setTextSize: (textSize) => set({ textSize }),
      setTheme: (theme) => set({ theme }),
      setLanguage: (language) => set({ language }),
      setProject: (project) => set({ project }),
      setDraft: (key, text) =>
        set((view) => ({ drafts: text === null ? without(view.drafts, key) : { ...view.drafts, [key]: text } })),
    }),
    {
      name: "hookwright.view",
      version: 1,
      storage: createJSONStorage(() => localStorage),
      // Payloads may hold secrets, so drafts live as long as the window; the project is the engine's to remember.
      partialize: ({ splits, hidden, asTable, payloadAsText, zoom, textSize, theme, language }) => ({
        splits,
        hidden,
        asTable,
        payloadAsText,
        zoom,
        textSize,
        theme,
        language,
      }),
    },
  ),
);
