import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { stillClock } from "../../test/support/clock.ts";
import { twisted } from "../../test/support/fuzz/twisted-json.ts";
import {
  type Answering,
  AnsweringServer,
  answer,
  breakOff,
  goOn,
  inTurn,
  type Recorded,
  reset,
  sayNothing,
} from "../../test/support/servers/answering-server.ts";
import { eventually } from "../../test/support/servers/test-server.ts";
import { stopwatch } from "../../test/support/stopwatch.ts";
import { AppError } from "../errors.ts";
import { createLog } from "../logging/log.ts";
import type { PostKind, PostLookup, SocialPost } from "./lookup.ts";
import { LookupClient } from "./lookup-client.ts";
import type { PostRef } from "./post-url.ts";

export interface ConformanceSubject<R extends PostRef> {
  make(client: LookupClient, origin: string): PostLookup<R>;
  ref: R;
  /** The parsed result of `good`. */
  expected: SocialPost;
  /** Recorded responses by subject; at least those of `OUTCOMES`, where the network has such a thing. */
  answers: Readonly<Record<string, unknown>>;
  /** The recorded response with shortened links, and its text as readers see it. */
  links?: { about: string; text: string };
  /** Requests made before the one for the post, by path prefix; each gets the same response whatever the post is. */
  before?: Readonly<Record<string, Recorded>>;
  /** The path and query of the request for the post. */
  target: string;
  /** Headers with the credential, and the credential itself. */
  credential?: { header: string; value: string; secret: string };
  /** Recorded responses with an outcome specific to the network. */
  outcomes?: Readonly<Record<string, string>>;
}

/** The required outcome of each recorded response. */
const OUTCOMES: Readonly<Record<string, string>> = {
  missing: "post_not_found",
  private: "post_not_found",
  deleted: "post_not_found",
  suspended: "post_not_found",
  limited: "social_lookup_failed",
  refused: "social_lookup_failed",
  unpaid: "social_lookup_failed",
  "other problem": "social_lookup_failed",
  "no author": "social_lookup_failed",
  "another post": "social_lookup_failed",
  "another author": "social_lookup_failed",
  "of another instance": "social_lookup_failed",
};

/** The kind of each recorded post. */
const KINDS: Readonly<Record<string, PostKind>> = {
  repost: "repost",
  reply: "reply",
  "reply to oneself": "reply",
  "reply to a post that is gone": "reply",
  quote: "quote",
  "quote with a picture": "quote",
  "with a link": "original",
  edited: "original",
};

/** Recorded limits end 90 s after this moment. */
const NOW = Date.UTC(2026, 10, 20, 10);
/** The budget of lookups that must time out. */
const BUDGET_MS = 800;
/** The budget of all others: on a slow machine a response or a retry takes longer than `BUDGET_MS`. */
const PATIENCE_MS = 60_000;
/** Appears in the network's texts and must not appear in ours. */
const MARK = "upstream-words-7f3a";
const HTML = { "content-type": "text/html; charset=utf-8" };

/** Tests what every lookup must guarantee, whatever the network answers. Called by the test of each provider. */
export function postLookupConformance<R extends PostRef>(name: string, subject: ConformanceSubject<R>): void {
  const { ref, expected, before = {} } = subject;
  const recorded = (about: string): Recorded => {
    const found = subject.answers[about];
    if (found === undefined) throw new Error(`${name} has no recorded answer "${about}".`);
    return found as Recorded;
  };
  const good = recorded("good");
  const lines: string[] = [];
  let server: AnsweringServer;
  let lookup: PostLookup<R>;
  /** A lookup with the short budget. */
  let hasty: PostLookup<R>;

  /** Sets the response to the request for the post; earlier requests get the recorded ones. */
  const answering = (answering: Answering): void => {
    server.answering = (socket, asked) => {
      const [, earlier] = Object.entries(before).find(([path]) => asked.target.startsWith(path)) ?? [];
      (earlier === undefined ? answering : answer(earlier))(socket, asked);
    };
  };
  const askedForPost = (): number =>
    server.asked.filter(({ target }) => !Object.keys(before).some((path) => target.startsWith(path))).length;
  /** Returns the refusal, after checking that neither it nor the log contains text of the network. */
  const refusal = async (of = lookup): Promise<AppError> => {
    const error = await of.lookup(ref).then(
      (post) => expect.unreachable(`found ${JSON.stringify(post)}`),
      (error: unknown) => error,
    );
    if (!(error instanceof AppError)) throw error;
    expect(JSON.stringify([error.message, error.details, error.headers, lines])).not.toContain(MARK);
    return error;
  };

  describe(`${name}, as a post lookup,`, () => {
    beforeAll(async () => {
      server = await AnsweringServer.start();
      const log = createLog({ level: "trace", readable: false, write: (line) => lines.push(line) });
      const made = (budgetMs: number) =>
        subject.make(new LookupClient({ clock: stillClock(NOW), log }, budgetMs), server.url);
      lookup = made(PATIENCE_MS);
      hasty = made(BUDGET_MS);
    });
    beforeEach(() => {
      lines.length = 0;
      server.asked.length = 0;
    });
    afterAll(() => server[Symbol.asyncDispose]());

    test("returns the post as it is, with one request", async () => {
      answering(answer(good));
      expect(await lookup.lookup(ref)).toEqual(expected);
      expect(lines).toEqual([]);
      const asked = server.asked.at(-1);
      expect([askedForPost(), asked?.method, asked?.target]).toEqual([1, "GET", subject.target]);
      if (subject.credential !== undefined) {
        const { header, value } = subject.credential;
        expect(asked?.headers[header]).toBe(value);
      }
      expect([asked?.headers["accept-encoding"], asked?.headers.cookie]).toEqual(["identity", undefined]);
    });

    test("returns a long post completely", async () => {
      answering(answer(recorded("long")));
      expect((await lookup.lookup(ref)).text).toEndWith("My code is K7QM-2RTX.");
    });

    test.each(Object.entries(KINDS).filter(([about]) => subject.answers[about] !== undefined))(
      "recognizes %s as %s",
      async (about, kind) => {
        answering(answer(recorded(about)));
        expect(await lookup.lookup(ref)).toMatchObject({ kind: kind as PostKind, accountId: expected.accountId });
      },
    );

    const { links } = subject;
    if (links !== undefined) {
      test("expands links to what readers see", async () => {
        answering(answer(recorded(links.about)));
        expect((await lookup.lookup(ref)).text).toBe(links.text);
      });
    }

    const outcomes = { ...OUTCOMES, ...subject.outcomes };
    test.each(Object.entries(outcomes).filter(([about]) => subject.answers[about] !== undefined))(
      "answers %s with %s",
      async (about, code) => {
        const { body, ...head } = recorded(about);
        answering(answer({ ...head, body: { ...(body as object), _note: MARK } }));
        expect((await refusal()).code).toBe(code as AppError["code"]);
        expect(askedForPost()).toBe(1);
        // A missing post is not a failure.
        expect(lines).toHaveLength(code === "post_not_found" ? 0 : 1);
      },
    );

    test("reports when a rate limit ends", async () => {
      answering(answer(recorded("limited")));
      expect((await refusal()).retryAfter).toBe(90);
      answering(answer({ status: 429, headers: HTML, raw: "<h1>429</h1>" }));
      expect((await refusal()).retryAfter).toBe(60);
    });

    const whole = JSON.stringify(good.body);
    test.each<[string, Recorded]>([
      ["an HTML page with 200", { status: 200, headers: HTML, raw: `<html>${MARK}</html>` }],
      ["an HTML page that calls itself JSON", { status: 200, raw: `<html>${MARK}</html>` }],
      ["an HTML page with 404", { status: 404, headers: HTML, raw: `<html>${MARK}</html>` }],
      ["an error with 500", { status: 500, body: { error: MARK } }],
      ["JSON that ends early", { status: 200, raw: whole.slice(0, whole.length / 2) }],
      ["no body", { status: 200 }],
      ["no content", { status: 204 }],
      ["null", { status: 200, raw: "null" }],
      ["a list", { status: 200, body: [MARK] }],
      ["bytes that are not UTF-8", { status: 200, raw: Buffer.from(whole.replace("K7QM", "\u00ff"), "latin1") }],
      ["endless nesting", { status: 200, raw: "[".repeat(100_000) }],
      ["a body whose Content-Length exceeds the limit", { status: 200, raw: whole + " ".repeat(256 * 1024) }],
      ["a compressed body", { status: 200, headers: { "content-encoding": "gzip" }, raw: gzipSync(whole) }],
    ])("treats %s as a failure without a retry", async (_, recorded) => {
      answering(answer(recorded));
      expect((await refusal()).code).toBe("social_lookup_failed");
      expect(askedForPost()).toBe(1);
      expect(lines).toHaveLength(1);
    });

    test.each<[string, Answering]>([
      ["an endless body without a Content-Length", goOn(good)],
      ["a body that arrives slowly", goOn(good, 20)],
      ["silence", sayNothing],
    ])("abandons %s in time and closes the connection", async (_, how) => {
      answering(how);
      const passed = stopwatch();
      expect((await refusal(hasty)).code).toBe("social_lookup_failed");
      expect(passed()).toBeLessThan(BUDGET_MS + 300);
      expect(askedForPost()).toBe(1);
      await eventually("the connection is closed", () => server.open === 0);
    });

    test("follows no redirect", async () => {
      await using elsewhere = await AnsweringServer.start();
      elsewhere.answering = answer(good);
      for (const status of [301, 302, 303, 307, 308]) {
        answering(answer({ status, headers: { location: `${elsewhere.url}${subject.target}` }, body: good.body }));
        expect((await refusal()).code).toBe("social_lookup_failed");
      }
      expect(elsewhere.asked).toEqual([]);
    });

    test.each<[string, Answering]>([
      ["a reset", reset],
      ["an incomplete body", breakOff(good)],
      ["502", answer({ status: 502, headers: HTML, raw: "<h1>Bad gateway</h1>" })],
      ["503", answer({ status: 503, body: { error: MARK } })],
    ])("retries %s once", async (_, how) => {
      answering(inTurn(how, answer(good)));
      expect(await lookup.lookup(ref)).toEqual(expected);
      expect([askedForPost(), lines.length]).toEqual([2, 0]);
      answering(how);
      expect((await refusal()).code).toBe("social_lookup_failed");
      expect([askedForPost(), lines.length]).toEqual([4, 1]);
    });

    test("returns the requested post or a known refusal for any JSON", async () => {
      const body = fc.oneof({ weight: 9, arbitrary: twisted(good.body) }, fc.jsonValue({ maxDepth: 3 }));
      await fc.assert(
        fc.asyncProperty(body, fc.constantFrom(200, 400, 404), async (body, status) => {
          answering(answer({ status, body }));
          const { url, provider, ...found } = await lookup.lookup(ref).catch((error: unknown) => {
            if (!(error instanceof AppError)) throw error;
            return { url: expected.url, provider: ref.provider, code: error.code };
          });
          expect(provider).toBe(ref.provider);
          if ("code" in found) expect(["post_not_found", "social_lookup_failed"]).toContain(found.code);
          else
            expect([typeof found.text, Number.isFinite(found.createdAt), /^[\w.:@-]+$/.test(found.accountId)]).toEqual([
              "string",
              true,
              true,
            ]);
        }),
        { numRuns: 150 },
      );
    });

    test("never writes the credential to the log or a refusal", async () => {
      const secret = subject.credential?.secret ?? MARK;
      for (const how of [
        reset,
        sayNothing,
        answer({ status: 401, body: { error: secret } }),
        answer(recorded("limited")),
      ]) {
        answering(how);
        const error = await refusal(how === sayNothing ? hasty : lookup);
        expect(JSON.stringify([error, error.stack, error.cause, lines])).not.toContain(secret);
      }
      expect(lines.length).toBeGreaterThan(2);
    });
  });
}
