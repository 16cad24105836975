import { expect, test } from "bun:test";
import type { ParleyClient, RealtimeEvent } from "@parley/sdk";
import { ChannelPreferences } from "../../src/model/calls/channel-preferences.ts";

const muted = { level: null, muted: true };
const settings = (channels: Record<string, typeof muted>): RealtimeEvent => ({
  event: "notifications:settings",
  data: { default: "mentions", channels },
});

test("changes that arrive while the settings load are newer than they are", async () => {
  let answer = (_: object) => {};
  const notifications = () => new Promise((resolve) => (answer = resolve));
  const sidebar = async () => ({ sorting: "activity", channels: {}, activity: [2, 1], mentions: { 2: [7, 8] } });
  const mentions: unknown[] = [];
  const client = { preferences: { notifications, sidebar } } as unknown as ParleyClient;
  const preferences = new ChannelPreferences(client, (id, seqs) => mentions.push([id, seqs]));
  preferences.load();
  preferences.take(settings({ 1: muted }));
  preferences.take({ event: "message:new", data: { channel_id: 1, seq: 1 } } as RealtimeEvent);
  answer({ default: "all", channels: { 2: muted } });
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  expect(preferences.notifications.get()).toMatchObject({ default: "mentions", channels: { 1: muted, 2: muted } });
  expect(preferences.activity.get()).toEqual([1, 2]);
  expect(mentions).toEqual([[2, [7, 8]]]);
  preferences.forget();
  expect(preferences.notifications.get().channels).toEqual({});
});
