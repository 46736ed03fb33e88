import { act, render, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import {
  addressOf,
  getRouteApi,
  Link,
  navigate,
  Outlet,
  readAddress,
  type Screens,
  startRouter,
  useBlocker,
  usePath,
} from "./router";

const hooks = getRouteApi("/hooks");

function HooksScreen() {
  const { q = "all", problem } = hooks.useSearch();
  if (q === "broken") throw new Error("a fault in the screen");
  return <p>{`Hooks ${q} ${problem ?? ""}`}</p>;
}

function Failed({ error }: { error: unknown }) {
  return <p>{`Failed: ${(error as Error).message}`}</p>;
}

function Path() {
  return <b>{usePath()}</b>;
}

const never = () => new Promise<never>(() => undefined);
const SCREENS: Screens = {
  "/overview": never,
  "/hooks": async () => HooksScreen,
  "/fire": never,
  "/history": async () => () => <p>History</p>,
  "/history/explain": () => Promise.reject(new Error("not loaded")),
  "/metrics": never,
  "/agents": never,
  "/trust": never,
  "/simulator": never,
  "/settings": never,
};

function start(address: string): void {
  window.location.hash = address;
  startRouter(SCREENS, "/hooks");
  render(
    <>
      <Path />
      <Outlet fallback={Failed} />
    </>,
  );
}

describe("an address", () => {
  it("gives back what was written into it", () => {
    const search = {
      q: "event:stop a&b=c",
      hook: "jcli:project:stop:0",
      problem: '["x","/a b",3,null] 2',
      node: "12",
      view: "list" as const,
    };
    expect(readAddress(addressOf({ to: "/hooks", search }))).toEqual({
      path: "/hooks",
      search: expect.objectContaining(search),
    });
  });

  it("leaves out what is not set, and is short where nothing is", () => {
    expect(addressOf({ to: "/fire", search: { event: "stop", trace: undefined } })).toBe("#/fire?event=stop");
    expect(addressOf({ to: "/settings" })).toBe("#/settings");
  });

  it("of an unknown screen, or of a name that every object has, is none", () => {
    expect(["", "#/", "#/nothing", "#constructor", "#/hooks/more"].map(readAddress)).toEqual(Array(5).fill(null));
  });
});

describe("a screen", () => {
  beforeEach(() => {
    window.history.replaceState(null, "", "#");
  });

  it("is shown with its parameters, which change without a step back where one says so", async () => {
    start("#/hooks?q=guard");
    expect(await screen.findByText("Hooks guard")).toBeInTheDocument();
    const steps = window.history.length;
    act(() => hooks.useNavigate()({ search: (now) => ({ ...now, problem: "2" }), replace: true }));
    expect(screen.getByText("Hooks guard 2")).toBeInTheDocument();
    expect(window.history.length).toBe(steps);
  });

  it("is the first one where the address is unknown", async () => {
    start("#/no-such-screen");
    expect(await screen.findByText("Hooks all")).toBeInTheDocument();
    expect(window.location.hash).toBe("#/hooks");
  });

  it("stays until the next one is loaded", async () => {
    start("#/history");
    expect(await screen.findByText("History")).toBeInTheDocument();
    act(() => navigate({ to: "/fire" }));
    expect(screen.getByText("History")).toBeInTheDocument();
    expect(screen.getByText("/history")).toBeInTheDocument();
  });

  it("that cannot be loaded, or throws, says why until another address is opened", async () => {
    start("#/history/explain");
    expect(await screen.findByText("Failed: not loaded")).toBeInTheDocument();
    act(() => navigate({ to: "/hooks", search: { q: "broken" } }));
    expect(await screen.findByText("Failed: a fault in the screen")).toBeInTheDocument();
    act(() => navigate({ to: "/hooks", search: { q: "guard" } }));
    expect(screen.getByText("Hooks guard")).toBeInTheDocument();
  });
});

describe("something that is not saved", () => {
  function Unsaved() {
    const asked = useBlocker({ shouldBlockFn: ({ next }) => next.pathname !== "/hooks" });
    if (asked.status === "idle") return null;
    return (
      <>
        <button type="button" onClick={asked.reset}>
          Stay
        </button>
        <button type="button" onClick={asked.proceed}>
          Leave
        </button>
      </>
    );
  }

  it("is asked about before another screen is opened, and left when one says so", async () => {
    start("#/hooks?q=guard");
    await screen.findByText("Hooks guard");
    const { unmount } = render(<Unsaved />);
    act(() => navigate({ to: "/hooks", search: { q: "other" } }));
    expect(screen.getByText("Hooks other")).toBeInTheDocument();
    act(() => navigate({ to: "/history" }));
    expect(window.location.hash).toBe("#/hooks?q=other");
    act(() => screen.getByRole("button", { name: "Stay" }).click());
    expect(screen.queryByRole("button")).not.toBeInTheDocument();
    act(() => navigate({ to: "/history" }));
    act(() => screen.getByRole("button", { name: "Leave" }).click());
    expect(await screen.findByText("History")).toBeInTheDocument();
    unmount();
  });

  it("keeps its address when one goes back from it", async () => {
    start("#/history");
    await screen.findByText("History");
    act(() => navigate({ to: "/hooks", search: { q: "guard" } }));
    const { unmount } = render(<Unsaved />);
    act(() => {
      window.history.replaceState(null, "", "#/history");
      window.dispatchEvent(new PopStateEvent("popstate"));
    });
    expect(screen.getByRole("button", { name: "Stay" })).toBeInTheDocument();
    expect(window.location.hash).toBe("#/hooks?q=guard");
    unmount();
  });
});

describe("a link", () => {
  it("is an address that the browser follows", () => {
    render(
      <Link to="/history" search={{ trace: "01A" }} className="link">
        Show in History
      </Link>,
    );
    expect(screen.getByRole("link", { name: "Show in History" })).toHaveAttribute("href", "#/history?trace=01A");
  });
});
