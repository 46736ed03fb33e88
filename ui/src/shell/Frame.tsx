/** The frame around every screen: sections, page, status, and what floats above them. */
import { useQueryClient } from "@tanstack/react-query";
import { Outlet, useMatches, useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Empty, FaultNote, focusNextRegion, Skeleton, Toaster, toast } from "@/components";
import { useAppearance } from "@/domain/appearance";
import { useProject, useProjectSync } from "@/domain/project";
import { useMessages } from "@/i18n/messages";
import { listenToPushes, type PushOf, useCall } from "@/ipc";
import { useKey } from "@/lib/keys";
import { baseName } from "@/lib/names";
import { useView } from "@/lib/view";
import { useTheme, useZoom } from "@/theme/theme";
import { useConnection } from "./connection";
import { DropTarget } from "./DropTarget";
import { EngineStoppedBar } from "./EngineStoppedBar";
import { Nav } from "./Nav";
import { Palette } from "./Palette";
import { FolderDialog } from "./ProjectSwitcher";
import { ShortcutSheet } from "./ShortcutSheet";
import { Status } from "./Status";
import { WelcomeScreen } from "./WelcomeScreen";

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

function useGlobalKeys(onPalette: () => void, onKeys: () => void): void {
  const navigate = useNavigate();
  useKey("2", () => void navigate({ to: "/hooks" }));
  useKey("3", () => void navigate({ to: "/fire" }));
  useKey("4", () => void navigate({ to: "/history" }));
  useKey("9", () => void navigate({ to: "/settings" }));
  useKey("Ctrl K", onPalette);
  useKey("?", onKeys);
  useKey("F6", () => focusNextRegion());
  useKey("Shift F6", () => focusNextRegion(true), { inText: true });
}

/** The screen, or what stands in for it while there is nothing to look at. */
function Screen() {
  const { t } = useTranslation();
  const state = useCall("state", {});
  const project = useProject();
  const needsProject = !useMatches({ select: (matches) => matches.some((match) => match.routeId === "/settings") });
  if (state.error?.code === "ui_session_over") {
    return (
      <Empty middle title={t("shell.signedOut.title")} text={t("shell.signedOut.text")}>
        <p className="in mono ro" style={{ marginTop: "var(--s-3)" }}>
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
  const [palette, setPalette] = useState(false);
  const [keys, setKeys] = useState(false);
  useAppearance();
  useTheme();
  useZoom();
  usePushes();
  useProjectSync();
  useTitle();
  useGlobalKeys(
    () => setPalette(true),
    () => setKeys(true),
  );
  return (
    <div className="frame">
      <div className="app">
        <Nav onFind={() => setPalette(true)} />
        <main className="main">
          <Screen />
        </main>
        <Status />
      </div>
      <Palette open={palette} onClose={() => setPalette(false)} onKeys={() => setKeys(true)} />
      <ShortcutSheet open={keys} onClose={() => setKeys(false)} />
      <FolderDialog />
      <DropTarget />
      <Toaster />
    </div>
  );
}
