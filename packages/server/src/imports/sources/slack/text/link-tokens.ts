import { tokenFilter } from "../../link-tokens.ts";

const OF_SLACK =
  /^https?:\/\/(?:[^/\\?#]*@)?(?:[^/\\?#@:]*\.)?(?:slack|slack-edge|slack-files)\.com\.?(?::\d*)?(?=[/\\?#]|$)/i;

/** Leaves out the parameter `t` of Slack's links, and others that begin like a token. */
export const { withoutTokens, dropTokens } = tokenFilter({
  isOwn: (address) => OF_SLACK.test(address),
  isToken: (name, value) => name.toLowerCase() === "t" || /^\W*xox/i.test(value),
});
