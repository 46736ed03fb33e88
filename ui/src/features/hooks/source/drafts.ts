/** Hook files that are being edited. They live as long as the window, whatever is on show. */
import { create } from "zustand";
import type { KeptDocument } from "@/components";
import type { Reply } from "@/ipc";
import { type LineEnding, toEditable, toFile } from "@/lib/lineEndings";
import { setUnsaved } from "@/lib/unsaved";
import { without } from "@/lib/without";

export interface Draft {
  project: string;
  path: string;
  dialect: string;
  ending: LineEnding;
  /** The hash of the file that `saved` is the text of. */
  base: string | null;
  /** As it is in the file, for the editor. */
  saved: string;
  /** As it is now, for the editor. */
  text: string;
  /** How many hooks the file defined when it was read. */
  hooksBefore: number;
  document: KeptDocument;
}

type File = Reply<"hooks.text">;

interface Drafts {
  drafts: Readonly<Record<string, Draft>>;
  /** The file that is to be edited as soon as its text is known. */
  wanted: string | null;
  /** Begins to edit a file. */
  begin(project: string, file: File): void;
  want(key: string | null): void;
  type(key: string, text: string): void;
  /** Takes over what is on disk: as the text, or only as what the text is compared with. */
  rebase(key: string, file: File, keepText: boolean): void;
  end(key: string): void;
  /** Goes on with a file that was ended. */
  resume(draft: Draft): void;
}

export function draftKey(project: string, path: string): string {
  return `${project}\n${path}`;
}

function basedOn(file: File): Pick<Draft, "ending" | "base" | "saved" | "hooksBefore"> {
  const { text, ending } = toEditable(file.text);
  return { ending, base: file.hash, saved: text, hooksBefore: file.hooks.length };
}

export const useDrafts = create<Drafts>()((set) => {
  const change = (key: string, next: (draft: Draft) => Partial<Draft>) =>
    set(({ drafts }) => {
      const draft = drafts[key];
      return draft === undefined ? {} : { drafts: { ...drafts, [key]: { ...draft, ...next(draft) } } };
    });
  return {
    resume: (draft) => set(({ drafts }) => ({ drafts: { ...drafts, [draftKey(draft.project, draft.path)]: draft } })),
    drafts: {},
    wanted: null,
    begin: (project, file) =>
      set(({ drafts }) => {
        const key = draftKey(project, file.path);
        if (drafts[key] !== undefined) return { wanted: null };
        const base = basedOn(file);
        const { path, dialect } = file;
        const draft = { project, path, dialect, ...base, text: base.saved, document: { current: null } };
        return { wanted: null, drafts: { ...drafts, [key]: draft } };
      }),
    want: (wanted) => set({ wanted }),
    type: (key, text) => change(key, () => ({ text })),
    rebase: (key, file, keepText) =>
      change(key, (draft) => {
        const base = basedOn(file);
        return { ...base, text: keepText ? draft.text : base.saved };
      }),
    end: (key) => set(({ drafts }) => ({ drafts: without(drafts, key) })),
  };
});

// Wherever the file is on show: a reload ends every draft.
useDrafts.subscribe(({ drafts }) => {
  const unsaved = Object.values(drafts).filter(isDirty);
  setUnsaved(unsaved.map(({ path }) => path));
});

export function useDraft(key: string): Draft | undefined {
  return useDrafts((store) => store.drafts[key]);
}

export function isDirty(draft: Draft | undefined): boolean {
  return draft !== undefined && draft.text !== draft.saved;
}

/** The text as it would be in the file. */
export function fileText(draft: Draft): string {
  return toFile(draft);
}
