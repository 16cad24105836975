/** A call without a usable answer. The texts are ours: no text of the server gets into a log. */
export class RpcFailure extends Error {
  readonly reason: FailureReason;
  constructor(reason: FailureReason) {
    super(`the chain's server did not respond: ${reason}`);
    this.name = "RpcFailure";
    this.reason = reason;
  }
}

export type FailureReason =
  | "timeout"
  | "connection"
  | "status"
  | "limited"
  | "too_large"
  | "malformed"
  | "wrong_chain"
  /** Not sent: the server failed too often a moment ago. */
  | "resting";

/** Length of the text that is classified: nodes use few words, and the matching takes more than linear time. */
const TEXT_MAX = 500;

/** The server answered with a JSON-RPC error. `text` is the server's own, truncated: classify it, never show it. */
export class RpcRefusal extends Error {
  readonly code: number;
  readonly text: string;
  constructor(code: number, text: string) {
    super(`the chain's server refused (${code})`);
    this.name = "RpcRefusal";
    this.code = code;
    this.text = text.slice(0, TEXT_MAX);
  }
}
