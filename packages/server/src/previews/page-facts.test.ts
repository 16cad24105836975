import { describe, expect, test } from "bun:test";
import { pageFacts, shownText } from "./page-facts.ts";
import { pageText } from "./page-text.ts";

const page = (head: string) => `<!doctype html><html><head>${head}</head><body><p>text</p></body></html>`;

describe("the facts of a page", () => {
  test("are those of Open Graph, then of Twitter, then of the page", () => {
    const own = `<title>Own</title><meta name="description" content="own text">`;
    const twitter = `<meta name="twitter:title" content="Bird"><meta name="twitter:image" content="/bird.png">`;
    const og = `<meta property="og:title" content="Graph &amp; more"><meta property="og:description" content="graph text"><meta property="og:site_name" content="Site"><meta property="og:image" content="https://x.example/a.png">`;
    expect(pageFacts(page(own))).toEqual({ title: "Own", description: "own text", siteName: null, picture: null });
    expect(pageFacts(page(own + twitter))).toMatchObject({ title: "Bird", picture: "/bird.png" });
    expect(pageFacts(page(own + twitter + og))).toEqual({
      title: "Graph & more",
      description: "graph text",
      siteName: "Site",
      picture: "https://x.example/a.png",
    });
  });

  test("are none without a title, and for pages that ask not to be listed or quoted", () => {
    expect(pageFacts(page(`<meta name="description" content="text">`))).toBeNull();
    expect(pageFacts("")).toBeNull();
    for (const rule of ["noindex", "NONE", "nofollow, nosnippet"]) {
      expect(pageFacts(page(`<title>T</title><meta name="robots" content="${rule}">`))).toBeNull();
      expect(pageFacts(page("<title>T</title>"), rule)).toBeNull();
    }
    expect(
      pageFacts(page(`<title>T</title><meta name="robots" content="all"><meta name="robots" content="noindex">`)),
    ).toBeNull();
    expect(pageFacts(page(`<title>T</title><meta name="robots" content="nofollow">`))).toMatchObject({ title: "T" });
  });

  test("leave out a description or a picture that the page does not want shown", () => {
    const rich = `<title>T</title><meta name="description" content="d"><meta property="og:image" content="https://x.example/a.png">`;
    expect(pageFacts(page(`${rich}<meta name="robots" content="max-snippet:0">`))).toMatchObject({ description: null });
    expect(pageFacts(page(rich), "noimageindex")).toMatchObject({ description: "d", picture: null });
  });

  test("are found in a page that is cut, and in one that nests without end", () => {
    expect(pageFacts(`<head><title>Cut`)).toMatchObject({ title: "Cut" });
    expect(pageFacts(`<title>Deep</title>${"<b>".repeat(170_000)}`)).toMatchObject({ title: "Deep" });
    expect(pageFacts(`<title>Wide</title>${"<p>".repeat(170_000)}`)).toMatchObject({ title: "Wide" });
    expect(pageFacts(`<title>Attributes</title><b ${"a=1 ".repeat(120_000)}>`)).toMatchObject({ title: "Attributes" });
    expect(pageFacts(`<title>Entities ${"&amp;".repeat(100_000)}`)?.title).toStartWith("Entities &&");
  });

  test("a title of ten megabytes is cut", () => {
    expect([...(pageFacts(`<title>${"x".repeat(10 * 1024 * 1024)}</title>`)?.title ?? "")]).toHaveLength(200);
  });

  test("take the page's title, not that of a drawing in it", () => {
    expect(pageFacts(`<title>Page</title><svg><title>Drawing</title></svg>`)).toMatchObject({ title: "Page" });
  });
});

test("shown texts have no hidden characters, no breaks, and stay whole characters", () => {
  expect(shownText("pay\u202Epal\u200B.com\u0000\n  here\u2066", 200)).toBe("paypal.com here");
  expect(shownText("\u200B\u2060\u00AD \n", 200)).toBeNull();
  expect(shownText("\u{e0041}\u{e0042}ok", 200)).toBe("ok");
  expect(shownText("👩‍👩‍👧 family", 200)).toBe("👩‍👩‍👧 family");
  expect(shownText("😀".repeat(300), 200)).toBe(`${"😀".repeat(199)}…`);
  expect(shownText("\ud800lone", 200)).toBe("lone");
});

test("pages are decoded by their mark, header, meta element, or as UTF-8", () => {
  const bytes = (...values: number[]) => new Uint8Array(values);
  const ascii = (text: string) => [...Buffer.from(text, "latin1")];
  expect(pageText(bytes(0xcf, 0xf0, 0xe8), "text/html; charset=windows-1251")).toBe("При");
  expect(pageText(bytes(...ascii(`<meta charset="gbk">`), 0xc4, 0xe3), "text/html")).toEndWith("你");
  const equiv = `<meta http-equiv="Content-Type" content="text/html; charset=shift_jis">`;
  expect(pageText(bytes(...ascii(equiv), 0x83, 0x65), "text/html")).toEndWith("テ");
  expect(pageText(bytes(0xff, 0xfe, 0x41, 0x00), "text/html; charset=gbk")).toBe("A");
  expect(pageText(new TextEncoder().encode("你好"), "text/html")).toBe("你好");
  expect(pageText(new TextEncoder().encode("你好"), "text/html; charset=nonsense")).toBe("你好");
  expect(pageText(new TextEncoder().encode(`<meta charset="utf-16">é`), "")).toEndWith("é");
  expect(pageText(bytes(0xc3, 0x28), "text/html")).toBe("\ufffd(");
});
