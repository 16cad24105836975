import { describe, expect, test } from "bun:test";
import { startNodes } from "../support/cluster/start-nodes.ts";

describe("three nodes on one database", () => {
  test("know the accounts that another node has registered", async () => {
    await using cluster = await startNodes(3, { bus: "memory" });
    const [first, , third] = cluster.nodes;
    const ann = await first?.user("ann");
    const answer = await third?.guest.get("/api/auth/sessions", { headers: ann?.credential ?? {} });
    expect(answer?.body).toMatchObject({ success: true, sessions: [{}] });
  });
});
