import type { CardResult, InteractionKind, InteractionStatus, Who } from "@parley/protocol/cards";
import { plural } from "../../locale.ts";

/** English texts of cards, which load with the code that shows them. `zh.ts` has the same keys. */
export const EN_CARDS = {
  confirmTitle: "Please confirm",
  confirm: "Confirm",
  choose: "Choose…",
  send: "Send",
  people: ({ users = [], roles = [], min_admin_level: level, owner }: Who): string =>
    [
      ...users,
      ...(roles.includes("member") ? ["all members"] : []),
      ...(!roles.includes("member") && roles.includes("admin") ? ["the channel's admins"] : []),
      ...(roles.length === 1 && roles.includes("owner") ? ["the channel's owner"] : []),
      ...(level === undefined ? [] : ["this site's staff"]),
      ...(owner === true ? ["the agent's owner"] : []),
    ].join(", "),
  asks: (people: string, until: string) => `Asks ${people}, until ${until}`,
  approvals: (count: number, quorum: number, names: readonly string[]) =>
    `${count} of ${quorum} approved${names.length === 0 ? "" : `: ${names.join(", ")}`}`,
  answers: (count: number) => plural(count, "answer", "answers"),
  tally: (label: string, count: number) => `${label}: ${count}`,
  mine: (label: string) => `Your answer: ${label}`,
  receipt: {
    show: "Receipt",
    about: "The server has signed how this ended. Save it as proof, which the server's public key verifies.",
    none: "There is no receipt: the account of somebody whom it named was erased.",
    save: "Save the receipt",
    signed: "Signed text",
    signature: "Signature",
    key: "Key",
  },
  errors: {
    not_allowed_to_answer: "This question is for other people.",
    unknown_action: "This answer doesn't exist.",
    interaction_not_found: "This question no longer exists.",
    interaction_closed: "This question has already been answered or withdrawn.",
    interaction_expired: "The time to answer is over.",
  } as Readonly<Record<string, string>>,
  menu: {
    answer: "Answer of the bot",
    dismiss: "OK",
    guest: "Log in to use these buttons.",
    ended: "These buttons no longer work.",
    keyboard: (bot: string) => `Buttons of ${bot}`,
    errors: {
      not_allowed_to_answer: "These buttons are for members of the channel.",
      unknown_action: "The bot has changed its buttons. Please look again.",
      interaction_not_found: "These buttons are gone.",
      interaction_closed: "These buttons are gone.",
    } as Readonly<Record<string, string>>,
  },
  refusals: {
    ended: "The time to answer is over.",
    guest: "Log in to answer.",
    others: "You can't answer: this question is for others.",
    role: "You can't answer: here only people with a higher role in the channel decide.",
  },
  /** What the channel's rule adds to whom a card asks. */
  rule: {
    member: "Only members of this channel decide.",
    admin: "Only admins of this channel and its owner decide.",
    owner: "Only the owner of this channel decides.",
  },
  /** `label`: what stands on the button or option that was chosen. */
  result: (kind: InteractionKind, { action_id, username }: CardResult, label: string, time: string) => {
    if (kind !== "approval") return `${username} chose ${label} · ${time}`;
    return action_id === "approve" ? `Approved · ${username} decided · ${time}` : `Denied by ${username} · ${time}`;
  },
  ended: (status: InteractionStatus, time: string) =>
    status === "expired" ? `Nobody decided in time · ${time}` : `Withdrawn · ${time}`,
};
