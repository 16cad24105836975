import type { ElementContent, RootContent } from "hast";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import markdown from "highlight.js/lib/languages/markdown";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight, type LanguageFn } from "lowlight";
import { createElement, Fragment, memo, type ReactNode, useEffect, useReducer } from "react";
import { type Coloured, Colouring } from "./colour.ts";
import type { Language } from "./languages.ts";

const GRAMMARS: Record<Language, LanguageFn> = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  dockerfile,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  markdown,
  php,
  python,
  ruby,
  rust,
  sql,
  swift,
  typescript,
  xml,
  yaml,
};
const lowlight = createLowlight(GRAMMARS);

const colouring = new Colouring((language, text) => lowlight.highlight(language, text));
/** How long code stays plain when there was no time to colour it. */
const LATER_MS = 250;

/** Returns code as a tree of pieces with classes; see `Colouring`. */
export const colour = (language: Language, text: string): Coloured => colouring.colour(language, text);

/** Code in colours. It is shown without them while the page has no time, and for good if it is too much work. */
export const ColouredCode = memo(function ColouredCode({ language, text }: { language: Language; text: string }) {
  const [, tryAgain] = useReducer((tries: number) => tries + 1, 0);
  const coloured = colour(language, text);
  useEffect(() => {
    if (coloured !== "later") return undefined;
    const timer = setTimeout(tryAgain, LATER_MS);
    return () => clearTimeout(timer);
  });
  return typeof coloured === "string" ? text : elements(coloured.children);
});

function elements(nodes: readonly (RootContent | ElementContent)[]): ReactNode {
  // The pieces of a text never move, so they need no keys.
  return createElement(Fragment, null, ...nodes.map(element));
}

function element(node: RootContent | ElementContent): ReactNode {
  if (node.type === "text") return node.value;
  if (node.type !== "element") return null;
  const { className } = node.properties;
  return <span className={Array.isArray(className) ? className.join(" ") : undefined}>{elements(node.children)}</span>;
}
