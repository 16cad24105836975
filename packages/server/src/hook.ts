import { type AppContext, perServer } from "./context.ts";

/** A place where slices above have something run. Calling it registers a listener or check. */
export interface Hook<T> {
  /** Registers it on this server, for the life of the server or until the returned function is called. Does no I/O. */
  (ctx: AppContext, listener: T): () => void;
  /**
   * Returns what is registered, in the order of registration. The list never changes: a listener may end itself, or
   * register another one, while it runs. Calls on a hot path allocate nothing, as long as the listeners do not.
   */
  of(ctx: AppContext): readonly T[];
}

/**
 * Declares a hook: the lower slice declares it and runs what is registered (`for (const act of onX.of(ctx)) …`), and the
 * slices above register when the server starts. The type says whether the listeners may be asynchronous; those on the
 * path of a message are not.
 */
export function hook<T>(): Hook<T> {
  const registered = perServer((): { list: readonly T[] } => ({ list: [] }));
  const register = (ctx: AppContext, listener: T) => {
    const own = registered(ctx);
    own.list = [...own.list, listener];
    let isOver = false;
    return () => {
      if (!isOver) own.list = own.list.toSpliced(own.list.indexOf(listener), 1);
      isOver = true;
    };
  };
  return Object.assign(register, { of: (ctx: AppContext) => registered(ctx).list });
}

/** A place for the one implementation of what a slice needs from a slice above. */
export interface Port<T> {
  /** Registers the implementation on this server. Throws if there is one already. Does no I/O. */
  (ctx: AppContext, implementation: T): void;
  /** Returns the implementation. Throws if there is none: a slice was not started. */
  of(ctx: AppContext): T;
  /** Returns the implementation; null where it may be absent, as at the command line. */
  find(ctx: AppContext): T | null;
}

/** Declares a port. `name` appears in the errors. */
export function port<T extends object>(name: string): Port<T> {
  const registered = perServer((): { one: T | null } => ({ one: null }));
  const register = (ctx: AppContext, implementation: T) => {
    const own = registered(ctx);
    if (own.one !== null) throw new Error(`The port "${name}" already has an implementation.`);
    own.one = implementation;
  };
  const find = (ctx: AppContext) => registered(ctx).one;
  const of = (ctx: AppContext) => {
    const one = find(ctx);
    if (one === null) throw new Error(`The port "${name}" has no implementation.`);
    return one;
  };
  return Object.assign(register, { of, find });
}
