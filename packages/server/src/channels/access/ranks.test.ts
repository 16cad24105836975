import { describe, expect, test } from "bun:test";
import type { UserIdentity } from "../../http/identity.ts";
import type { ChannelRole } from "../channel.ts";
import { mayManage } from "./access.ts";
import { mayActOn } from "./ranks.ts";

const user = (adminLevel: number | null): UserIdentity => ({
  kind: "user",
  sessionId: 1,
  userId: 1,
  key: "u1",
  username: "ada",
  adminLevel,
  honorLevel: 0,
  authenticatedAt: 0,
  lacksFactor: false,
});

describe("mayActOn", () => {
  test.each<[level: number | null, role: ChannelRole | null, below: (ChannelRole | null)[]]>([
    [null, "member", [null]],
    [null, "admin", [null, "member"]],
    [null, "owner", [null, "member", "admin"]],
    [1, null, [null, "member", "admin"]],
    [1, "owner", [null, "member", "admin"]],
    [2, null, [null, "member", "admin", "owner"]],
    [3, "member", [null, "member", "admin", "owner"]],
  ])("level %p with role %p acts on %p", (level, role, below) => {
    for (const target of [null, "member", "admin", "owner"] as const) {
      expect([target, mayActOn(user(level), role, target)]).toEqual([target, below.includes(target)]);
    }
  });
});

describe("mayManage", () => {
  test.each<[level: number | null, role: ChannelRole | null, needs: string[]]>([
    [null, null, []],
    [null, "member", []],
    [null, "admin", ["moderator", "admin"]],
    [null, "owner", ["moderator", "admin", "owner"]],
    [1, null, ["moderator"]],
    [1, "admin", ["moderator", "admin"]],
    [2, null, ["moderator", "admin", "owner"]],
    [3, null, ["moderator", "admin", "owner"]],
  ])("level %p with role %p may %p", (level, role, needs) => {
    for (const need of ["moderator", "admin", "owner"] as const) {
      expect([need, mayManage(user(level), role, need)]).toEqual([need, needs.includes(need)]);
    }
  });

  test("agents and guests manage nothing", () => {
    expect(mayManage({ kind: "agent", keyId: "k", agentId: 1, key: "a1" }, "member", "moderator")).toBeFalse();
    expect(mayManage({ kind: "guest" }, null, "moderator")).toBeFalse();
  });
});
