import { tokenFilter } from "../../link-tokens.ts";

const OF_DISCORD =
  /^https?:\/\/(?:[^/\\?#]*@)?(?:[^/\\?#@:]*\.)?(?:discord|discordapp)\.(?:com|net)\.?(?::\d*)?(?=[/\\?#]|$)/i;
const TOKENS = new Set(["ex", "is", "hm"]);

/** Leaves out the signature of links to Discord's files. */
export const { withoutTokens, dropTokens } = tokenFilter({
  isOwn: (address) => OF_DISCORD.test(address),
  isToken: (name) => TOKENS.has(name.toLowerCase()),
});
