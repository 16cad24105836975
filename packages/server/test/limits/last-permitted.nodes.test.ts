import { afterAll, beforeAll, describe } from "bun:test";
import { type Nodes, startNodes } from "../support/cluster/start-nodes.ts";
import { SETTINGS, sceneOn, testEachLimit } from "./at-once.ts";
import type { Scene } from "./limit-rows.ts";

describe("on two nodes", () => {
  let nodes: Nodes;
  let scene: Scene;
  beforeAll(async () => {
    nodes = await startNodes(2, { bus: "redis", config: SETTINGS });
    scene = sceneOn(nodes.nodes);
  });
  afterAll(() => nodes[Symbol.asyncDispose]());
  testEachLimit(() => scene);
});
