import { expect, test } from "bun:test";
import type { AppContext } from "./context.ts";
import { hook, port } from "./hook.ts";

/** A server as far as hooks know it, and one of its transactions. */
function server(): { ctx: AppContext; transaction: AppContext } {
  const ctx = { slots: new Map() } as unknown as { root: AppContext } & AppContext;
  ctx.root = ctx;
  return { ctx, transaction: Object.create(ctx) as AppContext };
}

test("a hook runs its listeners in the order of registration, on the server where they are registered", () => {
  const onNews = hook<(news: string) => void>();
  const { ctx, transaction } = server();
  const heard: string[] = [];
  onNews(ctx, (news) => heard.push(`first ${news}`));
  onNews(transaction, (news) => heard.push(`second ${news}`));
  for (const listener of onNews.of(transaction)) listener("x");
  expect(heard).toEqual(["first x", "second x"]);
  expect(onNews.of(server().ctx)).toEqual([]);
  expect(hook().of(ctx)).toEqual([]);
});

test("a listener may end itself while it runs, once, and the others are still called", () => {
  const onNews = hook<() => void>();
  const { ctx } = server();
  const heard: number[] = [];
  const end = onNews(ctx, () => {
    heard.push(1);
    end();
    end();
  });
  const second = () => void heard.push(2);
  onNews(ctx, second);
  const endAgain = onNews(ctx, second);
  for (const listener of onNews.of(ctx)) listener();
  expect(heard).toEqual([1, 2, 2]);
  endAgain();
  endAgain();
  expect(onNews.of(ctx)).toEqual([second]);
});

test("a call allocates no list: the same one is returned until a listener comes or goes", () => {
  const onNews = hook<() => void>();
  const { ctx } = server();
  const end = onNews(ctx, () => {});
  const before = onNews.of(ctx);
  expect(onNews.of(ctx)).toBe(before);
  end();
  expect(onNews.of(ctx)).not.toBe(before);
  expect(before).toHaveLength(1);
});

test("a port has exactly one implementation for each server", () => {
  const greeter = port<{ greet(): string }>("greeter");
  const { ctx, transaction } = server();
  expect(greeter.find(ctx)).toBeNull();
  expect(() => greeter.of(ctx)).toThrow('The port "greeter" has no implementation.');
  const implementation = { greet: () => "hello" };
  greeter(ctx, implementation);
  expect(greeter.of(transaction)).toBe(implementation);
  expect(greeter.find(transaction)?.greet()).toBe("hello");
  expect(() => greeter(transaction, { greet: () => "hi" })).toThrow(
    'The port "greeter" already has an implementation.',
  );
  expect(greeter.find(server().ctx)).toBeNull();
});
