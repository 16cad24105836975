import { describe, expect, test } from "bun:test";
import { instances } from "../config/parse.ts";
import { type PostRef, readPostUrl } from "./post-url.ts";

const config = { mastodonInstances: instances("mastodon.example,xn--mller-kva.example") };
const x: PostRef = { provider: "x", id: "1905000000000000001" };
const DID = "did:plc:ewvi7nxzyoun6zhxrhs64oiz";
const bluesky = (actor: string): PostRef => ({ provider: "bluesky", actor, recordKey: "3lbcdefghij2k" });
const mastodon: PostRef = { provider: "mastodon", instance: "mastodon.example", id: "113510000000000001" };

describe("the URL of a post", () => {
  test.each<[string, PostRef]>([
    ["https://x.com/ana_writes/status/1905000000000000001", x],
    ["  https://x.com/ana_writes/status/1905000000000000001\n", x],
    ["https://twitter.com/ana_writes/status/1905000000000000001", x],
    ["https://www.x.com/ana/status/1905000000000000001/", x],
    ["https://mobile.twitter.com/ana/status/1905000000000000001", x],
    ["HTTPS://X.COM/ana/status/1905000000000000001", x],
    ["https://x.com/i/web/status/1905000000000000001", x],
    ["https://x.com/i/status/1905000000000000001", x],
    ["https://x.com/ana/statuses/1905000000000000001", x],
    ["https://x.com/ana/status/1905000000000000001/photo/1", x],
    ["https://x.com/ana/status/1905000000000000001?s=20&t=https://evil.example/#x", x],
    ["https://x.com/ana/status/1905000000000000001#https://evil.example", x],
    ["https://bsky.app/profile/ana.example.com/post/3lbcdefghij2k", bluesky("ana.example.com")],
    ["https://bsky.app/profile/Ana.Example.COM/post/3lbcdefghij2k?ref=share", bluesky("ana.example.com")],
    [`https://bsky.app/profile/${DID}/post/3lbcdefghij2k`, bluesky(DID)],
    ["https://bsky.app/profile/did:web:ana.example.com/post/3lbcdefghij2k", bluesky("did:web:ana.example.com")],
    ["https://mastodon.example/@ana/113510000000000001", mastodon],
    ["https://Mastodon.Example/@ana.b-c/113510000000000001/", mastodon],
    ["https://mastodon.example/users/ana/statuses/113510000000000001", mastodon],
    ["https://xn--mller-kva.example/@ana/1", { provider: "mastodon", instance: "xn--mller-kva.example", id: "1" }],
  ])("%j is parsed", (url, ref) => {
    expect(readPostUrl(config, url)).toEqual(ref);
  });

  test.each([
    "",
    "x.com/ana/status/1905000000000000001",
    "http://x.com/ana/status/1905000000000000001",
    "ftp://x.com/ana/status/1905000000000000001",
    "javascript:https://x.com/ana/status/1905000000000000001",
    "//x.com/ana/status/1905000000000000001",
    "https:x.com/ana/status/1905000000000000001",
    "https:/x.com/ana/status/1905000000000000001",
    "https:///x.com/ana/status/1905000000000000001",
    "https:\\\\x.com\\ana\\status\\1905000000000000001",
    "https://x.com\\@evil.example/ana/status/1905000000000000001",
    "https://x.com@evil.example/ana/status/1905000000000000001",
    "https://evil.example@x.com/ana/status/1905000000000000001",
    "https://user:password@x.com/ana/status/1905000000000000001",
    "https://x.com:443/ana/status/1905000000000000001",
    "https://x.com:8080/ana/status/1905000000000000001",
    "https://x.com./ana/status/1905000000000000001",
    "https://.x.com/ana/status/1905000000000000001",
    "https://evil-x.com/ana/status/1905000000000000001",
    "https://x.com.evil.example/ana/status/1905000000000000001",
    "https://api.x.com/ana/status/1905000000000000001",
    "https://m.x.com/ana/status/1905000000000000001",
    "https://evil.example/x.com/ana/status/1905000000000000001",
    "https://evil.example?https://x.com/ana/status/1905000000000000001",
    "https://evil.example#https://x.com/ana/status/1905000000000000001",
    "https://х.com/ana/status/1905000000000000001", // a Cyrillic x
    "https://x。com/ana/status/1905000000000000001",
    "https://ⓧ.com/ana/status/1905000000000000001",
    "https://xn--80a.com/ana/status/1905000000000000001",
    "https://x.c\u00ADom/ana/status/1905000000000000001",
    "https://x.com/ana/status/190500\u200B0000000000001",
    "https://x.com/ana/status/١٩٠٥",
    "https://x.com/ana/status/1905000000000000001\nHost: evil.example",
    "https://x.com/a b/status/1905000000000000001",
    "https://x.com//ana/status/1905000000000000001",
    "https://x.com/ana//status/1905000000000000001",
    "https://x.com/ana/status//1905000000000000001",
    "https://x.com/ana%2Fstatus%2F1905000000000000001",
    "https://x.com/ana/status/%31905000000000000001",
    "https://x.com/ana/status/1905000000000000001%2F..%2F..",
    "https://x.com/ana/status/1905000000000000001/../../2",
    "https://x.com/ana/status/../status/1905000000000000001",
    "https://x.com/ana/status/1905000000000000001;x=1",
    "https://x.com/ana/status/0",
    "https://x.com/ana/status/-1",
    "https://x.com/ana/status/1e5",
    "https://x.com/ana/status/99999999999999999999",
    "https://x.com/ana/status/",
    "https://x.com/ana",
    "https://x.com/ana/STATUS/1905000000000000001",
    "https://x.com/i/lists/1905000000000000001",
    "https://t.co/abcdefghij",
    "https://bsky.app/profile/ana/post/3lbcdefghij2k",
    "https://bsky.app/profile/ana..com/post/3lbcdefghij2k",
    "https://bsky.app/profile/-ana.example.com/post/3lbcdefghij2k",
    "https://bsky.app/profile/ana.example.com&x=1/post/3lbcdefghij2k",
    "https://bsky.app/profile/did:key:zQ3sh/post/3lbcdefghij2k",
    "https://bsky.app/profile/did:plc:short/post/3lbcdefghij2k",
    "https://bsky.app/profile/did:web:127.0.0.1:8080/post/3lbcdefghij2k",
    "https://bsky.app/profile/did%3Aplc%3Aewvi7nxzyoun6zhxrhs64oiz/post/3lbcdefghij2k",
    "https://bsky.app/profile/ana.example.com/post/..",
    "https://bsky.app/profile/ana.example.com/post/3LBCDEFGHIJ2K",
    "https://bsky.app/profile/ana.example.com/post/3lbcdefghij2k2",
    "https://bsky.app/profile/ana.example.com/feed/3lbcdefghij2k",
    "https://www.bsky.app/profile/ana.example.com/post/3lbcdefghij2k",
    "https://mastodon.example/@ana@elsewhere.example/113510000000000001",
    "https://mastodon.example/@ana/113510000000000001/embed",
    "https://mastodon.example/@ana",
    "https://mastodon.example/api/v1/statuses/113510000000000001",
    "https://elsewhere.example/@ana/113510000000000001",
    "https://sub.mastodon.example/@ana/113510000000000001",
    "https://müller.example/@ana/1",
    `https://x.com/ana/status/1905000000000000001?${"x".repeat(2_048)}`,
  ])("%j is refused", (url) => {
    expect(readPostUrl(config, url)).toBeNull();
  });

  test("is never a Mastodon URL if no instances are configured", () => {
    const none = { mastodonInstances: instances("") };
    expect(readPostUrl(none, "https://mastodon.social/@ana/113510000000000001")).toBeNull();
  });
});
