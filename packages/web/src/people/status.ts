import { lazy } from "../session/lazy.tsx";

/** A person's status. Its code loads when it is first shown. */
export const StatusLine = lazy(async () => (await import("./status-line.tsx")).StatusLine);
