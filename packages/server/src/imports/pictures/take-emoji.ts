import type { AppContext } from "../../context.ts";
import { storeHiddenEmoji } from "../../emoji/imported-emoji.ts";
import { emojiNameOf } from "../emoji-name.ts";
import type { OpenSource } from "../source.ts";
import { Tally } from "../stage/tally.ts";
import type { StagedLeftOut } from "../stage.ts";
import { pictureBytes } from "./picture-bytes.ts";

/** More are read of no export: a server has room for fewer. */
const READ_MAX = 10_000;

/**
 * Takes the emoji of a source, which nobody sees before the import is opened. The same ones are taken once. Returns what is
 * left out: those are their short names in texts and reactions.
 */
export async function takeEmoji(
  ctx: AppContext,
  importId: number,
  source: Pick<OpenSource, "emoji" | "file">,
): Promise<readonly StagedLeftOut[]> {
  const tally = new Tally();
  let count = 0;
  for await (const each of source.emoji?.() ?? []) {
    count += 1;
    if (count > READ_MAX) break;
    if ("leftOut" in each) {
      tally.leaveOut(each.leftOut);
      continue;
    }
    const { name, picture } = each.item;
    const bytes = () => pictureBytes(picture, (path) => source.file(path));
    const reason = await storeHiddenEmoji(ctx, importId, emojiNameOf(name), bytes);
    if (reason !== null) tally.leaveOut({ kind: "emoji", reason, example: name });
  }
  return tally.leftOut;
}
