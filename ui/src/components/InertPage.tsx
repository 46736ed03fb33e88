/** Drawn within a list that is open over the page: keeps the focus out of the page. */
import { useEffect } from "react";

/**
 * Radix hides the page behind an open menu or list box from screen readers, with this mark, and leaves what can have the
 * focus there as it is.
 */
const HIDDEN_PAGE = '[data-aria-hidden="true"]';

export function InertPage() {
  useEffect(() => {
    const hidden: Element[] = [];
    const begin = () => {
      hidden.push(...document.querySelectorAll(`${HIDDEN_PAGE}:not([inert])`));
      for (const element of hidden) element.setAttribute("inert", "");
    };
    // The marks are set by an effect of an element around this one, so after this effect.
    const wait = new MutationObserver(() => {
      wait.disconnect();
      begin();
    });
    wait.observe(document.body, { attributes: true, attributeFilter: ["data-aria-hidden"], subtree: true });
    return () => {
      wait.disconnect();
      for (const element of hidden) element.removeAttribute("inert");
    };
  }, []);
  return null;
}
