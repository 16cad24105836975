import { type ParseBudget, parseBudget } from "@parley/protocol/parse-budget";

/** The work that all texts of one post may cost the parser: less than a tenth of a second for the most hostile ones. */
const STEPS = 60_000;
/** Lines of quotes and lists cost the parser much more than their characters, which it skips. */
const [CONTAINER_STEPS, LINE_STEPS] = [60, 12];

/** Limits the work of parsing the texts of one post. */
export class ParseLimit {
  #left = STEPS;

  /** Returns the budget of the next text; null: too little is left for it. */
  next(text: string): ParseBudget | null {
    const lines = LINE_STEPS * text.split(/\r\n?|\n/).length;
    if (lines + text.length > this.#left) return null;
    const budget = parseBudget({ max: this.#left, spans: "!<[]\\", containerSteps: CONTAINER_STEPS });
    budget.spend(lines);
    return budget;
  }

  /** Takes what a text has cost. */
  spend({ spent }: ParseBudget): void {
    this.#left -= spent();
  }
}
