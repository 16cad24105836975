const LENGTH = 4_000;
const fill = (piece: string) => piece.repeat(Math.ceil(LENGTH / piece.length)).slice(0, LENGTH);
const stairs = (step: string, rest: string) =>
  fill(Array.from({ length: 120 }, (_, n) => step.repeat(n) + rest).join("\n"));

/** Texts of the longest size that cost a parser of Markdown much. */
export const HOSTILE_MARKDOWN: Record<string, string> = {
  "open brackets": fill("["),
  "open links": fill("[a]("),
  "open titles": fill('[a](b "'),
  "links in links": fill(`${"[".repeat(600)}a${"](b)".repeat(600)}`),
  "closed brackets": "[".repeat(LENGTH / 2) + "]".repeat(LENGTH / 2),
  "open parentheses": `[a](${fill("(")}`,
  "open pictures": fill("!["),
  "open angles": fill("<"),
  "open addresses": fill("<a:b"),
  stars: fill("*a"),
  "stars and lines": fill("*_"),
  "mixed emphasis": fill("*a_ "),
  "unequal emphasis": fill("**a*"),
  tildes: fill("~~a"),
  backticks: fill(Array.from({ length: 90 }, (_, n) => "`".repeat(n)).join(" ")),
  "odd backticks": fill("`a``b"),
  dollars: fill("$a "),
  "open formulas": fill("$a"),
  "web addresses": fill("https://a "),
  "broken web addresses": fill("/https://"),
  "brackets in an address": `https://a.example/${fill("([{)")}`,
  quotes: fill(">"),
  "quotes with blanks": fill("> "),
  lists: fill("- "),
  "numbered lists": fill("1. "),
  "lists and quotes": fill("- > "),
  "a stair of lists": stairs(" ", "- a"),
  "a wide stair of lists": stairs("  ", "* a"),
  "a stair of quotes": stairs("> ", "a"),
  "lazy lines": `${"> ".repeat(16)}\n${fill("a\n")}`,
  bars: fill("|"),
  "a wide table": `${"|a".repeat(600)}|\n${"|-".repeat(600)}|\n${"|a".repeat(700)}`,
  "a long table": `a|b\n-|-\n${fill("a|b\n")}`,
  "short rows": `${"|a".repeat(40)}\n${"|-".repeat(40)}\n${fill("|\n")}`,
  definitions: fill("[a]: b\n"),
  references: `${fill("[a][a] ")}\n\n[a]: b`,
  "character references": fill("&amp;"),
  escapes: fill("\\*"),
  headings: fill("# a\n"),
  "underlined headings": fill("a\n=\n"),
  fences: fill("```\n"),
  rules: fill("---\n"),
  blanks: fill(" "),
  lines: fill("\n"),
  tabs: fill("\t- "),
  everything: fill("*[_`~|>$!<\\&"),
};

/** A full message of ordinary Markdown. */
export const ORDINARY_MARKDOWN = fill(
  "# Report\n\nThe *first* run had **two** failures, see [the log](https://ci.example/runs/42).\n\n" +
    "- `parse.ts` reads twice\n- [x] fixed in a_b_c\n\n```ts\nconst x = await run({ a: 1 });\n```\n\n" +
    "| Name | Took |\n|---|--:|\n| one | 12 ms |\n| two | 34 ms |\n\n",
);
