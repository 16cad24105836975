import { expect, test } from "bun:test";
import fc from "fast-check";
import { joinRoutes } from "../../agents/join.routes.ts";
import { memberKey, parseMemberKey } from "../../http/identity.ts";
import { copyPath, parsePlaceResource, placeResource } from "./pricing.ts";

const ids = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

test("the resource of a place names its channel", () => {
  fc.assert(fc.property(ids, (id) => expect(parsePlaceResource(placeResource(id))).toBe(id)));
});

test("the principal of a payment names its account", () => {
  const members = fc.record({ kind: fc.constantFrom("user" as const, "agent" as const), id: ids });
  fc.assert(fc.property(members, (member) => expect(parseMemberKey(memberKey(member))).toEqual(member)));
});

test("the resource of a place is the path of the route that joins a channel", () => {
  const paths = joinRoutes.map(({ path }) => path.replace(":channel_id", "7"));
  expect(paths).toContain(placeResource(7));
});

test.each([copyPath({ id: 7 }), "/api/paid/report", "/api/channels/7/join/", "/api/channels/x/join", ""])(
  "the resource %p is no place",
  (resource) => expect(parsePlaceResource(resource)).toBeNull(),
);

test.each(["g", "u", "a", "7", "u7 ", "b7", ""])("the principal %p is no account", (principal) => {
  expect(parseMemberKey(principal)).toBeNull();
});
