import { act, renderHook } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { type FireSearch, fireSearch } from "@/routes/search";
import { placeIn, useKeepPlace, usePlaces } from "./places";

beforeEach(() => act(() => usePlaces.setState({ places: {} })));

interface Props {
  project: string;
  address: FireSearch;
  place: FireSearch | null;
}

const keep = (first: Props) =>
  renderHook(
    ({ project, address, place }: Props) => useKeepPlace(project, "/fire", fireSearch({ ...address }), place),
    {
      initialProps: first,
    },
  );
const at = (event: string): FireSearch => ({ event });

describe("the place on a screen", () => {
  it("is what was chosen last, each project with its own", () => {
    const { rerender } = keep({ project: "/a", address: {}, place: at("start") });
    rerender({ project: "/a", address: at("stop"), place: at("stop") });
    expect(placeIn("/a", "/fire")).toEqual(at("stop"));
    expect(placeIn("/b", "/fire")).toBeUndefined();
    expect(placeIn("/a", "/simulator")).toBeUndefined();
  });

  it("is not known before the project and the choice are", () => {
    const { rerender } = keep({ project: "", address: at("stop"), place: null });
    rerender({ project: "", address: at("stop"), place: at("stop") });
    expect(usePlaces.getState().places).toEqual({});
    rerender({ project: "/a", address: at("stop"), place: at("stop") });
    expect(placeIn("/a", "/fire")).toEqual(at("stop"));
  });

  it("of another project is not what the address said for this one", () => {
    const { rerender } = keep({ project: "/a", address: at("stop"), place: at("stop") });
    rerender({ project: "/b", address: at("stop"), place: at("stop") });
    expect(placeIn("/b", "/fire")).toBeUndefined();
    rerender({ project: "/b", address: at("start"), place: at("start") });
    expect(placeIn("/b", "/fire")).toEqual(at("start"));
  });
});
