/** Scales and ticks of charts: numbers to places along an axis, from 0 to 1, so that a chart fits whatever room it has. */
import { scaleLinear, scaleLog, scaleTime } from "d3-scale";

export interface Tick<V> {
  value: V;
  /** Place along the axis, 0 to 1. */
  at: number;
}

export interface Scale<V> {
  /** Place along the axis, 0 to 1, never outside. */
  at(value: V): number;
  /** Round values, about as many as wanted. */
  ticks(wanted: number): Tick<V>[];
}

/** From `min` to `max`; a scale without room puts everything at its begin. */
export function linearScale(min: number, max: number): Scale<number> {
  const scale = scaleLinear()
    .domain([min, max > min ? max : min + 1])
    .range([0, 1])
    .clamp(true);
  return {
    at: (value) => scale(value),
    ticks: (wanted) => scale.ticks(wanted).map((value) => ({ value, at: scale(value) })),
  };
}

/** Whole decades around the values; every decade has the same room. Values up to 0 lie at the begin. */
export function logScale(min: number, max: number): Scale<number> {
  const low = 10 ** Math.floor(Math.log10(Math.max(min, Number.MIN_VALUE)));
  const high = Math.max(10 ** Math.ceil(Math.log10(Math.max(max, low))), low * 10);
  const scale = scaleLog().domain([low, high]).range([0, 1]).clamp(true);
  const decades = Math.round(Math.log10(high / low));
  return {
    at: (value) => (value <= 0 ? 0 : scale(value)),
    ticks: (wanted) => {
      const step = Math.max(1, Math.ceil(decades / wanted));
      const powers = Array.from({ length: Math.floor(decades / step) + 1 }, (_, index) => low * 10 ** (index * step));
      return powers.map((value) => ({ value, at: scale(value) }));
    },
  };
}

/** Times as ms since 1970; ticks are round in local time. */
export function timeScale(from: number, to: number): Scale<number> {
  const scale = scaleTime()
    .domain([from, to > from ? to : from + 1])
    .range([0, 1])
    .clamp(true);
  return {
    at: (value) => scale(value),
    ticks: (wanted) => scale.ticks(wanted).map((date) => ({ value: date.getTime(), at: scale(date) })),
  };
}

/** A place along the axis for CSS and SVG. */
export function percent(at: number): string {
  return `${Number((at * 100).toFixed(3))}%`;
}
