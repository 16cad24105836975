import { afterAll, beforeAll } from "bun:test";
import { eachDatabase } from "../support/databases.ts";
import { startTestServer, type TestServer } from "../support/servers/test-server.ts";
import { SETTINGS, sceneOn, testEachLimit, testRowsAreComplete } from "./at-once.ts";
import type { Scene } from "./limit-rows.ts";

testRowsAreComplete();

eachDatabase((_, open) => {
  let server: TestServer;
  let scene: Scene;
  beforeAll(async () => {
    server = await startTestServer(SETTINGS, { database: await open() });
    scene = sceneOn([server]);
  });
  afterAll(() => server[Symbol.asyncDispose]());
  testEachLimit(() => scene);
});
