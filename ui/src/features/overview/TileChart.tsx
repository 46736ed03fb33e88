/** What a tile draws beside its number; loaded after the numbers are on show. */
import { Budget, Sparkline } from "@/components/chart";
import { t } from "@/i18n";
import { time } from "@/i18n/format";
import type { Bar } from "@/ipc";

const WIDTH = 56;
const HEIGHT = 20;

export interface LineOf {
  kind: "line";
  buckets: readonly Bar[];
  values: readonly number[];
  summary: string;
  head: string;
}

export interface BudgetOf {
  kind: "budget";
  label: string;
  used: number;
  p50: number;
  limit: number;
}

export default function TileChart({ of }: { of: LineOf | BudgetOf }) {
  if (of.kind === "budget") return <Budget label={of.label} used={of.used} p50={of.p50} limit={of.limit} text="" />;
  const rows = of.buckets.map((bar, index) => [time(bar.at), of.values[index] ?? 0]);
  return (
    <Sparkline
      values={of.values}
      width={WIDTH}
      height={HEIGHT}
      summary={of.summary}
      table={{ head: [t("chart.time"), of.head], rows }}
    />
  );
}
