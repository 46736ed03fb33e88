import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode, useState } from "react";
import { TooltipHost } from "@/components";
import { createQueryClient } from "./ipc";
import { makeRouter } from "./routes";

export function App() {
  const [client] = useState(createQueryClient);
  const [router] = useState(makeRouter);
  return (
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
        <TooltipHost />
      </QueryClientProvider>
    </StrictMode>
  );
}
