/** Returns the element with this id. Throws if there is none: claim.html and the code must agree. */
export function byId<E extends HTMLElement>(id: string, type: new () => E): E {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`The page has no ${type.name} #${id}.`);
  return found;
}

/** Creates an element. Strings become text nodes, never markup. */
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

/** Translates the static page: texts by `data-text`, labels for screen readers by `data-label`. */
export function translatePage(words: Readonly<Record<string, string>>): void {
  for (const element of document.querySelectorAll<HTMLElement>("[data-text], [data-label]")) {
    const { text, label } = element.dataset;
    if (text !== undefined) element.textContent = words[text] ?? element.textContent;
    if (label !== undefined) element.ariaLabel = words[label] ?? element.ariaLabel;
  }
}

/** Returns the text with a node in place of its `{}`. */
export function around(text: string, node: Node): (Node | string)[] {
  const [before = "", after = ""] = text.split("{}");
  return [before, node, after];
}

/** Returns an element for a name chosen by a user, isolated so that its script's direction does not affect the text around it. */
export function nameOf(name: string): HTMLElement {
  return make("bdi", "name", name);
}
