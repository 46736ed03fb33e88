import { useCall } from "./queries";
import type { Dialect, EventInfo } from "./types";

const NONE: readonly Dialect[] = [];

/** Every dialect of this build; empty until known. */
export function useDialects(): readonly Dialect[] {
  return useCall("dialects", {}).data?.dialects ?? NONE;
}

/** What the tables say of one event. */
export function useEventInfo(dialect: string | undefined, event: string | undefined): EventInfo | undefined {
  return useDialects()
    .find((one) => one.id === dialect)
    ?.events.find((one) => one.name === event);
}
