/** The frame around every screen: sections, page, status, and what floats above them. */
import { useQueryClient } from "@tanstack/react-query";
import { Outlet, useMatches, useNavigate, useRouter } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Empty, FaultNote, focusNextRegion, PageAlert, Skeleton, Toaster, toast } from "@/components";
import { useAppearance, useSetAppearance } from "@/domain/appearance";
import { useFolderDialog, useOpenFolder, useOpenSample } from "@/domain/openProject";
import { useProject, useProjectSync } from "@/domain/project";
import { useMessages } from "@/i18n/messages";
import { listenToPushes, type PushOf, useCall } from "@/ipc";
import { type ActionHandlers, useScreenActions } from "@/lib/actions";
import { usePrefetch } from "@/lib/idle";
import { baseName } from "@/lib/names";
import { useView } from "@/lib/view";
import { addLiveRows } from "@/live/rows";
import { SECTION_IDS, SECTIONS } from "@/sections";
import { useTheme, useZoom } from "@/theme/theme";
import { useConnection } from "./connection";
import { DropTarget } from "./DropTarget";
import { EngineStoppedBar } from "./EngineStoppedBar";
import { Nav } from "./Nav";
import { Status } from "./Status";
import { WelcomeScreen } from "./WelcomeScreen";
import "./shell.css";

const loadPalette = () => import("./Palette");
const Palette = lazy(loadPalette);
const FolderDialog = lazy(() => import("./FolderDialog"));
const ShortcutSheet = lazy(() => import("./ShortcutSheet"));
const STOPPED_BAR = <EngineStoppedBar />;

/** Hands the engine's pushes to whom they concern. */
function usePushes(): void {
  const { t } = useTranslation();
  const { say } = useMessages();
  const client = useQueryClient();
  const navigate = useNavigate();
  const router = useRouter();
  const { setEngine, setLine } = useConnection();
  const setProject = useView((view) => view.setProject);
  const listeners = useRef({ say, navigate, t });
  listeners.current = { say, navigate, t };
  useEffect(
    () =>
      listenToPushes(client, {
        traces: addLiveRows,
        notice(notice: PushOf<"notice">) {
          const { say: now, navigate: go, t: words } = listeners.current;
          toast(
            now(notice, notice.text),
            { label: words("open"), run: () => void go({ to: "/hooks", search: { view: "problems" } }) },
            "warning",
          );
        },
        engine: setEngine,
        link(line) {
          setLine(line);
          // Tells a stopped engine from a session that is over.
          if (line === "down") void client.refetchQueries({ queryKey: ["state"] });
        },
        navigate({ to, project }) {
          if (project) setProject(project);
          router.history.push(to);
        },
      }),
    [client, router, setEngine, setLine, setProject],
  );
}

/** What can be done on every screen. */
function useEverywhereActions(openPalette: () => void, openShortcuts: () => void): void {
  const navigate = useNavigate();
  const { setTheme, setLanguage } = useSetAppearance();
  const sample = useOpenSample();
  const sections = SECTION_IDS.map((id) => [`section.${id}`, () => navigate({ to: SECTIONS[id].route })]);
  useScreenActions({
    ...(Object.fromEntries(sections) as ActionHandlers),
    "palette.open": openPalette,
    "shortcuts.open": openShortcuts,
    "pane.next": () => focusNextRegion(),
    "pane.previous": () => focusNextRegion(true),
    "problems.open": () => navigate({ to: "/hooks", search: { view: "problems" } }),
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

/** The screen, or what stands in for it while there is nothing to look at. */
function Screen() {
  const { t } = useTranslation();
  const state = useCall("state", {});
  const project = useProject();
  const needsProject = !useMatches({
    select: (matches) => matches.some(({ routeId }) => SECTIONS_WITHOUT_PROJECT.has(routeId)),
  });
  if (state.error?.code === "ui_session_over") {
    return (
      <Empty middle title={t("shell.signedOut.title")} text={t("shell.signedOut.text")}>
        <p className="input mono read-only" style={{ marginTop: "var(--s-3)" }}>
          hookwright serve --web
        </p>
      </Empty>
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
  const { t } = useTranslation();
  const project = useProject();
  useEffect(() => {
    document.title = project === null ? t("app") : `${baseName(project)} · ${t("app")}`;
  }, [project, t]);
}

export function Frame() {
  const [floating, setFloating] = useState<"palette" | "shortcuts" | null>(null);
  usePrefetch(loadPalette);
  useAppearance();
  useTheme();
  useZoom();
  usePushes();
  useProjectSync();
  useTitle();
  const openPalette = () => setFloating("palette");
  const openShortcuts = () => setFloating("shortcuts");
  const close = () => setFloating(null);
  const asksForFolder = useFolderDialog((dialog) => dialog.open);
  useEverywhereActions(openPalette, openShortcuts);
  return (
    <div className="frame">
      <div className="window-grid">
        <Nav onFind={openPalette} />
        <main className="main">
          <PageAlert value={STOPPED_BAR}>
            <Screen />
          </PageAlert>
        </main>
        <Status />
      </div>
      <Suspense fallback={null}>
        {floating === "palette" ? <Palette onClose={close} /> : null}
        {floating === "shortcuts" ? <ShortcutSheet onClose={close} /> : null}
        {asksForFolder ? <FolderDialog /> : null}
      </Suspense>
      <DropTarget />
      <Toaster />
    </div>
  );
}
