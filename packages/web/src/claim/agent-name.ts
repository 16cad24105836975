/**
 * Derives an agent name from a social account: `ana.example.com` becomes `ana-agent`. Only letters and digits, so that
 * it needs no quoting.
 */
export function agentNameFor(handle: string): string {
  const [first = ""] = handle.split(/[.@]/).filter((part) => part !== "");
  const plain = first.replaceAll(/[^A-Za-z0-9]/g, "").slice(0, 24);
  return plain === "" ? "my-agent" : `${plain}-agent`;
}
