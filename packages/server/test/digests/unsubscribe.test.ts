import { expect, test } from "bun:test";
import { eraseAll } from "../../src/privacy/erasing.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { DigestScene, MAILING, SETTINGS } from "../support/digest-scene.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { PASSWORD, startTestServer } from "../support/servers/test-server.ts";

const FORM = "application/x-www-form-urlencoded";

/** Ending digests by one POST without a login (RFC 8058, protocol §13.5). */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  const server = await forAllTests(startTestServer(MAILING, { database: await open(), clock }));
  const scene = new DigestScene(server, clock);

  /** A user with a digest, and the path at which a POST ends their digests. */
  async function listed() {
    const people = await scene.people();
    await scene.say(people.bob, people.channel, `@${people.ann.username}`);
    await scene.pass();
    const letter = await scene.letter(people.ann);
    if (!("unsubscribe" in letter)) throw new Error("There is no digest.");
    return { ...people, path: new URL(letter.unsubscribe.url).pathname };
  }

  const digestOf = async (who: { get(path: string): Promise<{ body: { mail: { digest: string } } }> }) =>
    (await who.get(SETTINGS)).body.mail.digest;

  /** As the server of a mail provider asks. */
  const oneClick = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${server.url}${path}`, {
      method: "POST",
      body: "List-Unsubscribe=One-Click",
      headers: { "content-type": FORM, ...headers },
    });

  test("one POST ends the digests, and tells the user's pages; the mails that wait are not sent", async () => {
    const { ann, path } = await listed();
    await using socket = await LiveSocket.open(server.url, ann.credential);
    const answer = await oneClick(path);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(await digestOf(ann)).toBe("off");
    expect((await socket.next("notifications:settings")).data).toMatchObject({ mail: { digest: "off" } });
    expect(await scene.letter(ann)).toEqual({ dropped: "not wanted" });
    expect((await oneClick(path)).status).toBe(200);
  });

  test("it ends nothing but the digests, and the user can turn them on again", async () => {
    const { ann, bob, channel, path } = await listed();
    await ann.put(SETTINGS, { mail: { previews: true }, default: "all" });
    await oneClick(path);
    expect((await ann.get(SETTINGS)).body).toMatchObject({ default: "all", mail: { digest: "off", previews: true } });
    expect((await ann.get("/api/notifications")).body.unread).toBe(1);
    await ann.put(SETTINGS, { mail: { digest: "away" } });
    await scene.say(bob, channel, `@${ann.username} again`);
    await scene.pass(5 * 3_600_000);
    expect(await scene.mails(ann)).toHaveLength(2);
    // The address of an old mail works as long as the account exists.
    expect((await oneClick(path)).status).toBe(200);
    expect(await digestOf(ann)).toBe("off");
  });

  test("a form in a body of several parts works, and so does none at all", async () => {
    const { ann, path } = await listed();
    const body = new FormData();
    body.set("List-Unsubscribe", "One-Click");
    expect((await fetch(`${server.url}${path}`, { method: "POST", body })).status).toBe(200);
    expect((await fetch(`${server.url}${path}`, { method: "POST" })).status).toBe(200);
    expect(await digestOf(ann)).toBe("off");
  });

  test("a GET shows a page with a button and changes nothing, whether the token is right or not", async () => {
    const { ann, path } = await listed();
    const page = await fetch(`${server.url}${path}`, { headers: { "accept-language": "es-MX,es;q=0.9" } });
    expect(page.status).toBe(200);
    const text = await page.text();
    expect(text).toContain('<html lang="es">');
    expect(text).toContain('<form method="post">');
    expect(text).not.toContain(ann.username);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(await digestOf(ann)).toBe("away");
    const other = await fetch(`${server.url}/mail/unsubscribe/${"A".repeat(43)}`, {
      headers: { "accept-language": "es" },
    });
    expect(await other.text()).toBe(text);
  });

  test("HEAD, which programs that check links send, changes nothing", async () => {
    const { ann, path } = await listed();
    await fetch(`${server.url}${path}`, { method: "HEAD" });
    expect(await digestOf(ann)).toBe("away");
  });

  test.each([
    ["is none", "nonsense"],
    ["belongs to nobody", "A".repeat(43)],
  ])("a token that %s is an error for programs, and a page for people", async (_, token) => {
    const answer = await oneClick(`/mail/unsubscribe/${token}`);
    expect([answer.status, await answer.json()]).toMatchObject([404, { code: "unsubscribe_unknown" }]);
    const page = await oneClick(`/mail/unsubscribe/${token}`, { accept: "text/html,*/*" });
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
  });

  test("a page of another site cannot send the form for its visitors", async () => {
    const { ann, path } = await listed();
    const answer = await oneClick(path, { origin: "https://evil.example", "sec-fetch-site": "cross-site" });
    expect(answer.status).toBe(403);
    expect(await digestOf(ann)).toBe("away");
  });

  test("the token of a deleted account ends nothing, and what was stored is gone", async () => {
    const { ann, path } = await listed();
    const userId = await scene.idOf(ann);
    expect((await ann.delete(`/api/user/${ann.username}`, { body: { password: PASSWORD } })).status).toBe(200);
    await eraseAll(server.ctx);
    expect(await scene.row(userId)).toBeUndefined();
    expect((await oneClick(path)).status).toBe(404);
  });

  test("the copy of a user's data says when the last digest was sent, without the token", async () => {
    const { ann, path } = await listed();
    const copy = await (
      await fetch(`${server.url}/api/user/${ann.username}/export`, { headers: ann.credential })
    ).text();
    expect(copy).toContain('"digests"');
    expect(copy).not.toContain(path.split("/").at(-1) ?? "");
  });
});
