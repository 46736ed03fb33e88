import { percent, type Tick } from "./scale";

interface AxisProps<V> {
  ticks: readonly Tick<V>[];
  text: (value: V) => string;
}

/** The words of an axis below or above a chart. Those at the ends stay inside it. */
export function Axis<V extends number>({ ticks, text }: AxisProps<V>) {
  return (
    <div className="axis" aria-hidden="true">
      {ticks.map(({ value, at }) => (
        <span
          key={value}
          className={at < 0.02 ? "axis-tick first" : at > 0.94 ? "axis-tick last" : "axis-tick"}
          style={{ left: percent(at) }}
        >
          {text(value)}
        </span>
      ))}
    </div>
  );
}

/** The lines of an axis through a chart. */
export function AxisLines<V extends number>({ ticks }: { ticks: readonly Tick<V>[] }) {
  return ticks.map(({ value, at }) => (
    <line key={value} x1={percent(at)} x2={percent(at)} y1="0" y2="100%" className="axis-line" />
  ));
}
