import type { PhrasingContent } from "mdast";
import { emojiOfName } from "../../emoji-names.ts";
import { characterAfter, characterBefore, isSpace, matchAt } from "../../text/inline-text.ts";
import { MarkedLine } from "../../text/marked-line.ts";
import { characterOf } from "./entities.ts";
import { reference, type SlackNames, wordsInCode } from "./references.ts";

type Mark = "*" | "_" | "~";
const NODE = { "*": "strong", _: "emphasis", "~": "delete" } as const;
const WORD = /[\p{L}\p{N}\p{M}]/u;
/** Characters that may begin something; everything before them is text. */
const PLAIN = /[^<&`:*_~]+/y;
const REFERENCE = /<([^<>\n]+)>/y;
const ENTITY = /&(?:lt|gt|amp);/y;
const CODE = /`([^`\n]+)`/y;
const EMOJI = /:([a-z0-9_+'-]+(?:::skin-tone-[2-6](?:-[2-6])?)?):/y;

/** Reads one line of mrkdwn. Marks stand at the edges of words, next to no white space within them, and nest. */
export function inlineOf(line: string, names: SlackNames): PhrasingContent[] {
  const read = new MarkedLine();
  for (let at = 0; at < line.length; ) at = readOne(line, at, read, names);
  return read.end();
}

/** Reads what is at this place, and returns where the next begins. */
function readOne(line: string, at: number, read: MarkedLine, names: SlackNames): number {
  const sign = line[at] ?? "";
  const asText = (value: string): number => {
    read.text(value);
    return at + value.length;
  };
  switch (sign) {
    case "<": {
      const [all = "", content = ""] = matchAt(REFERENCE, line, at);
      const node = all === "" ? undefined : reference(content, names);
      if (node === undefined) return asText(sign);
      read.add(node);
      return at + all.length;
    }
    case "&": {
      const [entity = sign] = matchAt(ENTITY, line, at);
      read.text(characterOf(entity));
      return at + entity.length;
    }
    case "`": {
      const [all = "", code = ""] = matchAt(CODE, line, at);
      if (all === "") return asText(sign);
      read.add({ type: "inlineCode", value: wordsInCode(code) });
      return at + all.length;
    }
    case ":": {
      const [all = "", name = ""] = matchAt(EMOJI, line, at);
      const emoji = all === "" ? undefined : emojiOfName(name);
      if (emoji === undefined) return asText(sign);
      read.text(emoji);
      return at + all.length;
    }
    case "*":
    case "_":
    case "~":
      return readMark(line, at, sign, read);
    default:
      return asText(matchAt(PLAIN, line, at)[0] ?? sign);
  }
}

function readMark(line: string, at: number, mark: Mark, read: MarkedLine): number {
  const [before, after] = [characterBefore(line, at), characterAfter(line, at + 1)];
  const isSingle = before !== mark && after !== mark;
  if (isSingle && read.isOpen(mark) && !isSpace(before) && !WORD.test(after)) read.close(mark, NODE[mark]);
  else if (isSingle && !WORD.test(before) && !isSpace(after)) read.open(mark);
  else read.text(mark);
  return at + 1;
}
