import { perServer } from "../context.ts";
import { AppendStatements } from "./messages.store.ts";

/** The append path's prepared statements of this server. */
export const statements = perServer((ctx) => new AppendStatements(ctx.db));
