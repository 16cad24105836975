import { expect, test } from "bun:test";
import { isUp, npmStart } from "./npm-start.ts";
import { nodeRuntimes } from "./runtimes.ts";

test("npm start runs on every supported version of Node", async () => {
  for (const { bin } of nodeRuntimes()) {
    const { npm, url } = await npmStart({ path: `${bin}:${process.env.PATH}` });
    expect(await isUp(url)).toBe(true);
    npm.kill("SIGTERM");
    expect(await npm.exited).toBe(0);
  }
});
