import { expect, it } from "vitest";
import { LOOKED_UP, wholeStyle } from "./fastPage";

const SHEET = `
  .gone { display: none } .seen { display: block; opacity: 0.5 } .gone.back { display: inherit }
  .veiled { visibility: hidden } .veiled .shown { visibility: visible } .deaf > b { pointer-events: none }
  @media print { b { display: none } }
`;
const PAGE = `
  <div class="gone"><p>a</p></div> <div class="seen gone back" style="pointer-events: none"><a href="#">b</a></div>
  <div class="veiled"><i>c</i><i class="shown">d</i></div> <div class="deaf"><b>e</b><b style="opacity: 0">f</b></div>
  <p hidden>g</p> <span style="display: none">h</span> <dialog>i</dialog> <dialog open>j</dialog>
  <input type="hidden"><input> <table><tbody><tr hidden><td>k</td></tr></tbody></table> <ul><li>l</li></ul>
  <div popover>m</div> <button>n</button> <svg><title>o</title><g><path></path></g></svg> <script>1</script>
`;

function differences(): string[] {
  return [...document.querySelectorAll("*")].flatMap((element) => {
    const [fast, whole] = [window.getComputedStyle(element), wholeStyle(element)];
    return [...LOOKED_UP.keys()].flatMap((name) => {
      const [one, other] = [fast.getPropertyValue(name), whole.getPropertyValue(name)];
      return one === other ? [] : [`${element.outerHTML.slice(0, 60)}: ${name} is ${other}, not ${one}`];
    });
  });
}

it("whether an element is shown is what jsdom says", () => {
  const sheet = document.createElement("style");
  sheet.textContent = SHEET;
  const page = document.createElement("main");
  page.innerHTML = PAGE;
  document.body.append(sheet, page);
  expect(differences()).toEqual([]);
  const byClass = (name: string) => page.getElementsByClassName(name)[0] as Element;
  expect(window.getComputedStyle(byClass("gone")).display).toBe("none");
  expect(window.getComputedStyle(byClass("veiled")).visibility).toBe("hidden");
  expect(page.querySelector("b")).toBe(page.getElementsByTagName("b")[0]);
  expect(page.querySelector("nothing")).toBeNull();
  for (const added of [sheet, page]) added.remove();
});
