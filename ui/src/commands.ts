/**
 * The actions of the window: the only list that knows a key. Key bindings, buttons, menus, tooltips, palette and
 * shortcut sheet are made from it. Who carries an action out binds it by its id (`useScreenActions`).
 *
 * A key is written as in the shortcut sheet: `F`, `Shift T`, `Ctrl K`, `[`, `Space`, `G then H`. `Ctrl` is `Cmd` on
 * macOS.
 */
import {
  ArrowDown,
  ArrowUp,
  BellOff,
  BellRing,
  FileCode,
  FilePenLine,
  FlaskConical,
  FolderOpen,
  GitCompareArrows,
  History,
  Keyboard,
  Languages,
  ListFilter,
  ListTree,
  type LucideIcon,
  PanelLeft,
  Pause,
  Pin,
  Plus,
  Redo2,
  RotateCcw,
  Save,
  Search,
  SearchX,
  ShieldCheck,
  ShieldPlus,
  ShieldQuestionMark,
  ShieldX,
  SkipForward,
  SunMoon,
  Table2,
  TriangleAlert,
  Undo2,
  Unplug,
  Wrench,
  Zap,
} from "lucide-react";
import type { TextKey } from "@/i18n";
import type { en } from "@/i18n/en";
import { SECTION_IDS, SECTIONS, type SectionId } from "./sections";

/** Where the shortcut sheet lists an action. */
export type ActionGroup = "everywhere" | "hooks" | "fire" | "history" | "trust" | "simulator";

type SheetLine = keyof typeof en.shell.keys;

export interface Action {
  /** The first one is shown. */
  keys: readonly string[];
  /** The group and the line of the shortcut sheet; actions of one line share it. Null keeps it off the sheet. */
  sheet: readonly [ActionGroup, SheetLine] | null;
  /** Offered in the palette while a screen carries it out, under this key of the texts. */
  palette?: TextKey;
  icon?: LucideIcon;
  /** Acts while a text field has the focus, too. */
  inText?: true;
  /** Acts while a dialog is open, too. */
  inDialog?: true;
}

const SCREEN_ACTIONS = {
  "palette.open": { keys: ["Ctrl K"], sheet: ["everywhere", "palette"], icon: Search, inText: true },
  "filter.focus": { keys: ["/"], sheet: ["everywhere", "filter"], palette: "shell.keys.filter", icon: ListFilter },
  "row.next": { keys: ["J", "ArrowDown"], sheet: ["everywhere", "rows"] },
  "row.previous": { keys: ["K", "ArrowUp"], sheet: ["everywhere", "rows"] },
  "row.open": { keys: ["Enter"], sheet: ["everywhere", "openRow"] },
  "drawer.close": { keys: ["Esc"], sheet: ["everywhere", "back"] },
  "dialog.close": { keys: ["Esc"], sheet: null },
  "tree.close": { keys: ["Esc"], sheet: null },
  "drawer.previous": { keys: ["["], sheet: ["everywhere", "inDrawer"] },
  "drawer.next": { keys: ["]"], sheet: ["everywhere", "inDrawer"] },
  "tree.toggle": { keys: ["B"], sheet: ["everywhere", "tree"], palette: "shell.keys.tree", icon: PanelLeft },
  "pane.next": { keys: ["F6"], sheet: ["everywhere", "panes"], inText: true },
  "pane.previous": { keys: ["Shift F6"], sheet: null, inText: true },
  "zoom.in": { keys: ["Ctrl +", "Ctrl ="], sheet: ["everywhere", "zoom"], inText: true, inDialog: true },
  "zoom.out": { keys: ["Ctrl -"], sheet: ["everywhere", "zoom"], inText: true, inDialog: true },
  "zoom.reset": { keys: ["Ctrl 0"], sheet: ["everywhere", "zoom"], inText: true, inDialog: true },
  "shortcuts.open": { keys: ["?"], sheet: ["everywhere", "sheet"], palette: "shell.palette.keys", icon: Keyboard },

  "problems.open": { keys: [], sheet: null, palette: "shell.palette.problems", icon: TriangleAlert },
  "edits.open": { keys: [], sheet: null, palette: "edits.show", icon: History },
  "edits.undo": { keys: ["Ctrl Z"], sheet: ["hooks", "undoEdit"], palette: "edits.undoLast", icon: Undo2 },
  "edits.redo": { keys: ["Ctrl Shift Z"], sheet: ["hooks", "undoEdit"], palette: "edits.redoLast", icon: Redo2 },
  "project.openFolder": { keys: [], sheet: null, palette: "shell.project.openFolder", icon: FolderOpen },
  "project.openSample": { keys: [], sheet: null, palette: "shell.project.sample", icon: FlaskConical },
  "theme.system": { keys: [], sheet: null, palette: "shell.palette.themes.system", icon: SunMoon },
  "theme.dark": { keys: [], sheet: null, palette: "shell.palette.themes.dark", icon: SunMoon },
  "theme.light": { keys: [], sheet: null, palette: "shell.palette.themes.light", icon: SunMoon },
  "language.en": { keys: [], sheet: null, palette: "shell.palette.languages.en", icon: Languages },
  "language.zh-CN": { keys: [], sheet: null, palette: "shell.palette.languages.zh-CN", icon: Languages },

  "hook.new": { keys: ["N"], sheet: ["hooks", "newHook"], palette: "newHook.ask", icon: Plus },
  "hook.switch": { keys: ["Space"], sheet: ["hooks", "switch"], icon: BellRing },
  "hook.mute": { keys: ["M"], sheet: ["hooks", "muteHalfHour"], icon: BellOff },
  "hook.fire": { keys: ["F"], sheet: ["hooks", "fireWith"], icon: Zap },
  "hook.explain": { keys: ["E"], sheet: ["hooks", "explain"], icon: SearchX },
  "hook.review": { keys: ["A"], sheet: ["hooks", "approve"], icon: ShieldQuestionMark },
  "hook.moveUp": { keys: ["Alt ArrowUp"], sheet: ["hooks", "shift"], palette: "hooks.edit.up", icon: ArrowUp },
  "hook.moveDown": { keys: ["Alt ArrowDown"], sheet: ["hooks", "shift"], palette: "hooks.edit.down", icon: ArrowDown },
  "hook.summary": {
    keys: ["G then H"],
    sheet: ["hooks", "goSummary"],
    palette: "shell.keys.goSummary",
    icon: ListTree,
  },
  "hook.source": { keys: ["G then S"], sheet: ["hooks", "goSource"], palette: "shell.keys.goSource", icon: FileCode },
  "hook.edit": { keys: ["Shift E"], sheet: ["hooks", "editFile"], palette: "editor.editFile", icon: FilePenLine },
  "filter.fix": { keys: ["Ctrl ."], sheet: ["history", "fix"], palette: "shell.keys.fix", icon: Wrench, inText: true },
  "text.save": {
    keys: ["Ctrl S"],
    sheet: ["hooks", "saveFile"],
    palette: "shell.keys.saveFile",
    icon: Save,
    inText: true,
  },
  "text.confirmSave": { keys: ["Ctrl S"], sheet: null, inText: true, inDialog: true },
  "review.approve": { keys: ["A"], sheet: ["trust", "approveRead"], palette: "trust.approve", icon: ShieldCheck },
  "review.deny": { keys: ["D"], sheet: ["trust", "denyRead"], palette: "review.deny", icon: ShieldX },
  "review.skip": { keys: ["S"], sheet: ["trust", "skipReview"], palette: "shell.keys.skipReview", icon: SkipForward },
  "event.fire": { keys: ["F"], sheet: null, palette: "lifecycle.fire", icon: Zap },

  "fire.run": {
    keys: ["Ctrl Enter"],
    sheet: ["fire", "fireNow"],
    palette: "shell.keys.fireNow",
    icon: Zap,
    inText: true,
  },
  "fire.stop": { keys: ["Esc"], sheet: ["fire", "stop"], inText: true },
  "fire.previousStep": { keys: ["["], sheet: ["fire", "steps"] },
  "fire.nextStep": { keys: ["]"], sheet: ["fire", "steps"] },
  "fixture.saveAs": { keys: ["P"], sheet: ["fire", "pin"], palette: "shell.keys.pin", icon: Pin },
  "fixture.save": { keys: ["Ctrl S"], sheet: ["fire", "save"], palette: "shell.keys.save", icon: Save, inText: true },
  "timeline.table": { keys: ["Shift T"], sheet: ["fire", "table"], palette: "shell.keys.table", icon: Table2 },

  "live.toggle": { keys: ["Space"], sheet: ["history", "pause"], palette: "shell.keys.pause", icon: Pause },
  "range.clear": { keys: ["Esc"], sheet: null, palette: "shell.keys.allTimes", icon: RotateCcw },
  "trace.fire": { keys: ["F"], sheet: ["history", "fireWith"], palette: "history.fireWith", icon: Zap },
  "trace.explain": { keys: ["E"], sheet: ["history", "explain"], palette: "history.explain", icon: SearchX },
  "trace.replay": { keys: ["R"], sheet: ["history", "replay"], palette: "history.replay", icon: RotateCcw },
  "trace.guard": { keys: ["Shift G"], sheet: ["history", "guard"], palette: "newHook.guardAgainst", icon: ShieldPlus },
  "trace.save": { keys: ["P"], sheet: ["history", "pin"], palette: "shell.keys.pin", icon: Pin },
  "trace.diff": { keys: ["D"], sheet: ["history", "diff"] },
  "trace.compare": {
    keys: ["C"],
    sheet: ["history", "compare"],
    palette: "shell.keys.compare",
    icon: GitCompareArrows,
  },
  "chart.table": { keys: ["Shift T"], sheet: null, palette: "metrics.showTables", icon: Table2 },
  "agent.fire": { keys: ["F"], sheet: null, palette: "agents.fireAt", icon: Zap },
  "agent.disconnect": { keys: [], sheet: null, palette: "agents.disconnect", icon: Unplug },
  "call.previous": { keys: ["ArrowLeft"], sheet: ["simulator", "calls"] },
  "call.next": { keys: ["ArrowRight"], sheet: ["simulator", "calls"] },
  "scenario.run": {
    keys: ["Ctrl Enter"],
    sheet: ["simulator", "runScenario"],
    palette: "shell.keys.runScenario",
    icon: Zap,
    inText: true,
  },
  "explain.leave": { keys: ["Esc"], sheet: null },
} as const satisfies Record<string, Action>;

type SectionAction = `section.${SectionId}`;
export type ActionId = keyof typeof SCREEN_ACTIONS | SectionAction;

const SECTION_ACTIONS = Object.fromEntries(
  SECTION_IDS.map((id): [SectionAction, Action] => {
    const { key, label, icon } = SECTIONS[id];
    return [`section.${id}`, { keys: [key], sheet: ["everywhere", id], palette: label, icon }];
  }),
) as Record<SectionAction, Action>;

export const ACTIONS: Readonly<Record<ActionId, Action>> = { ...SECTION_ACTIONS, ...SCREEN_ACTIONS };
export const ACTION_IDS = Object.keys(ACTIONS) as ActionId[];

/** The key to show beside an action; undefined where it has none. */
export function keyOf(action: ActionId): string | undefined {
  return ACTIONS[action].keys[0];
}
