/**
 * Calls a chain's server as the check of a payment does, half of its calls at once and then the other half, and does nothing with the
 * answers but to read them: `bun rpc-calls.ts <url> <calls a check> <checks> <at once>`. Prints the CPU of one check in microseconds.
 */
const [url = "", calls = "", checks = "", atOnce = ""] = process.argv.slice(2);
const half = Math.ceil(Number(calls) / 2);

async function call(id: number): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json", "accept-encoding": "identity" },
    body: JSON.stringify({ jsonrpc: "2.0", id, method: "eth_chainId", params: [] }),
    redirect: "manual",
    decompress: false,
  });
  const { result } = (await response.json()) as { result: string };
  if (!result.startsWith("0x")) throw new Error(`no answer: ${result}`);
}

const some = (count: number) => Promise.all(Array.from({ length: count }, (_, id) => call(id)));

async function run(times: number): Promise<number> {
  const before = process.cpuUsage();
  let left = times;
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      await some(half);
      await some(Number(calls) - half);
    }
  };
  await Promise.all(Array.from({ length: Number(atOnce) }, worker));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}

await run(Math.ceil(Number(checks) / 4));
console.log(await run(Number(checks)));

export {};
