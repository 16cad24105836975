import { expect, test } from "bun:test";
import { beforeHash } from "../support/before-hash.ts";
import { startNodes } from "../support/cluster/start-nodes.ts";
import { expectError } from "../support/expect-error.ts";
import { eventually } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

const SITE = "/api/admin/site";
const PASSWORD = "a long enough password";

test("all nodes follow a change of the settings, and no registration outlives the policy", async () => {
  await using cluster = await startNodes(2, { bus: "memory" });
  const [first, second] = cluster.nodes;
  if (first === undefined || second === undefined) throw new Error("The cluster has no nodes.");
  const ada = await staff(first, "ada", 2);
  const shown = async () => (await second.guest.get("/api/site")).body.site;
  const register = (username: string) => second.guest.post("/api/auth/register", { username, password: PASSWORD });
  expect(await shown()).toMatchObject({ name: "Parley", registration: "open" });
  // The other node has heard nothing yet when it makes the account: the transaction reads the database.
  beforeHash(second, () => ada.put(SITE, { name: "Tea House", registration: "closed" }));
  const late = await register("late");
  expectError(late, 403, "registration_closed");
  await eventually("the other node follows", async () => (await shown()).name === "Tea House");
  expectError(await register("bob"), 403, "registration_closed");
  await ada.put(SITE, { registration: "open" });
  await eventually("the other node is open", async () => (await register("bob")).status === 201);
});

test("a closed policy and registrations at once: none commits after the answer", async () => {
  await using cluster = await startNodes(2, { bus: "memory" });
  const [first, second] = cluster.nodes;
  if (first === undefined || second === undefined) throw new Error("The cluster has no nodes.");
  const ada = await staff(first, "ada", 2);
  const names = Array.from({ length: 12 }, (_, n) => `person${n}`);
  const registrations = names.map((username) =>
    second.guest.post("/api/auth/register", { username, password: PASSWORD }),
  );
  expect((await ada.put(SITE, { registration: "closed" })).status).toBe(200);
  const countNow = async () =>
    Number(
      (
        await first.ctx.db
          .selectFrom("users")
          .select((eb) => eb.fn.countAll().as("n"))
          .executeTakeFirstOrThrow()
      ).n,
    );
  const then = await countNow();
  const codes = (await Promise.all(registrations)).map(({ status, body }) => (status === 201 ? "made" : body.code));
  expect(await countNow()).toBe(then);
  expect(new Set(codes).difference(new Set(["made", "registration_closed"])).size).toBe(0);
});
