import { expect, test } from "bun:test";
import type { SourceTextNode } from "../../../source.ts";
import { textTree } from "./mrkdwn.ts";

const PEOPLE: Record<string, string> = { U1: "ada" };
const CHANNELS: Record<string, string> = { C1: "general" };
const names = { person: (id: string) => PEOPLE[id], channel: (id: string) => CHANNELS[id] };
const LETTERS: Record<string, string> = { strong: "B", emphasis: "I", delete: "S", blockquote: "Q", paragraph: "P" };

/** Writes a tree in short: `B(bold)`, `code(x)`, `link(label address)`. Paragraphs are `P`, if there are several blocks. */
function short(node: SourceTextNode): string {
  if (node.type === "text") return node.value;
  if (node.type === "inlineCode" || node.type === "code") return `${node.type}(${node.value})`;
  if (node.type === "sourceMention") return `mention(${node.userId} ${node.label})`;
  if (node.type === "sourceChannel") return `channel(${node.channelId} ${node.label})`;
  const inner = "children" in node ? node.children.map(short).join("") : "";
  if (node.type === "root") return node.children.length === 1 ? inner.replace(/^P\((.*)\)$/s, "$1") : inner;
  if (node.type === "link") return `link(${inner} ${node.url})`;
  return `${LETTERS[node.type]}(${inner})`;
}

const treeOf = (mrkdwn: string): string => short(textTree(mrkdwn, names));

test.each([
  // Marks, at the edges of words.
  ["*b* _i_ ~s~", "B(b) I(i) S(s)"],
  ["*_x_* _*y*_ ~*_z_*~", "B(I(x)) I(B(y)) S(B(I(z)))"],
  ["(*x*), *x*. *a b*!", "(B(x)), B(x). B(a b)!"],
  ["snake_case_word 2 * 3 * 4 a*b*c", "snake_case_word 2 * 3 * 4 a*b*c"],
  ["**M** ~~t~~ __u__ * x * *", "**M** ~~t~~ __u__ * x * *"],
  ["*a *b* c", "*a B(b) c"],
  ["*not\nover lines*", "*not\nover lines*"],
  ["_a *b_ c*", "I(a *b) c*"],
  ["*粗体* é*x*é", "B(粗体) é*x*é"],
  // References.
  ["<@U1> <@U1|old> <@U9|bob> <@U8>", "mention(U1 @ada) mention(U1 @ada) mention(U9 @bob) mention(U8 @U8)"],
  ["<#C1> <#C2|news> <#C3|>", "channel(C1 #general) channel(C2 #news) channel(C3 #C3)"],
  ["<!here> <!channel> <!everyone> <!subteam^S1|@ops> <!subteam^S2>", "@here @channel @everyone @ops @S2"],
  ["<!date^1392734382^{date}|Feb 18> <!date^1392734382^{date}>", "Feb 18 2014-02-18 14:39 UTC"],
  ["<!date^1392734382^{date}^https://a.example/|then>", "link(then https://a.example/)"],
  ["<https://a.example/x?a=1&amp;b=2|a &lt;b&gt;>", "link(a <b> https://a.example/x?a=1&b=2)"],
  [
    "<https://a.example> *<https://a.example/*x*|bold>*",
    "link(https://a.example https://a.example) B(link(bold https://a.example/*x*))",
  ],
  ["<mailto:a@b.example|a@b.example> <mailto:a@b.example|write>", "a@b.example link(write mailto:a@b.example)"],
  ["<javascript:alert(1)|x> <tel:+49|call> <skype:me>", "x call skype:me"],
  ["if a < b and c > d <div> <!doctype> <> <|>", "if a < b and c > d <div> <!doctype> <> <|>"],
  // Entities are decoded once.
  ["a &lt; b &amp;amp; c &amp;lt; &copy;", "a < b &amp; c &lt; &copy;"],
  ["&lt;@U1&gt;", "<@U1>"],
  // Code, in which nothing is converted.
  ["`*x* _y_ :tada: &lt;b&gt;` *z*", "inlineCode(*x* _y_ :tada: <b>) B(z)"],
  ["`<https://a.example|a.example>`", "inlineCode(a.example)"],
  ["a ```x *y*``` b", "P(a)code(x *y*)P(b)"],
  ["```\nif (a &amp;&amp; b) {\n  c_d_e\n}\n```", "code(if (a && b) {\n  c_d_e\n})"],
  ["```not closed *b*", "```not closed B(b)"],
  // Quotes and paragraphs.
  ["&gt; one\n&gt; *two*\nplain", "Q(P(one\nB(two)))P(plain)"],
  ["&gt;&gt;&gt;all\n\nof it", "Q(P(all)P(of it))"],
  ["one\n\n\n  two  \nthree", "P(one)P(two\nthree)"],
  ["# no heading\n1. no list\n- nor here", "# no heading\n1. no list\n- nor here"],
  ["", ""],
  // Short names of emoji.
  [":smile: :+1: :wave::skin-tone-3: :flag-de:", "😄 👍 👋🏼 🇩🇪"],
  [":party_parrot: 12:30:45 C::D", ":party_parrot: 12:30:45 C::D"],
])("%p is read as %p", (mrkdwn, wanted) => {
  expect(treeOf(mrkdwn)).toBe(wanted);
});

test("a link to a message of Slack knows which one it is", () => {
  const [paragraph] = textTree(
    "<https://acme.slack.com/archives/C1/p1577836800000100?thread_ts=1.2|here>",
    names,
  ).children;
  const link = paragraph?.type === "paragraph" ? paragraph.children[0] : undefined;
  expect(link?.data).toEqual({ target: { channelId: "C1", messageId: "C1/1577836800.000100" } });
});

test("a link to a channel of Slack knows which one it is", () => {
  const [paragraph] = textTree("<https://acme.slack.com/archives/C1>", names).children;
  const link = paragraph?.type === "paragraph" ? paragraph.children[0] : undefined;
  expect(link?.data).toEqual({ target: { channelId: "C1", messageId: null } });
});

test("marks that nothing closes are text, however many there are", () => {
  const mrkdwn = `${"*a _b ~c ".repeat(3_000)}${"<".repeat(5_000)}${"&gt;".repeat(2_000)}${":q".repeat(4_000)}`;
  const words = mrkdwn.replaceAll("&gt;", ">").trim();
  expect(treeOf(mrkdwn)).toBe(words);
});
