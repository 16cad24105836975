/** The checks of the test servers that run in this process (declared.ts). */
export const runningServers = new Set<{ assertNone(): Promise<void> }>();
