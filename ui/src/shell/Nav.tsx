import { Link } from "@tanstack/react-router";
import { Search, ShieldQuestionMark } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon, KeyCap, Logo, Tooltip } from "@/components";
import { useAppState } from "@/domain/project";
import { useLiveRows } from "@/live/rows";
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

function SectionLink({ id, mark }: { id: SectionId; mark: ReactNode }) {
  const { t } = useTranslation();
  const { route, label, icon } = SECTIONS[id];
  const name = t(label);
  return (
    <Tooltip text={name} action={`section.${id}`} side="right">
      <Link to={route} className="nav-item" activeProps={{ className: "on", "aria-current": "page" }} aria-label={name}>
        <Icon of={icon} size={16} />
        <span>{name}</span>
        {mark}
        <KeyCap action={`section.${id}`} />
      </Link>
    </Tooltip>
  );
}

/** What a section's entry says besides its name. */
function useMarks(): Partial<Record<SectionId, ReactNode>> {
  const { t } = useTranslation();
  const live = useLive();
  const pending = useAppState()?.pending ?? 0;
  return {
    hooks:
      pending > 0 ? (
        <b className="count warn" title={t("shell.status.review", { count: pending })}>
          <Icon of={ShieldQuestionMark} size={12} />
          {pending}
        </b>
      ) : null,
    history: live ? (
      <b className="live" role="img" aria-label={t("shell.nav.live")}>
        <i />
      </b>
    ) : null,
  };
}

export function Nav({ onFind }: { onFind: () => void }) {
  const { t } = useTranslation();
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
      <button type="button" className="find" onClick={onFind} aria-label={t("shell.find")}>
        <Icon of={Search} size={14} />
        <span>{t("shell.find")}</span>
        <KeyCap action="palette.open" />
      </button>
      <div className="nav-list">{links("list")}</div>
      <div className="nav-foot">{links("foot")}</div>
    </nav>
  );
}
