/** A small writer of still pictures: SVG without scripts, whose bytes depend only on what it is given. */

/** Narrow, so that the text is still readable where a phone shrinks the picture to its own width. */
export const WIDTH = 480;
export const MARGIN = 16;
const LINE = 17;
/** Characters of the small text that fit into a line, in the widest of the usual system fonts. */
const LINE_CHARACTERS = 61;

/** The picture has its own background: pages may be dark while the system is light, and the picture only sees the system. */
const STYLE = `
svg{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;font-size:13px;font-variant-numeric:tabular-nums}
.card{fill:#fff;stroke:#dfe2ec}
text{fill:#1b1e2b}
.title{font-size:17px;font-weight:600}
.head{font-weight:600}
.soft{fill:#5a6077}
.gap{fill:#5a6077;font-style:italic}
.strong{font-weight:600}
.own{fill:#4250c4}
.other{fill:#b9bfd0}
.base{stroke:#8a91a8}
.grid{stroke:#e7e9f1}
.range{stroke:#1b1e2b;stroke-width:1.5}
.halo{stroke:#fff;stroke-width:3.5}
.goal{stroke:#c2410c;stroke-width:2.5}
.value{paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}
.line{fill:none;stroke:#4250c4;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}
.area{fill:#4250c4;opacity:.12}
@media (prefers-color-scheme:dark){
.card{fill:#181b25;stroke:#2b3041}
text{fill:#e8eaf3}
.soft,.gap{fill:#9da4ba}
.own,.area{fill:#8b97ff}
.other{fill:#596077}
.base{stroke:#7b829a}
.grid{stroke:#2b3041}
.range{stroke:#e8eaf3}
.halo,.value{stroke:#181b25}
.goal{stroke:#ff9657}
.line{stroke:#8b97ff}
}`;

export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

type Attributes = Record<string, string | number>;

/** Returns an element. Numbers are rounded, so that the same chart has the same bytes on every machine. */
export function element(name: string, attributes: Attributes, ...children: string[]): string {
  const written = Object.entries(attributes).map(([key, value]) => {
    const shown = typeof value === "number" ? String(Math.round(value * 100) / 100) : escapeText(value);
    return ` ${key}="${shown}"`;
  });
  const start = `<${name}${written.join("")}`;
  return children.length === 0 ? `${start}/>` : `${start}>${children.join("")}</${name}>`;
}

export interface Label {
  x: number;
  y: number;
  text: string;
  look?: "title" | "head" | "soft" | "gap" | "strong" | "value";
  anchor?: "start" | "middle" | "end";
}

export function label({ x, y, text, look, anchor = "start" }: Label): string {
  const attributes: Attributes = { x, y };
  if (look !== undefined) attributes.class = look;
  if (anchor !== "start") attributes["text-anchor"] = anchor;
  return element("text", attributes, escapeText(text));
}

export function line(look: string, x1: number, y1: number, x2: number, y2: number): string {
  return element("line", { class: look, x1, y1, x2, y2 });
}

/** Breaks a text into lines of at most so many characters. */
export function wrap(text: string, characters: number = LINE_CHARACTERS): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter((part) => part !== "")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < characters) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

export interface Picture {
  title: string;
  /** Text below the title. */
  about: string;
  /** The chart in words, for people who do not see it. */
  description: string;
  /** Texts below the chart. */
  notes: readonly string[];
}

/** Draws something that begins at a height; returns its elements and the height at which it ends. */
export type Draw = (top: number) => { body: string[]; bottom: number };

/** Returns a whole picture: title and text, what is drawn, and the notes. */
export function picture({ title, about, description, notes }: Picture, draw: Draw): string {
  const texts: string[] = [];
  const write = (top: number, lines: readonly string[]): number => {
    for (const [i, text] of lines.entries()) {
      texts.push(label({ x: MARGIN, y: top + (i + 1) * LINE - 4, text, look: "soft" }));
    }
    return top + lines.length * LINE;
  };
  texts.push(label({ x: MARGIN, y: 34, text: title, look: "title" }));
  const { body, bottom } = draw(write(42, wrap(about)));
  let height = bottom + 6;
  for (const note of notes) height = write(height, wrap(note));
  height += MARGIN - 2;
  return `${element(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      width: WIDTH,
      height,
      viewBox: `0 0 ${WIDTH} ${Math.round(height)}`,
      role: "img",
      "aria-labelledby": "title description",
    },
    `\n${element("title", { id: "title" }, escapeText(title))}`,
    `\n${element("desc", { id: "description" }, escapeText(description))}`,
    `\n<style>${STYLE}\n</style>`,
    `\n${element("rect", { class: "card", x: 0.5, y: 0.5, width: WIDTH - 1, height: height - 1, rx: 8 })}`,
    ...[...texts, ...body].map((part) => `\n${part}`),
    "\n",
  )}\n`;
}
