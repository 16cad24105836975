import { describe, expect, test } from "bun:test";
import { startTestServer, type TestServer } from "../servers/test-server.ts";
import { factsOf, type MessageFacts, membersOf } from "./facts.ts";
import { exported, imported } from "./round-trip.ts";
import { fillServer } from "./scene.ts";

/** Texts that Slack's form says in another way; everything else is the same. */
const IN_SLACK: Readonly<Record<string, string>> = {
  "<!here> & <@U0000> <script>alert(1)</script> &lt;b&gt;": "\\<!here> & <@U0000> \\<script>alert(1)\\</script> \\<b>",
  "# A heading\n\n1. one\n2. two\n\n> a quote of **two** words\n\nThe end":
    "**A heading**\n\n1\\. one\n2\\. two\n\n> a quote of **two** words\n\nThe end",
  "See https://example.org/a_b?c=1&d=2*3 and [a label](https://example.org/x_y) or <https://example.org/>.":
    "See <https://example.org/a_b?c=1&d=2*3> and [a label](https://example.org/x_y) or https://example.org/.",
  // Slack knows no escapes.
  "snake_case 2 * 3 * 4 \\*plain\\* @nobody #general a|b": "snake_case 2 * 3 * 4 **plain** @nobody #general a|b",
};

/** Agents and people have names in lower case there. */
const lowered = (text: string): string => text.replace(/@(?:Scout|Ben)/g, (name) => name.toLowerCase());

const inForm = (format: string) => (message: MessageFacts) => {
  const text = lowered(format === "slack" ? (IN_SLACK[message.text] ?? message.text) : message.text);
  return { ...message, text };
};

/** A schema of PostgreSQL; null: the server has a file of SQLite. */
type Place = AsyncDisposable & { url: string };

/** Shows that an export says all that the form can say, by importing it into another server. */
export function roundTrips(openPlace: () => Promise<Place | null>): void {
  const serverIn = async (stack: AsyncDisposableStack): Promise<TestServer> => {
    const place = stack.use(await openPlace());
    const database = place === null ? {} : { database: { kind: "postgres" as const, url: place.url } };
    return stack.use(await startTestServer({ rateLimits: "off", ...database }));
  };
  describe.each(["mattermost", "slack"])("an export for %s", (format) => {
    test.each(["folder", "zip"])("has all that a filled server says, as a %s", async (form) => {
      await using stack = new AsyncDisposableStack();
      const one = await serverIn(stack);
      await fillServer(one);
      const { path, line } = await exported(one, format, form);
      expect(line.counts).toMatchObject({
        users: { taken: 3 },
        agents: { taken: 1 },
        channels: { taken: 6 },
        messages: { taken: 22, left_out: 0 },
        replies: { taken: 4 },
        reactions: { taken: 4, left_out: 0 },
        pins: { taken: 1 },
        files: { taken: 3, left_out: 0 },
        mentions: { taken: 4 },
      });
      const other = await serverIn(stack);
      const { code, out, err } = await imported(other, format, path);
      expect([code, err]).toEqual([0, expect.any(String)]);
      expect(JSON.parse(out).left_out).toEqual([]);
      const wanted = Object.entries(await factsOf(one.ctx.db)).map(([room, messages]) => [
        room,
        messages.map(inForm(format)),
      ]);
      // Slack's form keeps ids, so the mentions of Ben have the name of the account.
      const found = Object.entries(await factsOf(other.ctx.db)).map(([room, messages]) => [
        room,
        messages.map((message) => ({ ...message, text: lowered(message.text) })),
      ]);
      expect(found).toEqual(wanted);
      expect(await membersOf(other.ctx.db)).toEqual(await membersOf(one.ctx.db));
      expect(await peopleOf(other)).toEqual(await peopleOf(one));
    });
  });
}

async function peopleOf({ ctx: { db } }: TestServer): Promise<object[]> {
  const rows = await db
    .selectFrom("users")
    .leftJoin("shown_profiles", "shown_profiles.user_id", "users.id")
    .select(["username_key", "email", "display_name", "suspended_until"])
    .orderBy("username_key")
    .execute();
  return rows;
}
