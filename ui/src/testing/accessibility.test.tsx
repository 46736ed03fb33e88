/**
 * What a screen reader and a keyboard need of every screen and state: names, headings, ids that resolve. Contrast and layout
 * need a browser, and are looked at there.
 */
import { act, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { useNewHook } from "@/domain/newHook/newHook";
import { showLanguage } from "@/i18n";
import { callsOf, renderApp } from "@/testing/render";
import { EDIT, FIRE, STATES } from "@/testing/stories/states";
import { PUSHES, STORIES } from "@/testing/stories/stories";

const NAMED = [
  "button, a[href], input, select, textarea",
  '[role="switch"], [role="tab"], [role="option"], [role="menuitem"], [role="treeitem"], [role="separator"][tabindex]',
  'table, [role="grid"], [role="dialog"], [role="alertdialog"], [role="tree"], [role="listbox"], [role="img"]',
  "nav, [data-region]",
].join(", ");
const INTERACTIVE = 'button, a[href], input, select, textarea, [role="switch"], [role="menuitem"]';
const REFERENCES = ["aria-labelledby", "aria-describedby", "aria-controls", "aria-activedescendant", "for"];

/** The start of its markup, which finds an element in the sources. */
const nameOf = (element: Element) => element.outerHTML.split(">")[0] ?? "";

const HIDDEN = '[aria-hidden="true"], [hidden]';

const NAMED_BY_CONTENT = 'button, a, [role="tab"], [role="option"], [role="menuitem"], [role="treeitem"]';

/** What gives most elements their name is cheap to see; the whole rule is asked for the rest. */
function hasName(element: Element): boolean {
  if (element.getAttribute("aria-label")?.trim()) return true;
  if (element.matches(NAMED_BY_CONTENT)) {
    const copy = element.cloneNode(true) as Element;
    for (const hidden of copy.querySelectorAll('[aria-hidden="true"]')) hidden.remove();
    if (copy.textContent?.trim()) return true;
  }
  try {
    expect(element).toHaveAccessibleName();
    return true;
  } catch {
    return false;
  }
}

function faultsOf(page: ParentNode): string[] {
  const all = [...page.querySelectorAll("*")];
  // To ask each element whether one of its ancestors matches costs much more than to go down with the answer.
  const hidden = new Set(page.querySelectorAll(HIDDEN));
  const controls = new Set(page.querySelectorAll(INTERACTIVE));
  const named = new Set(page.querySelectorAll(NAMED));
  const withinControl = new Set<Element>();
  const faults: string[] = [];
  const ids = all.flatMap(({ id }) => (id === "" ? [] : [id]));
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) faults.push(`two elements have the id ${id}`);
  const regions = [...page.querySelectorAll("[data-region]")].map((region) => region.getAttribute("aria-label") ?? "");
  for (const region of regions)
    if (regions.indexOf(region) !== regions.lastIndexOf(region)) faults.push(`two regions are called ${region}`);
  for (const element of all) {
    const parent = element.parentElement;
    if (parent !== null && hidden.has(parent)) hidden.add(element);
    if (parent !== null && (controls.has(parent) || withinControl.has(parent))) withinControl.add(element);
    for (const attribute of REFERENCES) {
      for (const id of element.getAttribute(attribute)?.split(" ") ?? []) {
        // A tab that is not chosen names the panel that it would show.
        if (!ids.includes(id) && attribute !== "aria-controls")
          faults.push(`${attribute} names no element: ${nameOf(element)}`);
      }
    }
    if (Number(element.getAttribute("tabindex")) > 0) faults.push(`tabindex above 0: ${nameOf(element)}`);
    if (hidden.has(element)) continue;
    if (controls.has(element) && withinControl.has(element))
      faults.push(`one control within another: ${nameOf(element)}`);
    if (named.has(element) && !hasName(element)) faults.push(`no name: ${nameOf(element)}`);
  }
  const levels = [...page.querySelectorAll("h1, h2, h3, h4")].filter(
    (heading) => heading.closest('[role="dialog"]') === null,
  );
  const first = levels.filter((heading) => heading.tagName === "H1").length;
  if (first !== 1) faults.push(`${first} headings of level 1`);
  return [...new Set(faults)];
}

/** `Control+k` as user-event writes it. */
function typed(key: string): string {
  const [last, ...held] = key.split("+").reverse();
  const press = last?.length === 1 ? last : `{${last}}`;
  return held.reduce((inner, one) => `{${one}>}${inner}{/${one}}`, press);
}

/** Waits for all that is loaded on demand, and for nothing where there is nothing to wait for. */
async function expectNoFaults(): Promise<void> {
  await waitFor(() => expect(document.querySelector(".skeleton, .spinner")).toBeNull());
  await waitFor(() => expect(faultsOf(document)).toEqual([]), { timeout: 2000 });
}

afterEach(() => {
  useNewHook.setState({ wanted: null });
  return act(() => showLanguage("en"));
});

describe("names, headings and references are right in both languages", () => {
  it.each(STATES)("%s %s %s", async (story, address, key) => {
    const { engine, user } = renderApp(address, STORIES[story], { pushes: PUSHES[story] });
    await waitFor(() => expect(document.querySelector("h1, [role=alert]")).not.toBeNull());
    // An address that no screen has leads to another one.
    expect(window.location.hash.split("?")[0]).toBe(address.split("?")[0]);
    if (key === FIRE && address.startsWith("#/simulator")) {
      await user.keyboard(typed(key));
      await waitFor(() => expect(callsOf(engine, "simulate")).toHaveLength(1));
    } else if (key === FIRE) {
      await screen.findByRole("tree");
      await user.keyboard(typed(key));
      await waitFor(() => expect([...callsOf(engine, "fire"), ...callsOf(engine, "agents.fire")]).toHaveLength(1));
    } else if (key === EDIT) {
      await screen.findByRole("button", { name: /^Edit/ });
      await user.keyboard(typed(key));
      await screen.findByRole("region", { name: /^Form of/ });
    } else if (key !== undefined) {
      await user.keyboard(typed(key));
      await screen.findByRole("dialog");
    }
    await expectNoFaults();
    await act(() => showLanguage("zh-CN"));
    await expectNoFaults();
  });
});
