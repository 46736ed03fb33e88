import { Search } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { Icon, KeyCap, Logo, Tooltip } from "@/components";
import { usePlaceIn } from "@/domain/places";
import { useAppState, useProject } from "@/domain/project";
import { t } from "@/i18n";
import { useCall } from "@/ipc";
import { useLiveRows } from "@/live/rows";
import { Link, usePath } from "@/routes/router";
import { SECTION_IDS, SECTIONS, type SectionId } from "@/sections";
import { ProjectSwitcher } from "./ProjectSwitcher";

const LIVE_MS = 3000;

/** True for a moment after something was recorded. */
function useLive(): boolean {
  const { total } = useLiveRows();
  const [over, setOver] = useState(total);
  useEffect(() => {
    const timer = setTimeout(() => setOver(total), LIVE_MS);
    return () => clearTimeout(timer);
  }, [total]);
  return total !== over;
}

/** What a section's entry says besides its name, drawn and in words. */
interface Mark {
  drawing: ReactNode;
  words: string;
}

const ITEM =
  "relative flex h-7 items-center gap-2 rounded-2 px-2 font-medium [transition:background_var(--t-1)] active:bg-4 max-docked:justify-center max-docked:p-0 [&_kbd]:w-3 [&_kbd]:border-0 [&_kbd]:p-0 [&_kbd]:text-right max-docked:[&_kbd]:hidden";
const CURRENT_ITEM =
  "bg-nav-on text-ink-1 [&>.icon]:text-accent before:absolute before:-left-2 before:inset-y-1.5 before:w-0.5 before:rounded-[0_2px_2px_0] before:bg-accent";

function SectionLink({ id, mark }: { id: SectionId; mark: Mark | undefined }) {
  const { route, label, icon } = SECTIONS[id];
  const name = t(label);
  const spoken = mark === undefined ? name : `${name}${t("list")}${mark.words}`;
  const path = usePath();
  const place = usePlaceIn(useProject(), route);
  const isCurrent = path === route || path?.startsWith(`${route}/`) === true;
  return (
    <Tooltip text={spoken} action={`section.${id}`} side="right">
      <Link
        to={route}
        search={place}
        className={isCurrent ? `${ITEM} ${CURRENT_ITEM}` : `${ITEM} text-ink-2 hover:bg-3 [&>.icon]:text-ink-3`}
        aria-current={isCurrent ? "page" : undefined}
        aria-description={mark?.words}
      >
        <Icon of={icon} size={16} />
        <span className="flex-1 max-docked:sr-only">{name}</span>
        {mark ? <span aria-hidden="true">{mark.drawing}</span> : null}
        <KeyCap action={`section.${id}`} />
      </Link>
    </Tooltip>
  );
}

const COUNT =
  "flex items-center gap-0.75 rounded-[8px] px-1.25 text-xs/4 font-[650] max-docked:absolute max-docked:-top-0.5 max-docked:-right-1 max-docked:px-1 max-docked:text-[9px]/3.25";

/** Faults of guards in filled orange, reviews in yellow. */
function useMarks(): Partial<Record<SectionId, Mark>> {
  const live = useLive();
  const pending = useAppState()?.pending ?? 0;
  const project = useProject();
  const verdict = useCall("overview", { project }, { enabled: project !== null }).data?.verdict;
  const faults = verdict?.code === "guards_fail" ? Number(verdict.args.count) : 0;
  const marks: Partial<Record<SectionId, Mark>> = {};
  if (faults > 0) {
    marks.hooks = {
      words: t("shell.nav.faults", { count: faults }),
      drawing: <b className={`${COUNT} bg-fail-solid text-ink-inv`}>{faults}</b>,
    };
  }
  if (pending > 0) {
    marks.trust = {
      words: t("shell.status.review", { count: pending }),
      drawing: <b className={`${COUNT} bg-late-bg text-late`}>{pending}</b>,
    };
  }
  if (live) {
    marks.history = {
      words: t("shell.nav.live"),
      drawing: (
        <b className="flex max-docked:absolute max-docked:top-1 max-docked:right-0.5">
          <i className="h-1.5 w-1.5 rounded-full bg-allow shadow-[0_0_0_3px_var(--allow-bg)]" />
        </b>
      ),
    };
  }
  return marks;
}

export function Nav({ onFind }: { onFind: () => void }) {
  const marks = useMarks();
  const links = (place: "list" | "foot") =>
    SECTION_IDS.filter((id) => SECTIONS[id].place === place).map((id) => (
      <SectionLink key={id} id={id} mark={marks[id]} />
    ));
  return (
    <nav
      className="row-1 bg-0 border-r border-line-2 flex flex-col px-2 pb-2 min-h-0"
      aria-label={t("shell.nav.label")}
      data-region
      tabIndex={-1}
    >
      <div className="h-bar flex items-center gap-2 px-2 font-strong text-[14px] tracking-tight max-docked:justify-center max-docked:p-0">
        <Logo size={20} />
        <span className="max-docked:hidden">{t("app")}</span>
      </div>
      <ProjectSwitcher />
      <button
        type="button"
        className="mt-1 mb-3 flex h-7 w-full items-center gap-2 rounded-2 px-2 text-sm/[inherit] text-ink-3 [transition:background_var(--t-1)] hover:bg-3 active:bg-4 max-docked:justify-center max-docked:p-0 max-docked:[&_kbd]:hidden"
        onClick={onFind}
      >
        <Icon of={Search} size={14} />
        <span className="flex-1 text-left max-docked:sr-only">{t("shell.find")}</span>
        <KeyCap action="palette.open" />
      </button>
      <div className="flex flex-col gap-0.5 flex-1">{links("list")}</div>
      <div>{links("foot")}</div>
    </nav>
  );
}
