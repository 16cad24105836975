/** A call that gave nothing to work with. The texts are ours: not a word of the server's gets into a log. */
export class RpcFailure extends Error {
  readonly reason: FailureReason;
  constructor(reason: FailureReason) {
    super(`the chain's server gave no answer: ${reason}`);
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
  /** Nothing was asked: it failed too often a moment ago. */
  | "resting";

/** As much of a refusal's text as is classified: the words of nodes are short, and matching takes more than linear time. */
const TEXT_MAX = 500;

/** The server answered with an error of JSON-RPC. `text` is its own, cut: to be classified, never to be shown. */
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
