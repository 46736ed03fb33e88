import { percent, type Tick } from "./scale";

interface ScaleAxisProps {
  ticks: readonly Tick<number>[];
  text: (value: number) => string;
}

/** The words of the axis at the left of a chart, from the bottom up. */
export function ScaleAxis({ ticks, text }: ScaleAxisProps) {
  return (
    <div className="scale-axis" aria-hidden="true">
      {ticks.map(({ value, at }) => (
        <span key={value} style={{ bottom: percent(at) }}>
          {text(value)}
        </span>
      ))}
    </div>
  );
}

/** The lines of that axis through the chart. */
export function ScaleLines({ ticks }: { ticks: readonly Tick<number>[] }) {
  return ticks.map(({ value, at }) => (
    <line key={value} x1="0" x2="100%" y1={percent(1 - at)} y2={percent(1 - at)} className="axis-line" />
  ));
}
