import { expect, test } from "bun:test";
import type { Notification } from "@parley/protocol/notifications";
import type { ParleyClient } from "@parley/sdk";
import { NotificationList, withNew, withRead } from "../../src/model/calls/notification-list.ts";

const listed = (notification_id: number, more: Partial<Notification> = {}): Notification => ({
  notification_id,
  kind: "mention",
  channel_id: 1,
  message_id: notification_id,
  from: { kind: "user", name: "ben" },
  read_at: null,
  created_at: "2026-11-24T10:00:00.000Z",
  text: "hello",
  ...more,
});
const ids = (items: readonly Notification[]) => items.map(({ notification_id }) => notification_id);

test("a new notification is at the top, and a changed one keeps its place", () => {
  expect(ids(withNew([listed(2), listed(1)], listed(3)))).toEqual([3, 2, 1]);
  const changed = withNew([listed(2), listed(1)], listed(1, { text: "👍 👎" }));
  expect([ids(changed), changed[1]?.text]).toEqual([[2, 1], "👍 👎"]);
});

test("notifications are read by their ids or up to one of them, and those that were read stay as they were", () => {
  const items = [listed(3), listed(2), listed(1, { read_at: "before" })];
  const read = (by: { ids: number[] | null; up_to_id: number | null }) =>
    withRead(items, by, "now").map(({ read_at }) => read_at);
  expect(read({ ids: [3], up_to_id: null })).toEqual(["now", null, "before"]);
  expect(read({ ids: null, up_to_id: 2 })).toEqual([null, "now", "before"]);
});

test("events that arrive while a page loads are applied to it, and an older answer is ignored", async () => {
  const answers: PromiseWithResolvers<object>[] = [];
  const client = {
    notifications: {
      list: () => {
        const answer = Promise.withResolvers<object>();
        answers.push(answer);
        return answer.promise;
      },
    },
  } as unknown as ParleyClient;
  const list = new NotificationList(client, () => {});
  list.load();
  list.load(true);
  list.take({ event: "notification:new", data: { notification: listed(9), unread: 1 } });
  answers[1]?.resolve({ notifications: [listed(2)], next_before: 2 });
  answers[0]?.resolve({ notifications: [listed(1)], next_before: null });
  await Promise.all(answers.map(({ promise }) => promise));
  await Promise.resolve();
  const { items, next, onlyUnread, state } = list.view.get();
  expect([ids(items), next, onlyUnread, state]).toEqual([[9, 2], 2, true, "ready"]);
});
