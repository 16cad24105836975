/** English texts about bots that were made for Telegram. */
export const EN_TELEGRAM = {
  title: "With a bot made for Telegram",
  hint: "Its code stays the same. It only gets this token, and these addresses in place of https://api.telegram.org.",
  token: "Token",
  tokenOf: (name: string) => `Token of ${name}`,
  yourKey: "<your key>",
  tokenHint: "Replace <your key> by a key of the agent. A key is only shown when it is made.",
  root: "Root of the addresses",
  noName: "The agent has no name yet. It gets one when it first logs in or writes.",
  off: "This server doesn't admit bots made for Telegram.",
  policies: {
    owner: "Only its owner may write to it directly, so /start of other people doesn't reach it.",
    nobody: "Nobody may write to it directly, so /start doesn't reach it.",
  },
  letAnybody: "Let anybody write to it",
  anybodyMay: "Anybody may write to it directly.",
  afterCode:
    "For a bot made for Telegram, the answer has a token and the root of the addresses (telegram.token and telegram.api_root), unless this server admits none.",
};
