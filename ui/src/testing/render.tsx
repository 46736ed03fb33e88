import { render } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { onTestFinished } from "vitest";
import { App } from "@/app";
import { usePlaces } from "@/domain/places";
import { forgetRuns } from "@/domain/running/runs";
import { clearMarks } from "@/domain/trace/marks";
import { useListPlace } from "@/features/history/place";
import { createQueryClient, type Push } from "@/ipc";
import { replaceTransport } from "@/ipc/transport";
import { useView } from "@/lib/view";
import { clearLiveRows } from "@/live/rows";
import { createAppRouter } from "@/routes";
import { type FakeEngine, fakeEngine, type Script } from "./fakeEngine";
import { sampleReplies } from "./sampleData";

/** The whole interface at an address, over the invented project with some answers changed. */
export function renderApp(
  address: string,
  changes: Script = {},
  options: { window?: boolean; pushes?: readonly Push[] } = {},
): { engine: FakeEngine; user: ReturnType<typeof userEvent.setup> } {
  window.location.hash = address;
  useView.setState({ project: null, hidden: {}, splits: {}, theme: "system", language: null, drafts: {} });
  clearLiveRows();
  clearMarks();
  forgetRuns();
  usePlaces.setState({ places: {} });
  useListPlace.setState({ key: "", stopped: false, pausedAt: null, offset: 0 });
  const engine = fakeEngine({ ...sampleReplies(), ...changes }, options);
  replaceTransport(engine);
  const user = userEvent.setup();
  const router = createAppRouter();
  onTestFinished(() => router.history.destroy());
  render(<App client={createQueryClient()} router={router} />);
  return { engine, user };
}

/** The parameters of every call of one method so far. */
export function callsOf(engine: FakeEngine, method: string): unknown[] {
  return engine.calls.filter((call) => call.method === method).map((call) => call.params);
}
