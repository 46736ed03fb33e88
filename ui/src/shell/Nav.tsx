import { Search } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { Icon, KeyCap, Logo, Tooltip } from "@/components";
import { usePlaceIn } from "@/domain/places";
import { useAppState, useProject } from "@/domain/project";
import { t } from "@/i18n";
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
        className={isCurrent ? "nav-item on" : "nav-item"}
        aria-current={isCurrent ? "page" : undefined}
        aria-description={mark?.words}
      >
        <Icon of={icon} size={16} />
        <span>{name}</span>
        {mark ? <span aria-hidden="true">{mark.drawing}</span> : null}
        <KeyCap action={`section.${id}`} />
      </Link>
    </Tooltip>
  );
}

function useMarks(): Partial<Record<SectionId, Mark>> {
  const live = useLive();
  const pending = useAppState()?.pending ?? 0;
  const marks: Partial<Record<SectionId, Mark>> = {};
  if (pending > 0) {
    marks.trust = {
      words: t("shell.status.review", { count: pending }),
      drawing: <b className="count warn">{pending}</b>,
    };
  }
  if (live) {
    marks.history = {
      words: t("shell.nav.live"),
      drawing: (
        <b className="live">
          <i />
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
    <nav className="nav" aria-label={t("shell.nav.label")} data-region tabIndex={-1}>
      <div className="brand">
        <Logo size={20} />
        <span>{t("app")}</span>
      </div>
      <ProjectSwitcher />
      <button type="button" className="find" onClick={onFind}>
        <Icon of={Search} size={14} />
        <span>{t("shell.find")}</span>
        <KeyCap action="palette.open" />
      </button>
      <div className="nav-list">{links("list")}</div>
      <div className="nav-foot">{links("foot")}</div>
    </nav>
  );
}
