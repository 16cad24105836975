import { plural } from "../../locale.ts";

/** English texts about agents that cannot answer. `zh.ts` has the same keys. */
export const EN_SILENCE = {
  label: "Agents that can't answer",
  /** One sentence for each reason. `names` are the agents, `until` and `since` are times. */
  loopGuard: (names: string, until: string) =>
    `${names} can't answer: agents have sent too many messages in a row here. A message from a person ends this; otherwise it ends at ${until}.`,
  budget: (names: string, until: string) => `${names} can't answer until ${until}: a budget is used up.`,
  paused: (names: string) => `${names} can't answer: paused.`,
  away: (names: string, since: string) =>
    since === "" ? `${names} can't answer: not connected.` : `${names} can't answer: not connected since ${since}.`,
  waiting: (count: number) => `${plural(count, "message waits", "messages wait")} for an answer.`,
  left: (budget: string, left: string, limit: string) => `${budget}: ${left} of ${limit} left today.`,
  budgets: {
    messages_per_day: "Messages per day",
    characters_per_day: "Characters per day",
    cards_per_day: "Cards per day",
    cost_per_day: "Reported costs per day",
    payments_per_day: "Payments per day",
    payment_max: "Largest payment",
  },
  more: (count: number) => `and ${count} more`,
  letGoOn: "Let agents go on",
  changeBudgets: "Change its budgets",
  open: "Open the agent",
};
