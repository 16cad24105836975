import type { Construct, Effects, Extension } from "micromark-util-types";

/**
 * How much work the parser may do for one message: less than 50 ms on an ordinary computer, and enough for a text of
 * 16,384 escaped characters. It is counted, not timed, so that the same text always gets the same answer.
 */
const STEPS_MAX = 60_000;
/** The weight of a character that may begin a construct: to resolve it costs more than to read it. */
const ATTEMPT_STEPS = 12;
const BACKTICK = 96;

/** Thrown when a text costs too much. */
export class TooMuchWork extends Error {}

/** Counts each character that the parser reads, also those it reads again, and each attempt of a construct. */
export function parseBudget(): Extension {
  let steps = 0;
  const counted = new WeakSet<Effects>();
  const spend = (count: number) => {
    steps += count;
    if (steps > STEPS_MAX) throw new TooMuchWork();
  };
  const watch: Construct = {
    partial: true,
    tokenize(effects, _, nok) {
      // All constructs of one tokenizer share its effects.
      if (!counted.has(effects)) {
        counted.add(effects);
        const { consume } = effects;
        effects.consume = (code) => {
          spend(1);
          consume(code);
        };
      }
      spend(ATTEMPT_STEPS);
      return nok;
    },
  };
  const at = (letters: string) => Object.fromEntries([...letters].map((letter) => [letter.charCodeAt(0), watch]));
  return {
    document: at("*+->0123456789"),
    flow: { ...at("#*-_=`~|<[>"), null: watch },
    // Within a run of backticks no code begins; a construct without `previous` would say that it does.
    // A backslash costs nothing more: what a bot sends without marks is full of them.
    text: { ...at("!&*<[]_~"), [BACKTICK]: { ...watch, previous: (code) => code !== BACKTICK } },
  };
}
