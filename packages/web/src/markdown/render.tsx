import type { Code, List, ListItem, Nodes, Parents, PhrasingContent, RootContent, Table, TableRow } from "mdast";
import { createElement, type ReactNode } from "react";
import { hostToShow, hrefOf } from "./address.ts";
import { CodeBlock } from "./code-block.tsx";
import { inOrder, OuterLink, ScrollBox, shownPiece } from "./elements.tsx";
import { languageNamed } from "./languages.ts";
import { linkedPiece, staticPiece } from "./linked-piece.tsx";
import type { Parsed } from "./parse.ts";

/** Texts of the page within a message. */
export interface Labels {
  table: string;
  done: string;
  open: string;
}

/** How Markdown is shown. */
export interface Look {
  parsed: Parsed;
  labels: Labels;
  /** Without links and buttons, because all of it is one link. */
  isStatic: boolean;
  /** Shown at the end of this paragraph. */
  end?: { of: Nodes; shown: ReactNode } | undefined;
}

/** An indented block that is a fenced one, all lines of which are indented. */
const INDENTED_FENCE = /^(`{3,}|~{3,})[ \t]*([^\s`]*)[ \t]*\n(?:([\s\S]*)\n)?[ \t]*\1[`~]*[ \t]*$/;

/** Shows nodes as React elements. No text becomes markup: each is a child of an element that is named here. */
export function renderNodes(nodes: readonly Nodes[], look: Look): ReactNode {
  return inOrder(nodes.map((node) => renderNode(node, look)));
}

const childrenOf = (node: Parents, look: Look): ReactNode => renderNodes(node.children, look);

function renderNode(node: Nodes, look: Look): ReactNode {
  switch (node.type) {
    case "text":
      return pieces(node.value, node, look, look.isStatic ? staticPiece : linkedPiece);
    case "break":
      return "\n";
    case "emphasis":
      return <em>{childrenOf(node, look)}</em>;
    case "strong":
      return <strong>{childrenOf(node, look)}</strong>;
    case "delete":
      return <del>{childrenOf(node, look)}</del>;
    case "inlineCode":
    case "formula":
      return <code translate="no">{pieces(node.value, node, look)}</code>;
    case "address":
      return (
        <OuterLink href={hrefOf(look.parsed.marks.restore(node.value))} isStatic={look.isStatic}>
          {pieces(node.value, node, look)}
        </OuterLink>
      );
    case "link":
      return renderLink(node, node, node.children, look);
    case "linkReference": {
      const definition = look.parsed.definitions.get(node.identifier);
      return definition === undefined ? source(node, look) : renderLink(node, definition, node.children, look);
    }
    case "definition":
      return look.parsed.hidden.has(node) ? null : <p>{source(node, look)}</p>;
    case "paragraph":
      return (
        <p>
          {childrenOf(node, look)}
          {look.end?.of === node && look.end.shown}
        </p>
      );
    case "heading": {
      if (node.children.length === 0) return <p>{source(node, look)}</p>;
      // The page has the levels 1 and 2; a message's own begin at 3 and leave none out.
      const Heading = `h${Math.min(3 + look.parsed.levels.indexOf(node.depth), 6)}` as "h3";
      return <Heading>{childrenOf(node, look)}</Heading>;
    }
    case "blockquote":
      return <blockquote>{childrenOf(node, look)}</blockquote>;
    case "list":
      return renderList(node, look);
    case "thematicBreak":
      return <hr />;
    case "code":
      return renderCode(node, look);
    case "table":
      return renderTable(node, look);
    // Pictures by address, and whatever the syntax has no element for.
    default:
      return source(node, look);
  }
}

/** Returns a node's value in pieces. */
function pieces(value: string, node: Nodes, { parsed: { marks } }: Look, show = shownPiece): ReactNode {
  const { start, end } = rangeOf(node);
  return inOrder(marks.split(value, start, end).map(show));
}

/** Returns a node as it was written. */
const source = (node: Nodes, look: Look): ReactNode => pieces(sourceOf(node, look), node, look);

function sourceOf(node: Nodes, { parsed: { marks } }: Look): string {
  const { start, end } = rangeOf(node);
  return marks.masked.slice(start, end);
}

const rangeOf = ({ position }: Nodes) => ({ start: position?.start.offset ?? 0, end: position?.end.offset ?? 0 });

/** Returns the text of a node, without its Markdown. */
export function textOf(node: Nodes): string {
  if ("value" in node) return node.value;
  return "children" in node ? node.children.map(textOf).join("") : "";
}

function renderLink(
  node: Nodes,
  { url, title }: { url: string; title?: string | null | undefined },
  children: readonly PhrasingContent[],
  look: Look,
): ReactNode {
  const { marks } = look.parsed;
  const text = children.map(textOf).join("");
  const href = hrefOf(marks.restore(url));
  const hidesMention = marks.count(sourceOf(node, look)) > marks.count(text) && text !== url;
  if (href === null || hidesMention) return source(node, look);
  const host = hostToShow(marks.restore(text), href);
  return (
    <>
      <OuterLink href={href} isStatic={look.isStatic}>
        {/* A link has no links within it. */}
        {text === "" ? href : renderNodes(children, { ...look, isStatic: true })}
      </OuterLink>
      {host !== null && <span className="leads-to"> ({host})</span>}
      {/* That of a definition is shown there. */}
      {node.type === "link" && title && <span className="leads-to"> ({marks.restore(title)})</span>}
    </>
  );
}

function renderCode(node: Code, look: Look): ReactNode {
  const { marks } = look.parsed;
  const { lang, meta, value } = node;
  if (marks.count(`${lang ?? ""}${meta ?? ""}`) > 0) return <p>{source(node, look)}</p>;
  const fenced = lang == null ? INDENTED_FENCE.exec(value) : null;
  const text = fenced === null ? value : (fenced[3] ?? "");
  const { start, end } = rangeOf(node);
  const parts = marks.split(text, start, end);
  const language = fenced?.[2] || lang || null;
  const block = (
    <CodeBlock language={language} text={marks.restore(text)} isStatic={look.isStatic}>
      {/* Mentions and hits are shown instead of colours. */}
      {parts.every(({ kind }) => kind === "text") ? null : inOrder(parts.map(shownPiece))}
    </CodeBlock>
  );
  // Some write the first words of a text there.
  if (meta == null && (language === null || languageNamed(language) !== null)) return block;
  return (
    <>
      <div className="code-title">{marks.restore([language, meta].filter((part) => part != null).join(" "))}</div>
      {block}
    </>
  );
}

function renderList({ ordered, start, spread, children }: List, look: Look): ReactNode {
  const isLoose = spread === true || children.some((item) => item.spread);
  const items = inOrder(children.map((item) => renderItem(item, isLoose, look)));
  return ordered ? <ol start={start ?? 1}>{items}</ol> : <ul>{items}</ul>;
}

function renderItem({ checked, children }: ListItem, isLoose: boolean, look: Look): ReactNode {
  // In a list without blank lines, items have no paragraphs.
  const shown = (child: RootContent) =>
    child.type === "paragraph" && !isLoose ? <div>{childrenOf(child, look)}</div> : renderNode(child, look);
  const content = inOrder(children.map(shown));
  if (checked == null) return <li>{content}</li>;
  return (
    <li className="task">
      <span role="img" aria-label={checked ? look.labels.done : look.labels.open}>
        {checked ? "☑" : "☐"}
      </span>
      <div>{content}</div>
    </li>
  );
}

function renderTable({ align, children: [head, ...rows] }: Table, look: Look): ReactNode {
  const cells = (row: TableRow | undefined, Cell: "th" | "td") =>
    inOrder(
      (row?.children ?? []).map((cell, n) =>
        createElement(Cell, { className: align?.[n] ?? undefined }, childrenOf(cell, look)),
      ),
    );
  return (
    // A wide table scrolls by itself, also with the keyboard.
    <ScrollBox label={look.labels.table} isStatic={look.isStatic}>
      <table>
        <thead>
          <tr>{cells(head, "th")}</tr>
        </thead>
        <tbody>{inOrder(rows.map((row) => createElement("tr", null, cells(row, "td"))))}</tbody>
      </table>
    </ScrollBox>
  );
}

/** Returns the text of nodes on one line, of about `max` characters. */
export function renderLine(nodes: readonly Nodes[], look: Look, max: number): ReactNode {
  const line: ReactNode[] = [];
  let length = 0;
  const add = (node: Nodes) => {
    if (length >= max) return;
    if (node.type === "code") {
      line.push(<code>{pieces(node.value.slice(0, max), node, look)}</code>, " ");
    } else if ("children" in node && !isSpan(node)) {
      for (const child of node.children) add(child);
      if (node.type === "paragraph" || node.type === "heading" || node.type === "tableCell") line.push(" ");
      return;
    } else {
      line.push(renderNode(node, look));
    }
    length += textOf(node).length;
  };
  for (const node of nodes) add(node);
  return inOrder(line);
}

const SPANS: readonly string[] = ["emphasis", "strong", "delete", "link", "linkReference"];
const isSpan = ({ type }: Nodes): boolean => SPANS.includes(type);
