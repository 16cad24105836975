/** Why a test file takes more than 10 s of a processor. */
export const REASONS = {
  "clients/acp/test/restart.kills.test.ts": "kills server, harness and agent at every step of a turn",
  "clients/python/python-client.python.test.ts":
    "runs the tests of the Python client, and the strict checks of its types",
  "clients/python/whole-server.python.test.ts": "starts Python programs against servers that fail in many ways",
  "packages/server/test/accounts/lock-out.test.ts": "hashes a password for each guess",
  "packages/server/test/cluster/first-release.nodes.test.ts": "starts the first release and this one on the same data",
  "packages/server/test/cluster/rolling-release.nodes.test.ts":
    "runs the last release and this one beside each other under load",
  "packages/server/test/cluster/scenarios.nodes.test.ts": "runs every scenario of the guarantees on three nodes",
  "packages/server/test/faults/drain.kills.test.ts": "ends a server many times under writers",
  "packages/server/test/faults/erasure.kills.test.ts": "kills a server at the steps of an erasure of many messages",
  "packages/server/test/faults/messages.kills.test.ts": "starts a server 25 times under eight writers",
  "packages/server/test/faults/scenarios.debian.test.ts": "runs the scenarios of the guarantees on faulty disks",
  "packages/server/test/faults/scenarios.kills.test.ts": "runs every scenario of the guarantees under kills",
  "packages/server/test/faults/telegram-clients.kills.test.ts":
    "kills a server four times under grammY, and starts it again",
  "packages/server/test/faults/telegram.kills.test.ts": "kills a server around the confirmation of updates",
  "packages/server/test/http/fuzz-http.test.ts": "sends random requests to every route",
  "packages/server/test/limits/last-permitted.nodes.test.ts":
    "goes to every limit on several nodes, and one step further",
  "packages/server/test/limits/last-permitted.test.ts": "goes to every limit, and one step further",
  "packages/server/test/payouts/payouts.kills.test.ts": "kills a server at the steps of a payout",
  "packages/server/test/realtime/fuzz-socket.test.ts": "sends random frames of every command",
  "packages/server/test/rights/ended-acts.nodes.test.ts":
    "takes each right away twelve times on one of three nodes while others act",
  "packages/server/test/rights/rights.test.ts": "tries every kind of caller on every route and every kind of object",
  "packages/server/test/rights/slow-walk.nodes.test.ts": "takes rights away on one node at every slow call on another",
  "packages/server/test/rights/slow-walk.postgres.test.ts": "takes rights away at every slow call, on PostgreSQL",
  "packages/server/test/rights/slow-walk.test.ts": "takes rights away at every slow call of every route",
  "packages/server/test/telegram/kinds-rolling.nodes.test.ts": "unpacks and runs the last release beside this one",
  "packages/server/test/telegram/telegram-kills.python.test.ts": "kills a server four times under python-telegram-bot",
  "packages/web/test/chat/chat-busy.browser.test.ts": "shows thousands of messages in a browser",
  "packages/web/test/paid-channel.browser.test.ts": "pays in a browser with a wallet on real chains",
  "tools/client-programs.packages.test.ts": "installs the served programs on each supported Node",
  "tools/debian-package.machine.test.ts": "builds, installs, upgrades and purges the package",
  "tools/documents.packages.test.ts": "runs the linters and generators of other projects on the documents",
  "tools/install.test.ts": "runs npm a dozen times, which takes most of a second each",
  "tools/published.packages.test.ts": "compiles a program with each supported TypeScript, and runs it on each runtime",
  "tools/run.test.ts": "runs npm start several times, as a person does",
  "tools/server-bundle.test.ts": "bundles the whole server for each kind of change",
  "tools/telegram-clients.packages.test.ts": "starts each client four times, and waits as the clients do",
};
