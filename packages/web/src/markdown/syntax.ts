import type { Extension as FromMarkdown } from "mdast-util-from-markdown";
import type { Code, Construct, Extension, State } from "micromark-util-types";
import { addressAt, endsAddress } from "./address.ts";

declare module "mdast" {
  /** A web address in running text. */
  interface Address extends Literal {
    type: "address";
  }
  /** A formula, with its dollar signs. */
  interface Formula extends Literal {
    type: "formula";
  }
  interface RootContentMap {
    address: Address;
    formula: Formula;
  }
  interface PhrasingContentMap {
    address: Address;
    formula: Formula;
  }
}
declare module "micromark-util-types" {
  interface TokenTypeMap {
    address: "address";
    formula: "formula";
  }
}

const DOLLAR = 36;
const LARGE_H = 72;
const SMALL_H = 104;
const WORD = /\w/;
/** How far a formula reaches: a lone `$` costs little. */
const FORMULA_MAX = 400;

const isLineEnd = (code: Code): code is null => code === null || (code < -2 && code > -6);
const letterOf = (code: Code): string => (code === null ? "" : code < 0 ? " " : String.fromCharCode(code));

interface Run {
  type: "address" | "formula";
  /** True if the next letter may belong to a run that begins with `rest`. */
  mayTake(rest: string, letter: string): boolean;
  /** Returns how many characters of what was read are the run; 0: there is none. */
  find(rest: string): number;
}

/** A run of characters within a line, none of which is Markdown. */
function run({ type, mayTake, find }: Run): Construct {
  return {
    name: type,
    previous: (code) => !WORD.test(letterOf(code)) && code !== DOLLAR,
    tokenize(effects, ok, nok) {
      let left = 0;
      const look: Construct = {
        partial: true,
        tokenize(effects, ok, nok) {
          let rest = "";
          const read: State = (code) => {
            const letter = letterOf(code);
            if (isLineEnd(code) || !mayTake(rest, letter)) {
              left = find(rest);
              return left === 0 ? nok(code) : ok(code);
            }
            rest += letter;
            effects.consume(code);
            return read;
          };
          return read;
        },
      };
      const take: State = (code) => {
        if (left === 0) {
          effects.exit(type);
          return ok(code);
        }
        effects.consume(code);
        left--;
        return take;
      };
      const found: State = (code) => {
        effects.enter(type);
        return take(code);
      };
      return effects.check(look, found, nok);
    },
  };
}

/** `$a+b$` and `$$a+b$$`; as in pandoc, so that prices are none: `$5 and $10`. */
const FORMULA = /^(?:\$\$[^$]+\$\$|\$(?![\s$])(?:[^$\\]|\\.)*?(?<![\s\\])\$(?![\d$]))/;
const formula = run({
  type: "formula",
  mayTake: ({ length }) => length < FORMULA_MAX,
  find: (rest) => FORMULA.exec(rest)?.[0].length ?? 0,
});

const SCHEMES = ["http://", "https://"];
const address = run({
  type: "address",
  mayTake(rest, letter) {
    if (rest.length >= 8) return !endsAddress(letter);
    const begun = (rest + letter).toLowerCase();
    return SCHEMES.some((scheme) => scheme.startsWith(begun) || begun.startsWith(scheme));
  },
  find: (rest) => addressAt(rest).length,
});

/** Web addresses and formulas. HTML is text. */
export const SYNTAX: Extension = {
  disable: { null: ["htmlFlow", "htmlText"] },
  text: { [DOLLAR]: formula, [LARGE_H]: address, [SMALL_H]: address },
};

/** Makes nodes of what `SYNTAX` finds. */
export const SYNTAX_NODES: FromMarkdown = {
  enter: {
    address(token) {
      this.enter({ type: "address", value: this.sliceSerialize(token) }, token);
    },
    formula(token) {
      this.enter({ type: "formula", value: this.sliceSerialize(token) }, token);
    },
  },
  exit: {
    address(token) {
      this.exit(token);
    },
    formula(token) {
      this.exit(token);
    },
  },
};
