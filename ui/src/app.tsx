import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type AnyRouter, CatchBoundary, RouterContextProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { TooltipProvider } from "@/components";
import { useTextState } from "./i18n";
import { TextState } from "./lib/memoCache";
import { ErrorScreen } from "./shell/ErrorScreen";
import { Frame } from "./shell/Frame";

/** The window. What the client was asked for already is not asked again. */
export function App({ client, router }: { client: QueryClient; router: AnyRouter }) {
  return (
    <StrictMode>
      <TextState value={useTextState()}>
        <QueryClientProvider client={client}>
          <TooltipProvider>
            <RouterContextProvider router={router}>
              <CatchBoundary getResetKey={() => "window"} errorComponent={ErrorScreen}>
                <Frame />
              </CatchBoundary>
            </RouterContextProvider>
          </TooltipProvider>
        </QueryClientProvider>
      </TextState>
    </StrictMode>
  );
}
