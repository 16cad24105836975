import { expect, test } from "bun:test";
import { temporaryFolder } from "../../server/test/support/config.ts";
import { ChildServer, freePort } from "../../server/test/support/servers/child-server.ts";
import { eventually } from "../../server/test/support/servers/test-server.ts";
import type { RealtimeState } from "../src/realtime/realtime-types.ts";
import { QUICK, registered } from "./support/clients.ts";
import { RecordingSubscriber } from "./support/recording-subscriber.ts";

test("after kill -9 and a restart the feed continues and pending messages arrive once", async () => {
  await using server = new ChildServer(temporaryFolder(), freePort());
  await server.start();
  const ana = await registered(server.url, "ana", { maxRetries: 1_000 });
  const live = ana.realtime({ backoff: QUICK });
  const states: RealtimeState[] = [];
  live.onState((state) => states.push(state));
  using follower = new RecordingSubscriber(ana, live);
  await follower.isJoined();
  const first = (follower.feed.position?.seq ?? 0) + 1;
  const { epoch } = live;
  const sent: string[] = [];
  for (let kill = 1; kill <= 5; kill++) {
    const batch = Array.from({ length: 40 }, (_, n) => `${kill}-${n}`);
    sent.push(...batch);
    const sending = Promise.all(batch.map((content) => live.send({ channel_slug: "general", content })));
    const posting = ana.messages.send({ channel_slug: "general", content: `${kill}-http` });
    sent.push(`${kill}-http`);
    if (kill > 1)
      await eventually("some have arrived", () => follower.texts.some((text) => text.startsWith(`${kill}-`)));
    await server.end("SIGKILL");
    await eventually("the break is noticed", () => live.state !== "live");
    await server.start();
    await Promise.all([sending, posting]);
  }
  await follower.reaches(first + sent.length - 1);
  follower.expectRun(first, first + sent.length - 1);
  expect(follower.texts.toSorted()).toEqual(sent.toSorted());
  // Messages of one socket keep their order, retried or not.
  const overSocket = follower.texts.filter((text) => !text.endsWith("http"));
  expect(overSocket).toEqual(sent.filter((text) => !text.endsWith("http")));
  expect(live.epoch).toBe(epoch);
  expect(live.user).toEqual({ username: "ana", admin_level: null });
  expect(states.filter((state) => state === "live").length).toBeGreaterThanOrEqual(6);
});

test("after SIGTERM connections close with 1012 and return as soon as the server does", async () => {
  await using server = new ChildServer(temporaryFolder(), freePort());
  await server.start();
  const ana = await registered(server.url, "ana");
  using follower = new RecordingSubscriber(ana, ana.realtime({ backoff: QUICK }));
  await follower.isJoined();
  expect(await server.end("SIGTERM")).toBe(0);
  await server.start();
  await ana.messages.send({ channel_slug: "general", content: "after the restart" });
  await eventually("it is heard", () => follower.texts.includes("after the restart"));
});
