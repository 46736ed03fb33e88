import { describe, expect, it } from "vitest";
import type { EventInfo } from "@/ipc";
import { EVENTS } from "@/testing/sampleData";
import { wrongTypes } from "./wrongTypes";

const TOOL = EVENTS.find((event) => event.name === "pre_tool_execution");
const typesOf = (text: string, event: EventInfo | undefined = TOOL) => wrongTypes(JSON.parse(text), text, event);

describe("the types of a payload", () => {
  it("are those that agents send, or the field is named with its line", () => {
    expect(typesOf('{\n  "cwd": 1,\n  "tool_name": 5\n}')).toEqual([
      { field: "tool_name", is: "number", wanted: "text", line: 3 },
    ]);
    expect(typesOf('{"tool_name": "Bash", "tool_arguments": {"a": 1}}')).toEqual([
      { field: "tool_arguments", is: "object", wanted: "text", line: null },
    ]);
  });

  it("are a list for messages, and anything where the event does not say", () => {
    const start = EVENTS.find((event) => event.name === "session_start");
    expect(typesOf('{"messages": [], "other": 5}', start)).toEqual([]);
    expect(typesOf('{"messages": "hi"}', start)).toMatchObject([{ is: "text", wanted: "messages" }]);
  });

  it("do not count where a field has no value, and where nothing is known of the event", () => {
    expect(typesOf('{"tool_name": null}')).toEqual([]);
    expect(wrongTypes({ tool_name: 5 }, "{}", undefined)).toEqual([]);
  });
});
