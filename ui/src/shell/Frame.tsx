/** The frame around every screen: sections, page, status, and what floats above them. */

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Empty, FaultNote, focusNextRegion, PageAlert, Skeleton, Toaster } from "@/components";
import { useAppearance, useSetAppearance } from "@/domain/appearance";
import NewHookSheet from "@/domain/newHook/NewHookSheet";
import { useNewHook } from "@/domain/newHook/newHook";
import { useFolderDialog, useOpenFolder, useOpenSample } from "@/domain/openProject";
import { placeIn } from "@/domain/places";
import { useProject, useProjectSync } from "@/domain/project";
import { addMarks } from "@/domain/trace/marks";
import { type TextKey, t } from "@/i18n";
import { inWindow, listenToPushes, useCall } from "@/ipc";
import { type ActionHandlers, useScreenActions } from "@/lib/actions";
import { baseName } from "@/lib/names";
import { useUnsaved } from "@/lib/unsaved";
import { useLatest } from "@/lib/useLatest";
import { useConnection } from "@/live/connection";
import { addLiveRows } from "@/live/rows";
import { Matches, Outlet, useNavigate, useOpenAddress, usePath } from "@/routes/router";
import { SECTION_IDS, SECTIONS } from "@/sections";
import { useTextSize, useTheme, useZoom } from "@/theme/theme";
import DropTarget from "./DropTarget";
import { EngineStoppedBar } from "./EngineStoppedBar";
import FolderDialog from "./FolderDialog";
import { Nav } from "./Nav";
import Palette from "./Palette";
import QuitGuard from "./QuitGuard";
import ShortcutSheet from "./ShortcutSheet";
import { Status } from "./Status";
import { useUnhandledErrors } from "./unhandled";
import WelcomeScreen from "./WelcomeScreen";

const loadDiffs = () => import("@/domain/edits/diffs");
const loadNotices = () => import("./notices");
const STOPPED_BAR = <EngineStoppedBar />;

/** Hands the engine's pushes to whom they concern. */
function usePushes(): void {
  const client = useQueryClient();
  const setEngine = useConnection((connection) => connection.setEngine);
  const setLine = useConnection((connection) => connection.setLine);
  const open = useOpenAddress();
  const shownRef = useLatest(useProject());
  useEffect(
    () =>
      listenToPushes(client, {
        traces(rows) {
          addLiveRows(rows);
          addMarks(rows);
        },
        notice: (notice) => void loadNotices().then(({ showNotice }) => showNotice(notice, open, shownRef.current)),
        engine: setEngine,
        link(line) {
          setLine(line);
          // Tells a stopped engine from a session that is over.
          if (line !== "up") void client.refetchQueries({ queryKey: ["state"] });
        },
        navigate: (where) => void loadNotices().then(({ goTo }) => goTo(where, open)),
      }),
    [client, setEngine, setLine, open, shownRef],
  );
}

/** Edits are made on several screens; the list of edits shows what each changed. */
function useDiffsOfEdits(): void {
  const client = useQueryClient();
  useEffect(() => {
    const stop = new AbortController();
    void loadDiffs().then(({ keepDiffsOf }) => {
      if (!stop.signal.aborted) stop.signal.addEventListener("abort", keepDiffsOf(client.getMutationCache()));
    });
    return () => stop.abort();
  }, [client]);
}

/** What can be done on every screen. */
function useEverywhereActions(openPalette: () => void, openShortcuts: () => void): void {
  const navigate = useNavigate();
  const { setTheme, setLanguage } = useSetAppearance();
  const sample = useOpenSample();
  const project = useProject();
  const askForHook = useNewHook((store) => store.ask);
  const sections = SECTION_IDS.map((id) => {
    const { route } = SECTIONS[id];
    return [`section.${id}`, () => navigate({ to: route, search: placeIn(project, route) })];
  });
  useScreenActions({
    ...(Object.fromEntries(sections) as ActionHandlers),
    "palette.open": openPalette,
    "shortcuts.open": openShortcuts,
    "pane.next": () => focusNextRegion(),
    "pane.previous": () => focusNextRegion(true),
    "hook.new": project === null ? null : () => askForHook({}),
    "problems.open": () => navigate({ to: "/hooks", search: { view: "problems" } }),
    "edits.open": () => navigate({ to: "/hooks", search: { view: "edits" } }),
    "project.openFolder": useOpenFolder(),
    "project.openSample": sample.run,
    "theme.system": () => setTheme("system"),
    "theme.dark": () => setTheme("dark"),
    "theme.light": () => setTheme("light"),
    "language.en": () => setLanguage("en"),
    "language.zh-CN": () => setLanguage("zh-CN"),
  });
}

const SECTIONS_WITHOUT_PROJECT: ReadonlySet<string> = new Set(
  SECTION_IDS.filter((id) => !SECTIONS[id].needsProject).map((id) => SECTIONS[id].route),
);

/** What is said where this page may not call the engine, by the code of the fault. */
const SIGNED_OUT: ReadonlyMap<string, { title: TextKey; text: TextKey }> = new Map([
  ["ui_session_over", { title: "shell.signedOut.title", text: "shell.signedOut.text" }],
  ["ui_needs_link", { title: "shell.needsLink.title", text: "shell.needsLink.text" }],
]);

/** The screen, or what stands in for it while there is nothing to look at. */
export function Screen() {
  const state = useCall("state", {});
  const project = useProject();
  const needsProject = !SECTIONS_WITHOUT_PROJECT.has(usePath() ?? "");
  const signedOut = SIGNED_OUT.get(state.error?.code ?? "");
  if (signedOut !== undefined) {
    return (
      <>
        <h1 className="visually-hidden">{t("app")}</h1>
        <Empty title={t(signedOut.title)} text={t(signedOut.text)}>
          <p className="input mono read-only" style={{ marginTop: "var(--s-3)" }}>
            hookwright open --web
          </p>
        </Empty>
      </>
    );
  }
  if (state.error !== null && state.data === undefined) {
    return <FaultNote fault={state.error} onRetry={() => void state.refetch()} />;
  }
  if (state.data === undefined) return <Skeleton what={t("shell.status.engine", { version: "" })} />;
  if (project === null && needsProject) {
    return (
      <>
        <EngineStoppedBar />
        <WelcomeScreen />
      </>
    );
  }
  return <Outlet />;
}

/** What the browser's tab and the window's entry in a task list say. */
function useTitle(): void {
  const project = useProject();
  const title = project === null ? t("app") : `${baseName(project)} · ${t("app")}`;
  useEffect(() => {
    document.title = title;
  }, [title]);
}

export function Frame() {
  const [floating, setFloating] = useState<"palette" | "shortcuts" | null>(null);
  useAppearance();
  useTheme();
  useTextSize();
  useZoom();
  usePushes();
  useUnhandledErrors();
  useDiffsOfEdits();
  useProjectSync();
  useTitle();
  const openPalette = () => setFloating("palette");
  const openShortcuts = () => setFloating("shortcuts");
  const close = () => setFloating(null);
  const asksForFolder = useFolderDialog((dialog) => dialog.open);
  const hasUnsaved = useUnsaved((store) => store.files.length > 0);
  const asksForHook = useNewHook((store) => store.wanted !== null);
  useEverywhereActions(openPalette, openShortcuts);
  return (
    <div className="flex flex-col h-full">
      <div className="grid [grid-template:minmax(0,1fr)_var(--h-status)_/_var(--w-nav)_minmax(0,1fr)] h-full flex-1 min-h-0 max-docked:grid-cols-[var(--w-nav-slim)_minmax(0,1fr)]">
        <Nav onFind={openPalette} />
        <main className="row-1 flex min-h-0 min-w-0 flex-col bg-1">
          <PageAlert value={STOPPED_BAR}>
            <Matches />
          </PageAlert>
        </main>
        <Status />
      </div>

      {floating === "palette" ? <Palette onClose={close} /> : null}
      {floating === "shortcuts" ? <ShortcutSheet onClose={close} /> : null}
      {asksForFolder ? <FolderDialog /> : null}
      {asksForHook ? <NewHookSheet /> : null}

      {inWindow() ? (
        <>
          <DropTarget />
          {hasUnsaved ? <QuitGuard /> : null}
        </>
      ) : null}
      <Toaster />
    </div>
  );
}
