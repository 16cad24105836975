import type { FakeNetworks } from "../../../../../examples/key-claim/fake-networks.ts";
import { changeStanding } from "../../../src/accounts/levels-and-suspensions.ts";
import { sessionCookie, startSession } from "../../../src/accounts/sessions/sessions.ts";
import { revokeKey } from "../../../src/agents/keys/keys.ts";
import { chainsOf } from "../../../src/chains/chains.ts";
import type { Config } from "../../../src/config/config.ts";
import type { AppContext } from "../../../src/context.ts";
import { transact } from "../../../src/db/transact.ts";
import type { AgentIdentity, UserIdentity } from "../../../src/http/identity.ts";
import { publishControl } from "../../../src/realtime/control/control.ts";
import * as actors from "../actors.ts";
import type { ClaimWorld } from "../browser/claim-walk.ts";
import { ScriptedChain } from "../chains/scripted-chain.ts";
import { Client, PASSWORD, startTestServer, type TestServer } from "../servers/test-server.ts";
import { ROLES, type Role, USERS, type UserRole } from "./roles.ts";

/** One password for all accounts and locked channels, because hashing is slower than the rest of a trial. */
export const PASSWORD_OF_ALL = PASSWORD;
const LEVELS: Partial<Record<Role, number>> = { "level 1": 1, "level 2": 2, "level 3": 3 };
const HOUR_MS = 3_600_000;
/** A caller. Guests and suspended users have no identity. */
export interface Person {
  credential: Record<string, string>;
  identity: UserIdentity | AgentIdentity | null;
}

/** A server with one caller of every kind. */
export class People implements AsyncDisposable {
  server: TestServer;
  readonly posts: FakeNetworks;
  readonly #people = new Map<Role, Person>();
  #author: UserIdentity | undefined;
  /** The hash of `PASSWORD_OF_ALL`. */
  protected passwordHash = "";
  #made = 0;

  protected constructor({ server, posts }: ClaimWorld) {
    this.server = server;
    this.posts = posts;
    this.#addChain();
  }

  /** Adds a chain, because a server without a recipient for payments can sell nothing. */
  #addChain(): void {
    chainsOf(this.ctx).add(new ScriptedChain());
  }

  protected async fill(): Promise<void> {
    this.#people.set("guest", { credential: {}, identity: null });
    for (const role of USERS) this.#people.set(role, await this.#register(nameOf(role), LEVELS[role] ?? null));
    const suspended = await this.#register("suspended", null);
    const until = { suspendedUntil: this.ctx.clock.now() + HOUR_MS };
    await changeStanding(this.ctx, this.user("level 3"), "suspended", until);
    this.#people.set("suspended", { ...suspended, identity: null });
    for (const role of ROLES.slice(ROLES.indexOf("agent"))) this.#people.set(role, await this.#issue(role));
    const { identity: author } = await this.#register("author", null);
    if (author?.kind === "user") this.#author = author;
    const users = this.ctx.db.selectFrom("users").select("password_hash").where("username", "=", "author");
    this.passwordHash = (await users.executeTakeFirstOrThrow()).password_hash ?? "";
  }

  async #register(username: string, level: number | null): Promise<Person> {
    await this.server.user(username);
    const { ctx } = this;
    const update = ctx.db.updateTable("users").set({ admin_level: level }).where("username", "=", username);
    const { id } = await update.returning("id").executeTakeFirstOrThrow();
    await tell(ctx, "user_changed", id);
    return this.#session(id);
  }

  async #session(userId: number): Promise<Person> {
    const { token, identity } = await startSession(this.ctx, userId, { address: "127.0.0.1", userAgent: null });
    const cookie = sessionCookie(this.server.config, token).split(";", 1)[0] ?? "";
    return { credential: { cookie }, identity };
  }

  async #issue(role: Role): Promise<Person> {
    const { credential, agentId, keyId } = await this.server.agent(nameOf(role));
    if (role === "revoked key") await revokeKey(this.ctx, keyId);
    if (role === "paused agent")
      await this.ctx.db.updateTable("agents").set({ paused: 1 }).where("id", "=", agentId).execute();
    return { credential, identity: { kind: "agent", keyId, agentId, key: `a${agentId}` } };
  }

  get ctx(): AppContext {
    return this.server.ctx;
  }

  /** Returns a unique name. */
  name(what = "extra"): string {
    this.#made += 1;
    return `${what}-${this.#made}`;
  }

  person(role: Role): Person {
    const found = this.#people.get(role);
    if (found === undefined) throw new Error(`There is no ${role}.`);
    return found;
  }

  user(role: Role): UserIdentity {
    const { identity } = this.person(role);
    if (identity?.kind !== "user") throw new Error(`${role} is not a user.`);
    return identity;
  }

  agent(role: Role): AgentIdentity {
    const { identity } = this.person(role);
    if (identity?.kind !== "agent") throw new Error(`${role} is not an agent.`);
    return identity;
  }

  client(role: Role): Client {
    return new Client(this.server.url, this.person(role).credential);
  }

  /** Replaces this caller with a disposable user of the same level until the returned object is disposed. */
  async standIn(role: UserRole): Promise<Disposable> {
    const person = this.person(role);
    const { userId } = await this.extra(LEVELS[role] ?? null);
    await this.ctx.db.updateTable("users").set({ password_hash: this.passwordHash }).where("id", "=", userId).execute();
    this.#people.set(role, await this.#session(userId));
    return { [Symbol.dispose]: () => void this.#people.set(role, person) };
  }

  /** Creates another user, who is in no channel. */
  extra(level: number | null = null): Promise<UserIdentity> {
    return actors.user(this.ctx, this.name(), level);
  }

  get author(): UserIdentity {
    if (this.#author === undefined) throw new Error("The author does not exist yet.");
    return this.#author;
  }

  /** Restarts the server with other settings and the same people. */
  async restart(config: Partial<Config>): Promise<void> {
    const before = this.server.config;
    await this.server[Symbol.asyncDispose]();
    this.server = await startTestServer({ ...before, ...config });
    this.#addChain();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    this.posts[Symbol.dispose]();
  }
}

/** Returns the name of the caller in this role: `level 2` is named `the-level-2`. */
export const nameOf = (role: Role): string => `the-${role.replaceAll(" ", "-")}`;

/** Announces a change that a test has made in the database alone. */
export const tell = (ctx: AppContext, kind: "user_changed" | "channel_changed", subject: number): Promise<void> =>
  transact(ctx, async (ctx) => publishControl(ctx, kind, subject));
