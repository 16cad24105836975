import { afterAll, expect, test } from "bun:test";
import { threadId } from "node:worker_threads";
import { OwnThread } from "./own-thread.ts";

const threads: { end(): void }[] = [];
afterAll(() => {
  for (const thread of threads) thread.end();
});

function start<Input, Result>(program: string): OwnThread<Input, Result> {
  const thread = new OwnThread<Input, Result>("test", program);
  threads.push(thread);
  return thread;
}

test("acts run beside this thread, all on the same one", async () => {
  const thread = start<number, number[]>(`
    import { threadId } from "node:worker_threads";
    function act(n) { return [threadId, 2 * n]; }`);
  const [first, doubled] = await thread.run(21);
  expect(doubled).toBe(42);
  expect(first).not.toBe(threadId);
  expect(await thread.run(1)).toEqual([first, 2] as number[]);
});

test("a failing act rejects with its message and code, and the next one runs", async () => {
  const thread = start<string, string>(`
    import { openSync } from "node:fs";
    function act(path) { return path === "" ? "well" : openSync(path); }`);
  await expect(thread.run("/nowhere")).rejects.toMatchObject({ code: "ENOENT" });
  expect(await thread.run("")).toBe("well");
});

test("a second act is refused while one runs", async () => {
  const thread = start<null, null>("function act(x) { return x; }");
  const first = thread.run(null);
  expect(() => thread.run(null)).toThrow("one task at a time");
  await first;
});

test.each([
  ["does not compile", "function act( {"],
  ["exits", "function act() { process.exit(1); }"],
])("an act on a thread that %s is rejected, and so is the next", async (_, program) => {
  const thread = start<null, null>(program);
  await expect(thread.run(null)).rejects.toThrow();
  await expect(thread.run(null)).rejects.toThrow();
});

test("a running act is rejected when its thread is ended, and the next act starts another thread", async () => {
  const thread = start<boolean, boolean>(
    "function act(waits) { if (waits) Bun.password.hashSync('work'); return waits; }",
  );
  const waiting = thread.run(true);
  thread.end();
  await expect(waiting).rejects.toThrow("was terminated");
  expect(await thread.run(false)).toBe(false);
});

test("a thread keeps the process alive only while an act runs", async () => {
  const program = `
    import { OwnThread } from ${JSON.stringify(new URL("./own-thread.ts", import.meta.url).pathname)};
    const thread = new OwnThread("test", "function act() { Bun.password.hashSync('work'); return 'done'; }");
    thread.run(null).then((text) => console.log(text));`;
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" });
  expect(await child.stdout.text()).toBe("done\n");
  expect(await child.exited).toBe(0);
});
