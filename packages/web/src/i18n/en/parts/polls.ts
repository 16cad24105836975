import { list, plural } from "../../locale.ts";

const DAY = 86_400;

/** English texts of polls. */
export const EN_POLLS = {
  poll: "Poll",
  make: "New poll",
  question: "Question",
  options: "Options",
  option: (number: number) => `Option ${number}`,
  addOption: "Add an option",
  removeOption: (number: number) => `Remove option ${number}`,
  multiple: "People may choose several options",
  anonymous: "Anonymous: nobody sees who chose what",
  closes: "Closes",
  times: {
    "0": "When somebody closes it",
    "3600": "In an hour",
    [DAY]: "In a day",
    [3 * DAY]: "In 3 days",
    [7 * DAY]: "In a week",
    [30 * DAY]: "In 30 days",
  } as Readonly<Record<string, string>>,
  send: "Send the poll",
  vote: "Vote",
  changeVote: "Change my vote",
  withdraw: "Withdraw my vote",
  close: "Close the poll",
  closeQuestion: "Nobody can vote any more, and the poll cannot be opened again.",
  count: (count: number, share: number) => `${count} (${share}%)`,
  voters: (count: number) => (count === 0 ? "Nobody has voted yet" : plural(count, "person voted", "people voted")),
  others: (count: number) => `and ${plural(count, "other", "others")}`,
  mine: (options: readonly string[]) => `Your vote: ${list("en", options)}.`,
  isMultiple: "several options",
  isAnonymous: "anonymous",
  isClosed: "closed",
  closesAt: (time: string) => `closes ${time}`,
};
