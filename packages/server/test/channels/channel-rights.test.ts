import { describe, expect, test } from "bun:test";
import { hashPassword } from "../../src/accounts/passwords/passwords.ts";
import { publishControl } from "../../src/realtime/control/control.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { type Answered, type Client, startTestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

/** The rights table of protocol §1 for channels, over real HTTP: every caller, every act, every kind of channel. */
const CALLERS = [
  "guest",
  "user",
  "member",
  "admin",
  "owner",
  "moderator",
  "administrator",
  "agent",
  "added agent",
] as const;
type Caller = (typeof CALLERS)[number];
type Kind = "public" | "locked" | "hidden";

const KINDS: readonly Kind[] = ["public", "locked", "hidden"];
const OUTSIDE: Record<Kind, string> = { public: "", locked: "password_required", hidden: "channel_not_found" };

interface Act {
  perform(client: Client, channelId: number): Promise<Answered>;
  /** The callers who may perform the act in a public channel; the others get the code. */
  allowed: readonly Caller[];
  refusals?: Partial<Record<Caller, string>>;
  /** Whether a caller without a session may try the act. */
  isOpen?: boolean;
  /** Whether an API key may try the act. */
  takesKeys?: boolean;
}

const STAFF: readonly Caller[] = ["admin", "owner", "moderator", "administrator"];
const WITH_SESSION: readonly Caller[] = ["user", "member", "admin", "owner", "moderator", "administrator"];

const until = new Date(Date.now() + 3_600_000).toISOString();
const ACTS: Record<string, Act> = {
  "read it": { perform: (who, id) => who.get(`/api/channels/${id}`), allowed: CALLERS, isOpen: true },
  "list its members": { perform: (who, id) => who.get(`/api/channels/${id}/members`), allowed: CALLERS, isOpen: true },
  "list who is online": { perform: (who, id) => who.get(`/api/channels/${id}/online`), allowed: CALLERS, isOpen: true },
  "read its history": {
    perform: (who, id) => who.get(`/api/messages?channel_id=${id}`),
    allowed: CALLERS,
    isOpen: true,
  },
  "join it": {
    perform: (who, id) => who.post(`/api/channels/${id}/join`),
    allowed: [...WITH_SESSION, "agent", "added agent"],
    takesKeys: true,
  },
  "leave it": {
    perform: (who, id) => who.post(`/api/channels/${id}/leave`),
    allowed: [...WITH_SESSION.filter((caller) => caller !== "owner"), "agent", "added agent"],
    refusals: { owner: "owner_cannot_leave" },
    takesKeys: true,
  },
  "update it": {
    perform: (who, id) => who.put(`/api/channels/${id}`, { topic: "tea" }),
    allowed: ["admin", "owner", "administrator"],
  },
  "hand it over": {
    perform: (who, id) => who.put(`/api/channels/${id}`, { owner_username: "target" }),
    allowed: ["owner", "administrator"],
  },
  "mute a member": {
    perform: (who, id) => who.put(`/api/channels/${id}/members/target`, { muted_until: until }),
    allowed: STAFF,
  },
  "mute an agent": {
    perform: (who, id) => who.put(`/api/channels/${id}/members/Added`, { muted_until: until }),
    allowed: STAFF,
  },
  "make an admin": {
    perform: (who, id) => who.put(`/api/channels/${id}/members/target`, { role: "admin" }),
    allowed: ["owner", "administrator"],
  },
  "add someone": { perform: (who, id) => who.put(`/api/channels/${id}/members/outsider`, {}), allowed: STAFF },
  "kick a member": { perform: (who, id) => who.delete(`/api/channels/${id}/members/target`), allowed: STAFF },
  "kick an admin": {
    perform: (who, id) => who.delete(`/api/channels/${id}/members/admin2`),
    allowed: ["owner", "moderator", "administrator"],
  },
  "delete it": { perform: (who, id) => who.delete(`/api/channels/${id}`), allowed: ["owner", "administrator"] },
};

/** Returns what the table says: the code of the refusal, or `ok`. */
function expected(act: Act, caller: Caller, kind: Kind): string {
  if (act.isOpen !== true && caller === "guest") return "session_required";
  if (act.isOpen !== true && act.takesKeys !== true && caller.includes("agent")) return "session_required";
  const isOutside = ["guest", "user", "moderator", "agent"].includes(caller);
  if (kind !== "public" && isOutside) return OUTSIDE[kind];
  if (act.allowed.includes(caller)) return "ok";
  return act.refusals?.[caller] ?? "forbidden";
}

const clients = {} as Record<Caller, Client>;
let stages = 0;

const server = await forAllTests(startTestServer());
clients.guest = server.guest;
for (const name of ["user", "member", "admin", "owner"] as const) clients[name] = await server.user(`the-${name}`);
for (const name of ["target", "outsider", "admin2"]) await server.user(name);
clients.moderator = await staff(server, "mod1", 1);
clients.administrator = await staff(server, "adm1", 2);
clients.agent = await server.agent("Stranger");
clients["added agent"] = await server.agent("Added");

/** All locked channels share one password hash, because real ones would take most of this file's time. */
let hash: string | undefined;

async function lock(id: number): Promise<void> {
  const { ctx } = server;
  hash ??= await hashPassword(ctx, "sesame");
  await ctx.db.updateTable("channels").set({ password_hash: hash }).where("id", "=", id).execute();
  publishControl(ctx, "channel_changed", id);
}

/** Deletes the channel of a stage, whoever owns it by now. */
async function clear(id: number): Promise<null> {
  await clients.administrator.delete(`/api/channels/${id}`);
  return null;
}

/** Creates a channel with a person in each role. */
async function stage(kind: Kind): Promise<number> {
  stages += 1;
  const { owner } = clients;
  const made = await owner.post("/api/channels", { name: `stage ${stages}`, is_private: kind !== "public" });
  expect(made.status).toBe(201);
  const id: number = made.body.channel_id;
  for (const [name, role] of [["the-member"], ["target"], ["Added"], ["the-admin", "admin"], ["admin2", "admin"]]) {
    const answer = await owner.put(`/api/channels/${id}/members/${name}`, role === undefined ? {} : { role });
    expect(answer.status).toBe(200);
  }
  if (kind === "locked") await lock(id);
  return id;
}

const codeOf = ({ status, body }: Answered): string => (status < 300 ? "ok" : body.code);

for (const kind of KINDS) {
  describe(`in a ${kind} channel`, () => {
    for (const [name, act] of Object.entries(ACTS)) {
      test(`the rights table decides who may ${name}`, async () => {
        const found: Partial<Record<Caller, string>> = {};
        let id: number | null = null;
        for (const caller of CALLERS) {
          id ??= await stage(kind);
          found[caller] = codeOf(await act.perform(clients[caller], id));
          // A caller who was refused or only read has changed nothing.
          if (found[caller] === "ok" && act.isOpen !== true) id = await clear(id);
        }
        if (id !== null) await clear(id);
        expect(found).toEqual(Object.fromEntries(CALLERS.map((caller) => [caller, expected(act, caller, kind)])));
      });
    }
  });
}

describe("the rights table for posting", () => {
  const post = (who: Client, id: number) => who.post("/api/messages", { channel_id: id, content: "hello" });
  const send = async (who: Client, slug: string) =>
    who.post("/api/agenthub/send", {
      channel_slug: slug,
      message: "hello",
      agent_name: who === clients.agent ? "Stranger" : "Added",
    });

  test.each<[Kind, Partial<Record<Caller, string>>]>([
    ["public", { guest: "session_required", user: "ok", moderator: "ok", agent: "ok" }],
    [
      "locked",
      {
        guest: "session_required",
        user: "password_required",
        moderator: "password_required",
        agent: "password_required",
      },
    ],
    [
      "hidden",
      {
        guest: "session_required",
        user: "channel_not_found",
        moderator: "channel_not_found",
        agent: "channel_not_found",
      },
    ],
  ])("holds in a %s channel", async (kind, outside) => {
    const id = await stage(kind);
    const slug = (await clients.owner.get(`/api/channels/${id}`)).body.channel.channel_slug;
    for (const caller of CALLERS) {
      const client = clients[caller];
      const answer = caller.includes("agent") ? await send(client, slug) : await post(client, id);
      expect([caller, codeOf(answer)]).toEqual([caller, outside[caller] ?? "ok"]);
    }
    const { members } = (await clients.owner.get(`/api/channels/${id}/members`)).body;
    const names = members.map((member: { name: string }) => member.name);
    expect(names.includes("the-user")).toBe(kind === "public");
    expect(names.includes("Stranger")).toBeFalse();
  });

  test("holds where only admins may post", async () => {
    const id = await stage("public");
    const slug = (await clients.owner.get(`/api/channels/${id}`)).body.channel.channel_slug;
    expect((await clients.owner.put(`/api/channels/${id}`, { post_policy: "admins" })).status).toBe(200);
    const codes: Partial<Record<Caller, string>> = {};
    for (const caller of CALLERS) {
      const client = clients[caller];
      codes[caller] = codeOf(caller.includes("agent") ? await send(client, slug) : await post(client, id));
    }
    expect(codes).toEqual({
      guest: "session_required",
      user: "post_policy",
      member: "post_policy",
      admin: "ok",
      owner: "ok",
      moderator: "post_policy",
      administrator: "ok",
      agent: "post_policy",
      "added agent": "post_policy",
    });
    // A refused caller has not joined.
    const { members } = (await clients.owner.get(`/api/channels/${id}/members`)).body;
    expect(members.map((member: { name: string }) => member.name)).not.toContain("the-user");
  });

  test("holds where agents are not allowed", async () => {
    const id = await stage("public");
    const slug = (await clients.owner.put(`/api/channels/${id}`, { agent_policy: "deny" })).body.channel.channel_slug;
    expect(codeOf(await send(clients.agent, slug))).toBe("agents_not_allowed");
    expect(codeOf(await send(clients["added agent"], slug))).toBe("agents_not_allowed");
    expect(codeOf(await post(clients.user, id))).toBe("ok");
  });

  test("does not reveal a hidden channel by its policy", async () => {
    const id = await stage("hidden");
    const slug = (await clients.owner.put(`/api/channels/${id}`, { agent_policy: "deny" })).body.channel.channel_slug;
    expect(codeOf(await send(clients.agent, slug))).toBe("channel_not_found");
    expect(
      codeOf(await clients.agent.post("/api/agenthub/login", { channel_slug: slug, agent_name: "Stranger" })),
    ).toBe("channel_not_found");
  });

  test("keeps muted users and agents from posting until their time is over", async () => {
    const id = await stage("public");
    const slug = (await clients.owner.get(`/api/channels/${id}`)).body.channel.channel_slug;
    const mute = (name: string, until: string | null) =>
      clients.admin.put(`/api/channels/${id}/members/${name}`, { muted_until: until });
    const own = (await clients.member.post("/api/messages", { channel_id: id, content: "before" })).body.message_id;
    expect((await mute("the-member", until)).body.member.muted_until).toBe(until);
    expect(codeOf(await clients.member.put(`/api/messages/${own}`, { content: "said by an edit" }))).toBe("muted");
    expect((await mute("Added", until)).body.member.muted_until).toBe(until);
    expect(codeOf(await post(clients.member, id))).toBe("muted");
    expect(codeOf(await send(clients["added agent"], slug))).toBe("muted");
    expect((await mute("the-member", null)).body.member.muted_until).toBeNull();
    expect((await mute("Added", "2020-01-01T00:00:00.000Z")).body.member.muted_until).toBeNull();
    expect(codeOf(await post(clients.member, id))).toBe("ok");
    expect(codeOf(await send(clients["added agent"], slug))).toBe("ok");
  });
});

describe("guests on a server without guest reading", () => {
  test("get 401, whether or not the channel exists", async () => {
    await using closed = await startTestServer({ guestRead: false });
    for (const path of [
      "/api/channels",
      "/api/channels/1",
      "/api/channels/1/members",
      "/api/channels/1/online",
      "/api/channels/999",
    ]) {
      const answer = await closed.guest.get(path);
      expect([path, answer.status, answer.body.code]).toEqual([path, 401, "session_required"]);
    }
    const ann = await closed.user("ann");
    expect((await ann.get("/api/channels/1")).status).toBe(200);
  });
});
