import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode, useState } from "react";
import { TipProvider } from "@/components";
import { createQueryClient } from "@/ipc";
import { makeRouter } from "@/routes";

const TIP_DELAY_MS = 500;

export function App() {
  const [client] = useState(createQueryClient);
  const [router] = useState(makeRouter);
  return (
    <StrictMode>
      <QueryClientProvider client={client}>
        <TipProvider delayDuration={TIP_DELAY_MS} skipDelayDuration={100}>
          <RouterProvider router={router} />
        </TipProvider>
      </QueryClientProvider>
    </StrictMode>
  );
}
