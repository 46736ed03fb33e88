import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { TooltipProvider } from "@/components";
import { Catch } from "./routes/router";
import { ErrorScreen } from "./shell/ErrorScreen";
import { Frame } from "./shell/Frame";

/** The window. The routes were started before, and what the client was asked for already is not asked again. */
export function App({ client }: { client: QueryClient }) {
  return (
    <StrictMode>
      <QueryClientProvider client={client}>
        <TooltipProvider>
          <Catch fallback={ErrorScreen}>
            <Frame />
          </Catch>
        </TooltipProvider>
      </QueryClientProvider>
    </StrictMode>
  );
}
