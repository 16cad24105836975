import { Type } from "typebox";
import { Check } from "typebox/value";
import { fail } from "../errors.ts";
import { expectSame, expectShape, expectTime, Handle, isPresent, unexpected } from "./answers.ts";
import type { Answer, Api } from "./fetch-json.ts";
import type { PostLookup, SocialPost } from "./lookup.ts";
import type { Get, LookupClient } from "./lookup-client.ts";
import { type BlueskyRef, DID } from "./post-url.ts";

const Did = Type.String({ pattern: DID.source });
const Resolved = Type.Object({ did: Did });
/** An unknown handle is a bad request. */
const Unresolved = Type.Object({ error: Type.Enum(["InvalidRequest", "HandleNotFound"]) });

/** `indexedAt` is the network's time. The author chooses `record.createdAt`, so it proves nothing. */
const Found = Type.Object({
  posts: Type.Array(
    Type.Object({
      uri: Type.String(),
      author: Type.Object({ did: Did, handle: Handle }),
      /** As the author's client wrote it. An embed may also be pictures or a link. */
      record: Type.Object({
        text: Type.String(),
        reply: Type.Optional(Type.Unknown()),
        embed: Type.Optional(Type.Unknown()),
      }),
      indexedAt: Type.String(),
    }),
  ),
});

const Quote = Type.Object({
  $type: Type.Enum(["app.bsky.embed.record", "app.bsky.embed.recordWithMedia"]),
});

/**
 * Looks up posts on Bluesky by its public API, which needs no credential
 * (https://docs.bsky.app/docs/api/app-bsky-feed-get-posts). Posts of taken-down and deactivated accounts are absent,
 * like deleted posts. Reposts are not posts there, so none is ever found.
 */
export function blueskyLookup(client: LookupClient, { url }: { url: string }): PostLookup<BlueskyRef> {
  const api: Api = { name: "Bluesky", origin: url, headers: {} };
  return {
    provider: "bluesky",
    lookup: ({ actor, recordKey }) =>
      client.ask(api, async (get) => {
        const did = actor.startsWith("did:") ? actor : await resolve(actor, get);
        const uri = `at://${did}/app.bsky.feed.post/${recordKey}`;
        return readPost({ did, uri, recordKey }, await get("/xrpc/app.bsky.feed.getPosts", { uris: uri }));
      }),
  };
}

async function resolve(handle: string, get: Get): Promise<string> {
  const { status, body } = await get("/xrpc/com.atproto.identity.resolveHandle", { handle });
  if (status === 400 && Check(Unresolved, body)) throw fail("post_not_found");
  if (status !== 200) throw unexpected(status);
  return expectShape(Resolved, body).did;
}

function readPost(asked: { did: string; uri: string; recordKey: string }, { status, body }: Answer): SocialPost {
  if (status !== 200) throw unexpected(status);
  const [post] = expectShape(Found, body).posts;
  if (post === undefined) throw fail("post_not_found");
  const { author, record, indexedAt } = post;
  expectSame(asked.uri, post.uri);
  expectSame(asked.did, author.did);
  return {
    provider: "bluesky",
    accountId: author.did,
    handle: author.handle,
    text: record.text,
    createdAt: expectTime(indexedAt),
    kind: isPresent(record.reply) ? "reply" : Check(Quote, record.embed) ? "quote" : "original",
    url: `https://bsky.app/profile/${author.did}/post/${asked.recordKey}`,
  };
}
