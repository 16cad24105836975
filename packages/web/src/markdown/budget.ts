import type { Construct, Effects, Extension } from "micromark-util-types";

/**
 * How much work the parser may do for one message: less than 50 ms on an ordinary computer, and twice what a
 * full message of ordinary Markdown needs. It is counted, not timed, so that every reader sees the same.
 */
export const STEPS_MAX = 30_000;
/** The weight of a character that may begin a construct: to resolve it costs more than to read it. */
const ATTEMPT_STEPS = 12;

/** Thrown when a text costs too much. */
export class TooMuchWork extends Error {}

/** The codes that begin containers, blocks and spans. */
const CONTAINERS = [..."*+->0123456789"];
const BLOCKS = [..."#*-_=`~|<[>"];
const SPANS = [..."!$&*<[\\]_~"];
const BACKTICK = 96;

/** Counts each character that the parser reads, also those it reads again, and each attempt of a construct. */
export function budget(): { extension: Extension; spent(): number } {
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
  const at = (letters: string[]) => Object.fromEntries(letters.map((letter) => [letter.charCodeAt(0), watch]));
  return {
    extension: {
      document: at(CONTAINERS),
      flow: { ...at(BLOCKS), null: watch },
      // Within a run of backticks no code begins; a construct without `previous` would say that it does.
      text: { ...at(SPANS), [BACKTICK]: { ...watch, previous: (code) => code !== BACKTICK } },
    },
    spent: () => steps,
  };
}
