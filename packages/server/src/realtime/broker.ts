/**
 * Carries frames between the nodes of one Parley.
 *
 * Promises: at most once; in order per topic from one publisher; a publish reaches this node by the same path as every
 * other (the publisher never writes directly to its own sockets). Nothing is stored: a node that needs lost events
 * reads the database, which is why durable frames carry `seq`.
 */
export interface Broker extends AsyncDisposable {
  /**
   * Sends the messages to every node subscribed to the topic. Never throws: a lost broker delays a message but does not
   * lose it.
   */
  publish(topic: string, messages: readonly BrokerMessage[]): void;
  /** Once the promise resolves, this node's handler receives the topic. */
  subscribe(topic: string): Promise<void>;
  unsubscribe(topic: string): Promise<void>;
  /** Sets the one handler of this node. Must be called before the first subscribe. */
  onMessages(handler: BrokerHandler): void;
}

export type BrokerHandler = (topic: string, messages: readonly BrokerMessage[]) => void;

/** A message's record on the broker. */
export interface BrokerRecord {
  id: number;
  seq: number;
  json: string;
  /** Whether it has reactions; absent: none. */
  reacted?: boolean;
}

/** One event to deliver to sockets, already serialized. */
export interface BrokerMessage {
  /** The event's name, such as `message:new`. */
  event: string;
  /** The whole frame `{event, data}` as JSON, ready for a socket. */
  frame: string;
  /** The durable number in its channel; absent on ephemeral events. */
  seq?: number;
  /**
   * For events that carry or change a message: its current record, so that the newest page can be cached without SQL.
   */
  message?: BrokerRecord;
}
