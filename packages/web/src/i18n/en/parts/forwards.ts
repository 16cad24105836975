import { plural } from "../../locale.ts";

/** English texts of forwarded messages. */
export const EN_FORWARDS = {
  forward: "Forward",
  title: "Forward a message",
  target: "To which channel or person?",
  targets: "Channels and people",
  to: (name: string) => `To ${name}`,
  change: "Change",
  results: (count: number) => plural(count, "result", "results"),
  nothing: "Nothing found.",
  chooseFirst: "Choose a channel or a person first.",
  comment: "Comment (optional)",
  preview: "This goes along",
  onlyLink:
    "Only a link goes along, because messages there have a price or are deleted after a time. People who may read the message find it by the link.",
  done: (name: string) => `Forwarded to ${name}.`,
  from: (name: string) => `Forwarded from ${name}`,
  show: (channel: string) => `Show in ${channel}`,
  hidden: "A message was forwarded that you can't read. It may be deleted, or in a channel that you are not in.",
};
