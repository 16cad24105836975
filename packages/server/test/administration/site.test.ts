import { describe, expect, test } from "bun:test";
import { createOwner } from "../../src/channels/newcomers.ts";
import { beforeHash } from "../support/before-hash.ts";
import { expectError } from "../support/expect-error.ts";
import { stillGif } from "../support/gifs.ts";
import { png } from "../support/pngs.ts";

import { logIn, startTestServer, type TestServer } from "../support/servers/test-server.ts";
import { auditLines, staff } from "../support/staff.ts";

const SITE = "/api/admin/site";
const PASSWORD = "a long enough password";
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
const shown = async ({ guest }: TestServer) => (await guest.get("/api/site")).body.site;
const register = ({ guest }: TestServer, username: string, more = {}) =>
  guest.post("/api/auth/register", { username, password: PASSWORD, ...more });

describe("the settings of the site", () => {
  test("are the defaults until an administrator changes them, which is audited", async () => {
    await using server = await startTestServer();
    const ada = await staff(server, "ada", 2);
    const free = { name: null, registration: null };
    const before = { name: "Parley", registration: "open", logo: null, version: 0, locked: free };
    expect((await ada.get(SITE)).body.site).toEqual(before);
    const { status, body } = await ada.put(SITE, { name: "  Tea House ", registration: "invite", version: 0 });
    expect([status, body.site]).toEqual([200, { ...before, name: "Tea House", registration: "invite", version: 1 }]);
    expect(await shown(server)).toMatchObject({ name: "Tea House", registration: "invite", logo: null });
    expect(JSON.parse((await server.guest.get("/manifest.webmanifest")).body).name).toBe("Tea House");
    expectError(await register(server, "bob"), 400, "invite_code_required");
    expect((await auditLines(server)).at(-1)).toBe("ada site_update site:1");
    const [entry] = (await ada.get("/api/admin/audit?action=site_update")).body.entries;
    expect(entry.details).toEqual({
      name: "Tea House",
      name_before: "Parley",
      registration: "invite",
      registration_before: "open",
    });
    expect((await ada.put(SITE, { name: null, registration: null })).body.site).toMatchObject({
      ...before,
      version: 2,
    });
    expect((await register(server, "bob")).status).toBe(201);
  });

  test("are refused to moderators, and if the body is empty or the name is invisible", async () => {
    await using server = await startTestServer();
    const [mel, ada] = [await staff(server, "mel", 1), await staff(server, "ada", 2)];
    expectError(await mel.get(SITE), 403, "forbidden");
    expectError(await mel.put(SITE, { name: "Mine" }), 403, "forbidden");
    expectError(await ada.put(SITE, {}), 400, "no_fields");
    expectError(await ada.put(SITE, { version: 0 }), 400, "no_fields");
    for (const name of ["", "  ", "a\u200bb", "x".repeat(41)]) {
      expectError(await ada.put(SITE, { name }), 400, "invalid_request");
    }
    expectError(await ada.put(SITE, { registration: "everybody" }), 400, "invalid_request");
    expect((await ada.get(SITE)).body.site.version).toBe(0);
  });

  test("that the environment sets win, and are locked with the name of the variable", async () => {
    await using server = await startTestServer({ siteName: "Harbour", registration: "invite" });
    await createOwner(server.ctx, "ada", PASSWORD);
    const ada = await logIn(server.url, "ada", PASSWORD);
    await server.ctx.db.updateTable("site").set({ name: "Older", registration: "open" }).execute();
    expect((await ada.get(SITE)).body.site).toMatchObject({
      name: "Harbour",
      registration: "invite",
      locked: { name: "PARLEY_SITE_NAME", registration: "PARLEY_REGISTRATION" },
    });
    const refused = await ada.put(SITE, { name: "Mine" });
    expectError(refused, 409, "setting_locked");
    expect(refused.body.details).toEqual({ variable: "PARLEY_SITE_NAME" });
    expectError(await ada.put(SITE, { registration: "open" }), 409, "setting_locked");
    expectError(await register(server, "bob"), 400, "invite_code_required");
  });

  test("of another version are not overwritten: of 10 changes at once, one passes", async () => {
    await using server = await startTestServer();
    const ada = await staff(server, "ada", 2);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => ada.put(SITE, { name: `Name ${n}`, version: 0 })),
    );
    const codes = answers.map(({ status, body }) => (status === 200 ? "ok" : `${body.code} ${body.details.version}`));
    expect(codes.toSorted()).toEqual(["ok", ...Array.from({ length: 9 }, () => "site_changed 1")].toSorted());
  });
});

describe("the policy of registration", () => {
  test("is decided again in the transaction that makes the account", async () => {
    await using server = await startTestServer();
    const ada = await staff(server, "ada", 2);
    beforeHash(server, () => ada.put(SITE, { registration: "closed" }));
    const late = await register(server, "late");
    expectError(late, 403, "registration_closed");
    expect((await ada.get("/api/user/late")).status).toBe(404);
  });
});

describe("the logo", () => {
  test("is shown at a fixed address with an ETag, as the icon and in the manifest", async () => {
    await using server = await startTestServer();
    const ada = await staff(server, "ada", 2);
    expectError(await server.guest.get("/icons/logo"), 404, "not_found");
    const plain = (await server.guest.get("/favicon.ico")).body;
    const { body } = await ada.put(SITE, {
      logo: `data:image/png;base64,${base64(png(256, 256, { text: "secret" }))}`,
    });
    expect(body.site.logo).toMatch(/^[\w-]{22}$/);
    expect((await shown(server)).logo).toBe(body.site.logo);
    const logo = await fetch(`${server.url}/icons/logo`);
    const etag = logo.headers.get("etag") ?? "";
    expect([logo.status, logo.headers.get("content-type"), etag]).toEqual([200, "image/png", `"${body.site.logo}"`]);
    const bytes = Buffer.from(await logo.arrayBuffer());
    expect(bytes.includes("secret")).toBe(false);
    const again = await fetch(`${server.url}/icons/logo`, { headers: { "if-none-match": etag } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    const icon = await fetch(`${server.url}/favicon.ico`);
    const svg = await icon.text();
    expect(svg).toContain(`href="data:image/png;base64,${base64(bytes)}"`);
    const same = await fetch(`${server.url}/favicon.ico`, {
      headers: { "if-none-match": icon.headers.get("etag") ?? "" },
    });
    expect(same.status).toBe(304);
    expect((await server.guest.get("/favicon.ico?badge=3")).body).toContain(">3</text></svg>");
    const { icons } = JSON.parse((await server.guest.get("/manifest.webmanifest")).body);
    expect(icons).toEqual([{ src: `/icons/logo?v=${body.site.logo}`, type: "image/png", sizes: "256x256" }]);
    expect((await ada.put(SITE, { logo: null })).body.site.logo).toBeNull();
    expectError(await server.guest.get("/icons/logo"), 404, "not_found");
    expect((await server.guest.get("/favicon.ico")).body).toBe(plain);
  });

  test("that is small is an icon beside Parley's, because browsers install no app with it", async () => {
    await using server = await startTestServer();
    const ada = await staff(server, "ada", 2);
    await ada.put(SITE, { logo: base64(png(64, 32)) });
    const { icons } = JSON.parse((await server.guest.get("/manifest.webmanifest")).body);
    expect(icons.map(({ sizes }: { sizes: string }) => sizes)).toEqual([
      "64x32",
      "any",
      "192x192",
      "512x512",
      "512x512",
    ]);
  });

  test.each([
    ["an animation", base64(stillGif()), "invalid_logo", 400],
    ["a text", base64(Buffer.from("<svg/>")), "invalid_logo", 400],
    ["no base64", "!", "invalid_logo", 400],
    ["a wide picture", base64(png(513, 8)), "invalid_logo", 400],
    ["a cut picture", base64(png(64, 64).subarray(0, 60)), "invalid_logo", 400],
    ["a heavy picture", base64(png(500, 500, { noise: true })), "logo_too_large", 413],
  ])("is refused if it is %s", async (_name, logo, code, status) => {
    await using server = await startTestServer();
    const ada = await staff(server, "ada", 2);
    expectError(await ada.put(SITE, { logo }), status, code);
    expect((await ada.get(SITE)).body.site).toMatchObject({ logo: null, version: 0 });
  });
});
