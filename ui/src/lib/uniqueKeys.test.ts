import { expect, it } from "vitest";
import { uniqueKeys } from "./uniqueKeys";

it("numbers a name that comes again, and no other", () => {
  expect(uniqueKeys(["a", "b", "a", "a"])).toEqual(["a", "b", "a 2", "a 3"]);
});
