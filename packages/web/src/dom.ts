import type { Language, Theme } from "./app/chosen.ts";

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

/** Puts other words in the place of those the page came with: of texts by `data-text`, of labels that are only heard by `data-label`. */
export function reword(words: Readonly<Record<string, string>>): void {
  for (const element of document.querySelectorAll<HTMLElement>("[data-text], [data-label]")) {
    const { text, label } = element.dataset;
    if (text !== undefined) element.textContent = words[text] ?? element.textContent;
    if (label !== undefined) element.ariaLabel = words[label] ?? element.ariaLabel;
  }
}

/** A text with a node where its `{}` is. */
export function around(text: string, node: Node): (Node | string)[] {
  const [before = "", after = ""] = text.split("{}");
  return [before, node, after];
}

/** A name others chose: kept apart, so that its script's direction turns nothing around. */
export function nameOf(name: string): HTMLElement {
  return make("bdi", "name", name);
}

/** Tells the page's styles and who reads it aloud. */
export function showChosen(theme: Theme, language: Language): void {
  const root = document.documentElement;
  root.dataset.theme = theme;
  root.lang = language === "zh" ? "zh-Hans" : language;
}
