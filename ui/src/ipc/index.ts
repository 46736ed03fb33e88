export { call } from "./call";
export { asFault, Fault } from "./fault";
export { listenToPushes } from "./pushes";
export { createQueryClient, invalidate, prefetch, queryKey, useCall, useCommand } from "./queries";
export { inWindow, transport } from "./transport";
export type * from "./types";
