/**
 * The tests that measure running time or wait a fixed time, besides those named `.time.test.ts`: `architecture.test.ts`
 * allows it to no other. The path is without the ending, and the reason says why no condition, and no clock of the test,
 * can take the place of the time.
 */
export const TIMED_TESTS: Readonly<Record<string, string>> = {
  "packages/server/src/realtime/presence/presence": "a Redis that hangs delays a join by a tenth of a second",
  "packages/server/src/outgoing/outgoing": "its server answers slowly",
  "packages/server/test/accounts/oidc/backchannel-logout": "a logout ends the sockets of another node in 2 s",
  "packages/server/test/agents/sdk-stream": "its model writes slowly",
  "packages/server/test/cluster/agent-streams": "a wait ends at once on another node, not after its 30 s",
  "packages/server/test/cluster/drain": "a node ends within the 10 s of protocol §10, and is not ready for 2 s before",
  "packages/server/test/cluster/limits": "Redis counts by its own clock, so what it refills is calculated",
  "packages/server/test/cluster/nodes": "a node that hangs is given up after 15 s, not before",
  "packages/server/test/cluster/presence": "a user of a dead node is gone in time",
  "packages/server/test/cluster/revocations": "a node that cannot be told delays a revocation by a second",
  "packages/server/test/cluster/streams": "a stream is sent at most ten times a second on each node",
  "packages/server/test/faults/drain": "a server ends within the 10 s of protocol §10",
  "packages/server/test/faults/erasure": "it looks at the file rarely, because looking takes CPU time",
  "packages/server/test/payouts/payouts":
    "a worker that is stopped pays nothing in two passes, and a stop ends its process in 10 s",
  "packages/server/test/payouts/payouts-fence": "a server that lost its lease pays nothing in three passes",
  "packages/server/test/support/faults/cut-proxy": "the proxy delays what it passes on",
  "packages/web/test/chat/chat-busy": "a count is shown at most ten times a second",
};
