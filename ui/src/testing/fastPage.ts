/**
 * Two things that tests ask jsdom for all the time, answered as jsdom answers them, but faster.
 *
 * Whether an element is shown: jsdom makes the whole style of an element each time, colours included, which takes
 * milliseconds, and a query by role asks for every element of the page and all that contain it. Here the few properties
 * that decide about it are looked up alone, by jsdom's rules; jsdom is asked for every other one.
 *
 * The first element of a selector: jsdom walks through the page for one, and compiles the selector for all of them.
 */

/** Each with what it is where nothing says so; `null` where an element that contains it decides. */
export const LOOKED_UP = new Map<string, { inherited: boolean; initial: string }>([
  ["display", { inherited: false, initial: "inline" }],
  ["visibility", { inherited: true, initial: "visible" }],
  ["pointer-events", { inherited: true, initial: "auto" }],
  ["opacity", { inherited: false, initial: "" }],
]);
/** What of an element decides, apart from its name, about what jsdom's own style sheet says of these. */
const DECIDING = ["hidden", "open", "popover", "type"];
/** Values that say where to look instead. */
const ELSEWHERE = new Set(["inherit", "initial", "unset", "revert", "revert-layer"]);

type Rule = Pick<CSSStyleRule, "selectorText" | "style">;

/** As jsdom makes it. */
export const wholeStyle = window.getComputedStyle.bind(window);
/** A page without any style sheet but jsdom's. */
const blank = document.implementation.createHTMLDocument();
const ownStyles = new Map<string, CSSStyleDeclaration>();
const rulesOf = new WeakMap<CSSStyleSheet, { count: number; rules: Rule[] }>();

/** What jsdom's own style sheet says of such an element. */
function ownStyle(element: Element): CSSStyleDeclaration {
  const attributes = DECIDING.map((name) => element.getAttribute(name));
  const key = JSON.stringify([element.namespaceURI, element.localName, ...attributes]);
  let style = ownStyles.get(key);
  if (style === undefined) {
    const alike = blank.createElementNS(element.namespaceURI, element.localName);
    for (const [index, value] of attributes.entries())
      if (value !== null) alike.setAttribute(DECIDING[index] ?? "", value);
    style = wholeStyle(alike);
    ownStyles.set(key, style);
  }
  return style;
}

/** The rules of a style sheet that say something of these properties. Libraries add rules to theirs later. */
function decidingRules(sheet: CSSStyleSheet): Rule[] {
  const known = rulesOf.get(sheet);
  if (known?.count === sheet.cssRules.length) return known.rules;
  const rules = ([...sheet.cssRules] as CSSStyleRule[]).filter(
    ({ selectorText, style }) =>
      selectorText !== undefined && [...LOOKED_UP.keys()].some((name) => style.getPropertyValue(name) !== ""),
  );
  rulesOf.set(sheet, { count: sheet.cssRules.length, rules });
  return rules;
}

function matches(element: Element, selector: string): boolean {
  try {
    return element.matches(selector);
  } catch {
    return false;
  }
}

/** As in jsdom, the last rule decides, and the element's own style after all. */
function lookUp(element: Element, property: string): string {
  const { inherited, initial } = LOOKED_UP.get(property) as { inherited: boolean; initial: string };
  let value = (element as HTMLElement).style?.getPropertyValue(property) ?? "";
  if (value === "") {
    for (const sheet of element.ownerDocument.styleSheets)
      for (const { selectorText, style } of decidingRules(sheet)) {
        const said = style.getPropertyValue(property);
        if (said !== "" && matches(element, selectorText)) value = said;
      }
  }
  if (value === "") {
    const own = ownStyle(element).getPropertyValue(property);
    if (!inherited || own !== initial) return own;
  }
  if (ELSEWHERE.has(value)) return wholeStyle(element).getPropertyValue(property);
  if (value !== "") return value;
  return element.parentElement === null ? initial : lookUp(element.parentElement, property);
}

function querySelector(this: ParentNode, selector: string): Element | null {
  return this.querySelectorAll(selector)[0] ?? null;
}

/** Puts these answers in the place of jsdom's. */
export function askFaster(): void {
  for (const { prototype } of [Document, DocumentFragment, Element])
    prototype.querySelector = querySelector as typeof prototype.querySelector;
  window.getComputedStyle = (element, pseudo) => {
    if (pseudo) return wholeStyle(element, pseudo);
    let whole: CSSStyleDeclaration | undefined;
    const get = (name: string): string => {
      if (LOOKED_UP.has(name)) return lookUp(element, name);
      whole ??= wholeStyle(element);
      return whole.getPropertyValue(name);
    };
    return new Proxy({} as CSSStyleDeclaration, {
      get: (_, key) => {
        if (key === "getPropertyValue") return get;
        if (key === "pointerEvents") return get("pointer-events");
        if (typeof key === "string" && LOOKED_UP.has(key)) return get(key);
        whole ??= wholeStyle(element);
        const value: unknown = Reflect.get(whole, key);
        return typeof value === "function" ? value.bind(whole) : value;
      },
    });
  };
}
