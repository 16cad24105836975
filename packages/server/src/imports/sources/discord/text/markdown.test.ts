import { expect, test } from "bun:test";
import { CONTEXT } from "../../../../../test/support/imports/discord-names.ts";
import { printText } from "../../../write/text.ts";
import { blocksOf } from "./markdown.ts";

const printed = (markdown: string): string =>
  printText(
    { type: "root", children: blocksOf(markdown, CONTEXT) },
    {
      person: (id) => (id === "1" || id === "2" ? { type: "user", name: `p${id}` } : null),
      slug: (id) => (id === "5" ? "general-2" : null),
      address: (channel, message) => `https://parley.example/#/c/${channel}/${message ?? ""}`,
    },
  ).content;

test.each([
  ["**b** *i* _i_ __u__ ***bi*** ~~s~~ ||spoiler||", "**b** _i_ _i_ _u_ **_bi_** ~~s~~ spoiler"],
  ["__**both**__ __*one*__ **__x__**", "_**both**_ _one_ **_x_**"],
  ["snake_case_name a * b", "snake_case_name a * b"],
  ["\\*no\\* \\_x\\_ a\\b", "\\*no\\* \\_x\\_ a\\b"],
  ["¯\\_(ツ)_/¯", "¯\\\\\\_(ツ)\\_/¯"],
  ["**a\nb** ** x ** ****", "**a\nb**  **x**  \\*\\*\\*\\*"],
  ["*open **two", "\\*open \\*\\*two"],
  ["> q1\n> q2\nafter\n>>> all\nrest", "> q1\n> q2\n\nafter\n\n> all\n> rest"],
  [">no quote", "\\>no quote"],
  ["# Head\ntext\n-# small\n#5", "# Head\n\ntext\nsmall\n#5"],
  ["- a\n  - b\n- c\n1. x\n2. y", "- a\n  - b\n- c\n\n1. x\n2. y"],
  ["```js\nlet a = `1` **x**;\n``` tail ``x`` `*y*`", "```js\nlet a = `1` **x**;\n```\n\ntail `x` `*y*`"],
  ["`` a`b `` `c`", "``a`b`` `c`"],
  ["> ```\n> a > b\n> ```\nc\n```\n> d\n```", "> ```\n> a > b\n> ```\n\nc\n\n```\n> d\n```"],
  [">>> a\n```\nb\n```\nc", "> a\n>\n> ```\n> b\n> ```\n>\n> c"],
  ["``` a\n> b", "\\`\\`\\` a\n\n> b"],
  ["```one line```", "```\none line\n```"],
  ["not ``` closed", "not \\`\\`\\` closed"],
  ["<@1> <@!1> <@3> <@&9> <@&8>", "@p1 @p1 @3 @crew @unknown-role"],
  ["<#5> <#6> #general #nope", "#general-2 #unknown-channel #general-2 #nope"],
  ["<:parrot:12> <a:dance:12> :thumbsup_tone1: :slight_smile: :heart:", ":parrot: :dance: 👍🏻 🙂 :heart:"],
  ["<t:1618953630:R> <t:9999999999999> </cmd:12>", "2021-04-20 21:20 UTC Invalid date /cmd"],
  ["@ada hi @Ben C. and @adam", "@p1 hi @p2 and @adam"],
  ["[label **b**](https://x.example/a_(b))", "[label **b**](https://x.example/a_%28b%29)"],
  ["<https://x.example/a> (https://x.example/b).", "https://x.example/a (https://x.example/b)."],
  ["https://discord.com/channels/3/5/77", "https://parley.example/#/c/5/77"],
  ["https://discord.com/channels/3/6/77", "https://discord.com/channels/3/6/77"],
  ["<b>hi</b> [x](javascript:alert(1))", "\\<b>hi\\</b> \\[x]\\(javascript:alert(1))"],
])("reads %p", (markdown, wanted) => {
  expect(printed(markdown)).toBe(wanted);
});
