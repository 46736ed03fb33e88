import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode, useState } from "react";
import { TooltipProvider } from "@/components";
import { createQueryClient } from "./ipc";
import { makeRouter } from "./routes";

const TIP_DELAY_MS = 500;

export function App() {
  const [client] = useState(createQueryClient);
  const [router] = useState(makeRouter);
  return (
    <StrictMode>
      <QueryClientProvider client={client}>
        <TooltipProvider delayDuration={TIP_DELAY_MS} skipDelayDuration={100}>
          <RouterProvider router={router} />
        </TooltipProvider>
      </QueryClientProvider>
    </StrictMode>
  );
}
