import type { PhrasingContent } from "mdast";
import { emojiOfName } from "../../emoji-names.ts";
import {
  addText,
  characterAfter,
  characterBefore,
  closeTo,
  type Frame as FrameOf,
  isSpace,
  matchAt,
  WORD,
} from "../../inline-text.ts";
import { characterOf } from "./entities.ts";
import { reference, type SlackNames, wordsInCode } from "./references.ts";

type Mark = "*" | "_" | "~";
type Frame = FrameOf<Mark>;

const NODE = { "*": "strong", _: "emphasis", "~": "delete" } as const;
/** Deeper marks are text: nobody nests so many, and the work stays in proportion to the text. */
const OPEN_MAX = 16;
/** Characters that may begin something; everything before them is text. */
const PLAIN = /[^<&`:*_~]+/y;
const REFERENCE = /<([^<>\n]+)>/y;
const ENTITY = /&(?:lt|gt|amp);/y;
const CODE = /`([^`\n]+)`/y;
const EMOJI = /:([a-z0-9_+'-]+(?:::skin-tone-[2-6](?:-[2-6])?)?):/y;

/** Reads one line of mrkdwn. Marks stand at the edges of words, next to no white space within them, and nest. */
export function inlineOf(line: string, names: SlackNames): PhrasingContent[] {
  const frames: Frame[] = [{ mark: null, nodes: [] }];
  for (let at = 0; at < line.length; ) at = readOne(line, at, frames, names);
  closeTo(frames, 0);
  return frames[0]?.nodes ?? [];
}

/** Reads what is at this place, and returns where the next begins. */
function readOne(line: string, at: number, frames: Frame[], names: SlackNames): number {
  const nodes = frames.at(-1)?.nodes ?? [];
  const sign = line[at] ?? "";
  switch (sign) {
    case "<": {
      const [all = "", content = ""] = matchAt(REFERENCE, line, at);
      const node = all === "" ? undefined : reference(content, names);
      if (node === undefined) return addText(nodes, sign, at);
      if (node.type === "text") addText(nodes, node.value, at);
      else nodes.push(node);
      return at + all.length;
    }
    case "&": {
      const [entity = sign] = matchAt(ENTITY, line, at);
      addText(nodes, characterOf(entity), at);
      return at + entity.length;
    }
    case "`": {
      const [all = "", code = ""] = matchAt(CODE, line, at);
      if (all === "") return addText(nodes, sign, at);
      nodes.push({ type: "inlineCode", value: wordsInCode(code) });
      return at + all.length;
    }
    case ":": {
      const [all = "", name = ""] = matchAt(EMOJI, line, at);
      const emoji = all === "" ? undefined : emojiOfName(name);
      if (emoji === undefined) return addText(nodes, sign, at);
      addText(nodes, emoji, at);
      return at + all.length;
    }
    case "*":
    case "_":
    case "~":
      return readMark(line, at, sign, frames);
    default:
      return addText(nodes, matchAt(PLAIN, line, at)[0] ?? sign, at);
  }
}

function readMark(line: string, at: number, mark: Mark, frames: Frame[]): number {
  const [before, after] = [characterBefore(line, at), characterAfter(line, at + 1)];
  const isSingle = before !== mark && after !== mark;
  const open = frames.findLastIndex((frame) => frame.mark === mark);
  if (isSingle && open > 0 && !isSpace(before) && !WORD.test(after)) {
    closeTo(frames, open);
    const nodes = frames.pop()?.nodes ?? [];
    const around = frames.at(-1)?.nodes ?? [];
    if (nodes.length > 0) around.push({ type: NODE[mark], children: nodes });
    return at + 1;
  }
  if (isSingle && !WORD.test(before) && !isSpace(after) && frames.length <= OPEN_MAX) {
    frames.push({ mark, nodes: [] });
    return at + 1;
  }
  return addText(frames.at(-1)?.nodes ?? [], mark, at);
}
