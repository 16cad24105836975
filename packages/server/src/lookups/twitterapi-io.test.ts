import { postLookupConformance } from "./post-lookup.conformance.ts";
import answers from "./test-data/twitterapi-io.json";
import { twitterApiIoLookup } from "./twitterapi-io.ts";

const id = "1905000000000000001";
const links = {
  about: "links",
  text: "I am claiming a key on chat.example.org (Parley) & more: example.org/a/very/long/path",
};

postLookupConformance("twitterapi.io", {
  make: (client, url) => twitterApiIoLookup(client, { url, apiKey: "new1_secret" }),
  ref: { provider: "x", id },
  answers,
  links,
  // The API returns a list. If the list lacks the post, the post is missing.
  outcomes: { "another post": "post_not_found" },
  expected: {
    provider: "x",
    accountId: "2244994945",
    handle: "ana_writes",
    text: "My code is K7QM-2RTX",
    createdAt: Date.UTC(2026, 10, 20, 10),
    kind: "original",
    url: `https://x.com/ana_writes/status/${id}`,
  },
  target: `/twitter/tweets?tweet_ids=${id}`,
  credential: { header: "x-api-key", value: "new1_secret", secret: "new1_secret" },
});
