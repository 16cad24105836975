import { type ParseBudget, parseBudget } from "@parley/protocol/parse-budget";

/** How much work one text may cost: enough for 16,384 escaped characters. */
const TEXT_STEPS = 60_000;
/** How much all texts of an answer may cost together: about a second for the most hostile ones. */
const PAGE_STEPS = 240_000;
/** Lines of quotes and lists cost the parser much more than their characters, which it skips. */
const CONTAINER_STEPS = 60;

/** The weight of a line: the parser does not attempt anything at a blank one, but it costs more than its characters. */
const LINE_STEPS = 12;

/** The work of parsing all texts of one answer. What does not fit goes as plain text. */
export class PageBudget {
  #left = PAGE_STEPS;

  /** Returns the budget of the next text; null: too little is left, or the text has too many lines. */
  next(content: string): ParseBudget | null {
    const lines = LINE_STEPS * content.split(/\r\n?|\n/).length;
    const max = Math.min(TEXT_STEPS, this.#left);
    if (lines > max) return null;
    // A backslash costs nothing more: what a bot sends without marks is full of them.
    const budget = parseBudget({ max, spans: "!&*<[]_~", containerSteps: CONTAINER_STEPS });
    budget.spend(lines);
    return budget;
  }

  /** Takes what a text has cost. */
  spend({ spent }: ParseBudget): void {
    this.#left -= spent();
  }
}
