/** The element of the page with this id. Throws when the page has none: page.html and the code must agree. */
export function byId<E extends HTMLElement>(id: string, type: new () => E): E {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`The page has no ${type.name} #${id}.`);
  return found;
}

/** Makes an element. Strings become text nodes, so nothing in them is ever markup. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (className !== "") element.className = className;
  element.append(...children);
  return element;
}

/** A name others chose: kept apart, so that its script's direction turns nothing around. */
export function nameOf(name: string): HTMLElement {
  return make("bdi", "name", name);
}
