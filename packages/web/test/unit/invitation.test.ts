import { expect, test } from "bun:test";
import { invitationLink, parseInvitation } from "../../src/state/invitation.ts";

const parse = (address: string) => parseInvitation(new URL(address, "https://chat.example.org"));

test("an invitation link carries the code and the channel, which the page reads back", () => {
  const link = invitationLink("https://chat.example.org", "AX533HNPVK", "tea-house");
  expect(link).toBe("https://chat.example.org/join?invite=AX533HNPVK&channel=tea-house");
  expect(parse(link)).toEqual({ code: "AX533HNPVK", channelSlug: "tea-house" });
  expect(parse(invitationLink("https://chat.example.org", "AX533HNPVK", null))).toEqual({
    code: "AX533HNPVK",
    channelSlug: null,
  });
});

test("what a link lacks or leaves empty is null, and other addresses are no invitations", () => {
  expect(parse("/join")).toEqual({ code: null, channelSlug: null });
  expect(parse("/join?invite=%20&channel=Tea#/c/general")).toEqual({ code: null, channelSlug: "tea" });
  expect(parse("/?invite=AX533HNPVK")).toBeNull();
  expect(parse("/joined?invite=AX533HNPVK")).toBeNull();
});
