export { call } from "./call";
export { asFault, Fault } from "./fault";
export { onPromptAnswer } from "./promptAnswers";
export { listenToPushes } from "./pushes";
export { createQueryClient, invalidate, prefetch, queryKey, useCall, useCommand } from "./queries";
export { onQuitRequest, quit, tellUnsaved } from "./quitting";
export { inWindow, transport } from "./transport";
export type * from "./types";
