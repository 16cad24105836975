import { addEmoji } from "../../../src/emoji/emoji.service.ts";
import { emojiForm } from "../emoji.ts";
import { stillGif } from "../gifs.ts";
import { png } from "../pngs.ts";
import { WHOSE } from "./belongings.ts";
import type { ObjectKind } from "./objects.ts";
import * as on from "./objects.ts";
import { type Recipe, reads } from "./recipe.ts";
import { isUser } from "./roles.ts";

/** Makes a name of what the world calls a thing. */
const named = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replace(/^_+/, "")
    .slice(-32);

/** An emoji of the server. */
const emoji: ObjectKind = {
  targets: WHOSE,
  notFound: "emoji_not_found",
  async get(world, { of }, role) {
    if (of === "absent") return { name: "never" };
    if (of === "own" && !isUser(role)) return null;
    const maker = of === "own" ? world.user(role) : await world.extra();
    const { name } = await addEmoji(world.ctx, maker, { name: named(world.name("em")), bytes: stillGif(1, 1) });
    return { name };
  },
};

export const ROUTES: Readonly<Record<string, readonly Recipe[]>> = {
  "GET /api/emoji": [reads("read emoji", on.nothing)],
  "POST /api/emoji": [reads("add emoji", on.nothing, (_, fresh) => ({ form: emojiForm(named(fresh()), png(4, 4)) }))],
  "DELETE /api/emoji/:name": [reads("delete emoji", emoji)],
  "GET /api/emoji/:name/picture": [reads("read emoji", emoji)],
};
