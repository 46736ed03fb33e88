/**
 * The document of an editor: one `EditorState`, whoever shows it. A code view and a form are two views of the same
 * document; both change it by transactions, so the cursor and the undo history stay.
 */
import { Compartment, EditorState, type Extension, type Transaction, type TransactionSpec } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

/** The nonce of the page's policy, where it has one. */
export function cspNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
}

export class EditorDocument {
  #state: EditorState;
  readonly #views = new Set<EditorView>();
  readonly #listeners = new Set<() => void>();
  readonly #cursorListeners = new Set<(line: number) => void>();
  readonly #host = new Compartment();

  constructor(text: string, extensions: Extension = []) {
    this.#state = EditorState.create({
      doc: text,
      extensions: [EditorView.cspNonce.of(cspNonce()), this.#host.of([]), extensions],
    });
  }

  get state(): EditorState {
    return this.#state;
  }

  get text(): string {
    return this.#state.doc.toString();
  }

  /** Changes the document. */
  apply(spec: TransactionSpec): void {
    this.#take([this.#state.update(spec)]);
  }

  /** Makes the text `text` by the smallest change, so that cursor and undo history stay where they can. */
  setText(text: string): void {
    const before = this.text;
    if (before === text) return;
    const { from, to, insert } = smallestChange(before, text);
    this.apply({ changes: { from, to, insert } });
  }

  /** Replaces what the host adds: keys, looks, language. */
  configure(extensions: Extension): void {
    this.apply({ effects: this.#host.reconfigure(extensions) });
  }

  /** Shows the document in `parent`; the returned function ends that. */
  show(parent: HTMLElement): () => void {
    const view = new EditorView({
      parent,
      state: this.#state,
      dispatchTransactions: (transactions) => this.#take(transactions),
    });
    this.#views.add(view);
    return () => {
      this.#views.delete(view);
      view.destroy();
    };
  }

  /** Gives the focus to the first view of the document. */
  focus(): void {
    const [view] = this.#views;
    view?.focus();
  }

  /** Gives the focus to the first view, with the cursor in sight. */
  reveal(): void {
    const { head } = this.#state.selection.main;
    this.apply({ effects: EditorView.scrollIntoView(head, { y: "center" }) });
    this.focus();
  }

  /** Hears every change of the text. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** The line of the cursor, from 1. */
  get cursorLine(): number {
    return this.#state.doc.lineAt(this.#state.selection.main.head).number;
  }

  /** Hears into which line the cursor is put, or moves with the text. */
  watchCursor(listener: (line: number) => void): () => void {
    this.#cursorListeners.add(listener);
    return () => {
      this.#cursorListeners.delete(listener);
    };
  }

  #take(transactions: readonly Transaction[]): void {
    const last = transactions.at(-1);
    if (last === undefined) return;
    const lineBefore = this.cursorLine;
    this.#state = last.state;
    for (const view of this.#views) view.update(transactions);
    const { cursorLine } = this;
    if (cursorLine !== lineBefore) for (const listener of this.#cursorListeners) listener(cursorLine);
    if (transactions.some((one) => one.docChanged)) for (const listener of this.#listeners) listener();
  }
}

/** What lies between the common begin and the common end of two texts. */
export function smallestChange(before: string, after: string): { from: number; to: number; insert: string } {
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from += 1;
  let end = 0;
  while (end < most - from && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}
