/** Whose figures are shown, and of which time. */
import { ArrowLeftRight, CableIcon, FolderClosed } from "lucide-react";
import { Segmented, Select } from "@/components";
import { t } from "@/i18n";
import { oneLine } from "@/lib/escape";
import { useMedia } from "@/lib/media";
import { METRICS_RANGES, type MetricsRange, type MetricsSearch } from "@/routes/search";
import { DEFAULT_RANGE, unitOf } from "./range";
import type { Series } from "./series";

const WIDE = "(min-width: 1120px)";
const ALL = "all";
const HERE = "here";

interface FiltersProps {
  search: MetricsSearch;
  /** Agents and sessions of the range; undefined until they are known. */
  series: Series | undefined;
  /** Whether a project is open. */
  hasProject: boolean;
  onChange: (part: Partial<MetricsSearch>) => void;
}

export function Filters({ search, series, hasProject, onChange }: FiltersProps) {
  const isWide = useMedia(WIDE);
  const range = search.range ?? DEFAULT_RANGE;
  const name = (one: MetricsRange) => {
    const { unit, count } = unitOf(one);
    return t(`metrics.range.${unit}`, { count });
  };
  const onRange = (next: MetricsRange) => onChange({ range: next === DEFAULT_RANGE ? undefined : next });
  return (
    <div className="row [&>.select]:flex-none [&>.select]:w-auto [&>.select]:max-w-50 [&>.select>span]:flex-auto">
      {hasProject ? (
        <Select
          label={t("metrics.filter.project")}
          icon={FolderClosed}
          options={[
            { value: HERE, label: t("metrics.filter.thisProject") },
            { value: ALL, label: t("metrics.filter.allProjects") },
          ]}
          value={search.projects === undefined ? HERE : ALL}
          onChange={(next) => onChange({ projects: next === ALL ? ALL : undefined })}
        />
      ) : null}
      <WhoSelect search={search} series={series} onChange={onChange} />
      <Select
        label={t("metrics.compare.label")}
        icon={ArrowLeftRight}
        options={[
          { value: "before", label: t("metrics.compare.with", { range: name(range) }) },
          { value: "none", label: t("metrics.compare.none") },
        ]}
        value={search.compare ?? "before"}
        onChange={(next) => onChange({ compare: next === "none" ? "none" : undefined })}
      />
      {isWide ? (
        <Segmented
          label={t("metrics.range.label")}
          items={METRICS_RANGES.map((one) => ({ value: one, label: name(one) }))}
          value={range}
          onChange={onRange}
        />
      ) : (
        <Select
          label={t("metrics.range.label")}
          options={METRICS_RANGES.map((one) => ({ value: one, label: name(one) }))}
          value={range}
          onChange={onRange}
        />
      )}
    </div>
  );
}

/** The value of a choice: what it names, after its kind. */
function choiceOf(search: MetricsSearch): string {
  if (search.session !== undefined) return `session:${search.session}`;
  return search.agent === undefined ? ALL : `agent:${search.agent}`;
}

function WhoSelect({ search, series, onChange }: Pick<FiltersProps, "search" | "series" | "onChange">) {
  const chosen = choiceOf(search);
  const agents = series?.agents ?? [];
  const sessions = series?.sessions ?? [];
  const options = [
    { value: ALL, label: t("metrics.filter.allAgents") },
    ...agents.map((agent) => ({ value: `agent:${agent}`, label: oneLine(agent, 32) })),
    ...sessions.map(({ session, agent }) => ({
      value: `session:${session}`,
      label: t("metrics.filter.session", { session: oneLine(session, 12) }),
      about: agent === null ? undefined : oneLine(agent, 24),
    })),
  ];
  // What the address names stays a choice after its last event left the range.
  if (!options.some((option) => option.value === chosen)) {
    const kind = search.session === undefined ? "agent" : "session";
    options.push({ value: chosen, label: oneLine(chosen.slice(kind.length + 1), 32) });
  }
  if (options.length === 1) return null;
  return (
    <Select
      label={t("metrics.filter.who")}
      icon={CableIcon}
      options={options}
      value={chosen}
      onChange={(next) =>
        onChange({
          agent: next.startsWith("agent:") ? next.slice("agent:".length) : undefined,
          session: next.startsWith("session:") ? next.slice("session:".length) : undefined,
        })
      }
    />
  );
}
