import { describe, expect, test } from "bun:test";
import { PASSWORD } from "../../server/test/support/servers/test-server.ts";
import { staff } from "../../server/test/support/staff.ts";
import { axeProblems } from "./support/axe.ts";
import { eachServer } from "./support/browser-world.ts";

describe("invitations in a browser", () => {
  const world = eachServer();

  test("a user makes one, somebody registers by its link, and it is used up", async () => {
    const ana = await world.server.user("ana");
    const visit = await world.open({ as: ana, viewport: { width: 360, height: 640 } });
    const dialog = await visit.openWindow("ana", "Invite people");
    const part = dialog.getByRole("region", { name: "Invitations that end" });
    await part.getByText("No invitations yet.").waitFor();
    await part.getByLabel("Works for").selectOption("1");
    await part.getByRole("button", { name: "Make an invitation" }).click();
    await part.getByText("Open · 0 of 1 account").waitFor();
    expect(await axeProblems(dialog.page(), "dialog")).toEqual([]);
    expect(await dialog.page().evaluate("document.documentElement.scrollWidth")).toBe(360);
    const link = await part.getByLabel(/^Link of /).inputValue();
    const friend = await world.visits.open(link);
    await friend.getByText("ana invited you.").waitFor();
    const form = friend.getByRole("dialog");
    await form.getByLabel("Username").fill("ben");
    await form.getByLabel("Password").fill(PASSWORD);
    await friend.keyboard.press("Enter");
    await friend.getByRole("heading", { name: "This is the start of #general." }).waitFor();
    const [{ uses, state }] = (await ana.get("/api/invitations")).body.invitations;
    expect([uses, state]).toEqual([1, "used_up"]);
  });

  test("an administrator revokes another user's", async () => {
    const ana = await world.server.user("ana");
    const { code } = (await ana.post("/api/invitations", { uses_max: 5 })).body.invitation;
    const visit = await world.open({ as: await staff(world.server, "rosa", 2) });
    const dialog = await visit.openWindow("rosa", "Administration");
    await dialog.getByRole("tab", { name: "Site" }).click();
    const line = dialog.getByRole("listitem").filter({ hasText: code });
    await line.getByText("Open · by ana · 0 of 5 accounts").waitFor();
    await line.getByRole("button", { name: `Revoke: ${code}` }).click();
    await line.getByText("Revoked · by ana").waitFor();
    expect((await ana.get("/api/invitations")).body.invitations[0].state).toBe("revoked");
  });
});
