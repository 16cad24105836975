import type { ElementContent, Root, RootContent } from "hast";
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
import { createElement, Fragment, memo, type ReactNode } from "react";
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

/** Blocks whose colours are kept: a list that scrolls shows the same ones again and again. */
const KEPT = 300;
const coloured = new Map<string, Root>();

/** Returns code as a tree of pieces with classes. */
export function colour(language: Language, text: string): Root {
  const key = `${language} ${text}`;
  const tree = coloured.get(key) ?? lowlight.highlight(language, text);
  coloured.delete(key);
  coloured.set(key, tree);
  const [oldest] = coloured.keys();
  if (coloured.size > KEPT && oldest !== undefined) coloured.delete(oldest);
  return tree;
}

/** Code in colours. */
export const ColouredCode = memo(function ColouredCode({ language, text }: { language: Language; text: string }) {
  return elements(colour(language, text).children);
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
