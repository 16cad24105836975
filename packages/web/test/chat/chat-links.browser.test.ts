import { describe, expect, test } from "bun:test";
import { eachServer } from "../support/browser-world.ts";

/** A link to a message of this site opens here, and shows the message to those who may read it. */
describe("links to messages of this site", () => {
  // The page asks for what a reader may not see, and is refused.
  const world = eachServer(undefined, [403, 404]);

  test("jump in place, and show the message where it is posted, as far as the reader may see it", async () => {
    const [ann, bob] = [await world.server.user("ann"), await world.server.user("bob")];
    const say = async (channel_slug: string, content: string) =>
      (await ann.post("/api/messages", { channel_slug, content })).body.message_id;
    await ann.post("/api/channels", { name: "Lab" });
    await ann.post("/api/channels", { name: "Vault", is_private: true });
    const open = await say("lab", "The result is **amber**.");
    const secret = await say("vault", "The code is indigo.");
    const at = (slug: string, id: number) => `${world.server.url}/#/c/${slug}/${id}`;
    await say("general", `Read ${at("lab", open)} and ${at("vault", secret)}, please.`);
    const visits = { ann: await world.open({ as: ann }), bob: await world.open({ as: bob }) };
    const shown = (who: "ann" | "bob") => visits[who].page.locator(".linked-message");
    await shown("bob").getByText("The result is amber.").waitFor();
    await shown("ann").getByText("The code is indigo.").waitFor();
    expect(await shown("ann").count()).toBe(2);
    // Both are asked for at once; what bob may see is there.
    expect(await shown("bob").count()).toBe(1);
    expect(await visits.bob.page.getByText("indigo").count()).toBe(0);
    const { page } = visits.bob;
    const link = page.getByRole("link", { name: at("lab", open) });
    expect(await link.getAttribute("target")).toBeNull();
    await link.click();
    await page.locator("header.bar").getByText("Lab").waitFor();
    await page.locator(".message.highlighted").getByText("The result is amber.").waitFor();
    expect(page.context().pages()).toHaveLength(1);
    // It is not stored, nor sent to anybody.
    const { body } = await ann.get("/api/messages?channel_slug=general");
    expect(JSON.stringify(body.messages.at(-1))).not.toContain("amber");
  });

  test("a channel's name is a link for those who have the channel, and text for others; an email address is a link", async () => {
    const [ann, bob] = [await world.server.user("ann"), await world.server.user("bob")];
    await ann.post("/api/channels", { name: "Lab" });
    await ann.post("/api/channels", { name: "Vault", is_private: true });
    const content = "See #lab and **#vault**, `#lab`, or write to ada@example.org.";
    await ann.post("/api/messages", { channel_slug: "general", content });
    const visits = { ann: await world.open({ as: ann }), bob: await world.open({ as: bob }) };
    const links = (who: "ann" | "bob") => visits[who].message("or write to").locator(".body a");
    await links("ann").nth(2).waitFor();
    expect(await links("ann").allTextContents()).toEqual(["#lab", "#vault", "ada@example.org"]);
    await links("bob").nth(1).waitFor();
    expect(await links("bob").allTextContents()).toEqual(["#lab", "ada@example.org"]);
    expect(await links("bob").last().getAttribute("href")).toBe("mailto:ada@example.org");
    await links("bob").first().focus();
    await visits.bob.page.keyboard.press("Enter");
    await visits.bob.page.locator("header.bar").getByText("Lab").waitFor();
  });
});
