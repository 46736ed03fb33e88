export { Axis, AxisLines } from "./Axis";
export { Bars, type Bucket, DID_NOTHING, type Outcomes, runsOf, STACK } from "./Bars";
export { Budget } from "./Budget";
export { ChartTable, type TableData } from "./ChartTable";
export { Line, linePath, type Point } from "./Line";
export { Sparkline } from "./Sparkline";
export { type Lane, Strip } from "./Strip";
export { linearScale, percent, type Scale, type Tick, timeScale } from "./scale";
