/** The weight of a character that may begin a construct: to resolve it costs more than to read it. */
const ATTEMPT_STEPS = 12;

/** The characters that begin containers and blocks. */
const CONTAINERS = "*+->0123456789";
const BLOCKS = "#*-_=`~|<[>";
const BACKTICK = 96;

/** How much a parser of Markdown may do, in steps. */
export interface ParseLimits {
  readonly max: number;
  /** The characters that are counted as the beginning of a span. */
  readonly spans: string;
  /** The weight of a character that may begin a quote or an item of a list. */
  readonly containerSteps?: number;
}

/** Thrown when a text costs too much. */
export class TooMuchWork extends Error {}

/** The functions of micromark that are counted: this package does not depend on it. */
interface Effects {
  consume(code: number | null): undefined;
}

interface Watch {
  readonly partial: true;
  tokenize<State>(effects: Effects, ok: State, nok: State): State;
  previous?(code: number | null): boolean;
}

/** The work of one text. `extension` is one of micromark. */
export interface ParseBudget {
  readonly extension: Readonly<Record<"document" | "flow" | "text", Record<string, Watch>>>;
  spent(): number;
  /** Counts steps that the parser does where nothing watches it. Throws `TooMuchWork`. */
  spend(steps: number): void;
}

/**
 * Counts each character that the parser reads, also those it reads again, and each attempt of a construct. It counts
 * and does not take the time, so that the same text always gets the same answer. Parsing throws `TooMuchWork`.
 */
export function parseBudget({ max, spans, containerSteps = ATTEMPT_STEPS }: ParseLimits): ParseBudget {
  let steps = 0;
  const counted = new WeakSet<Effects>();
  const spend = (count: number) => {
    steps += count;
    if (steps > max) throw new TooMuchWork();
  };
  const watch = (weight: number): Watch => ({
    partial: true,
    tokenize(effects, _, nok) {
      // All constructs of one tokenizer share its effects.
      if (!counted.has(effects)) {
        counted.add(effects);
        const { consume } = effects;
        effects.consume = (code) => {
          spend(1);
          return consume(code);
        };
      }
      spend(weight);
      return nok;
    },
  });
  const attempt = watch(ATTEMPT_STEPS);
  const at = (letters: string, found: Watch) =>
    Object.fromEntries([...letters].map((letter) => [letter.charCodeAt(0), found]));
  return {
    extension: {
      document: at(CONTAINERS, watch(containerSteps)),
      flow: { ...at(BLOCKS, attempt), null: attempt },
      // Within a run of backticks no code begins; a construct without `previous` would say that it does.
      text: { ...at(spans, attempt), [BACKTICK]: { ...attempt, previous: (code) => code !== BACKTICK } },
    },
    spent: () => steps,
    spend,
  };
}
