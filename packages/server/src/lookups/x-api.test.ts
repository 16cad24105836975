import { postLookupConformance } from "./post-lookup.conformance.ts";
import answers from "./test-data/x-api.json";
import { xApiLookup } from "./x-api.ts";

const id = "1905000000000000001";
const links = {
  about: "links",
  text: "I am claiming a key on chat.example.org (Parley) & more: example.org/a/very/long/path",
};

postLookupConformance("The X API", {
  make: (client, url) => xApiLookup(client, { url, bearerToken: "AAAAsecret%3Dtoken" }),
  ref: { provider: "x", id },
  answers,
  links,
  expected: {
    provider: "x",
    accountId: "2244994945",
    handle: "ana_writes",
    text: "My code is K7QM-2RTX & no more",
    createdAt: Date.UTC(2026, 10, 20, 10),
    kind: "original",
    url: `https://x.com/ana_writes/status/${id}`,
  },
  target: `/2/tweets/${id}?tweet.fields=conversation_id%2Ccreated_at%2Centities%2Cin_reply_to_user_id%2Cnote_tweet%2Creferenced_tweets&expansions=author_id&user.fields=username%2Cprotected`,
  credential: { header: "authorization", value: "Bearer AAAAsecret%3Dtoken", secret: "AAAAsecret" },
});
