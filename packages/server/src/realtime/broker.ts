/**
 * Carries frames between the nodes of one Parley.
 *
 * Promises: at most once; in order per topic from one publisher; a publish reaches this node by the same road as every other
 * (the publisher never short-cuts to its own sockets). Nothing is kept: whoever needs what was lost reads the database, which is
 * why durable frames carry `seq`.
 */
export interface Broker extends AsyncDisposable {
  /** Hands the messages to every node that has subscribed to the topic. Never throws: a lost bus costs time, not a message. */
  publish(topic: string, messages: readonly BusMessage[]): void;
  /** From the resolved promise on, this node's handler hears the topic. */
  subscribe(topic: string): Promise<void>;
  unsubscribe(topic: string): Promise<void>;
  /** Sets the one receiver of this node. Called before the first subscribe. */
  onMessages(handler: BusHandler): void;
}

export type BusHandler = (topic: string, messages: readonly BusMessage[]) => void;

/** A message's record on the bus. */
export interface BusRecord {
  id: number;
  seq: number;
  json: string;
  /** Has it reactions? Absent: none. */
  reacted?: boolean;
}

/** One event on its way to the sockets, already serialised. */
export interface BusMessage {
  /** The event's name, such as `message:new`. */
  event: string;
  /** The whole frame `{event, data}` as JSON, ready for a socket. */
  frame: string;
  /** The durable number in its channel; absent on passing events. */
  seq?: number;
  /** For events that carry or change a message: its record as it is now, so that the newest page can be kept without SQL. */
  message?: BusRecord;
}
