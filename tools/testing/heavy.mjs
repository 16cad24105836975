/** Why a test file takes more than 10 s of a processor. */
export const REASONS = {
  "packages/server/test/http/fuzz-http.test.ts": "sends random requests to every route",
  "packages/server/test/rights/rights.test.ts": "tries every kind of caller on every route and every kind of object",
  "tools/install.test.ts": "runs npm a dozen times, which takes most of a second each",
  "tools/run.test.ts": "runs npm start several times, as a person does",
  "tools/server-bundle.test.ts": "bundles the whole server for each kind of change",
};
