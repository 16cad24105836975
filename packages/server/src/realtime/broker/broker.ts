/**
 * Carries frames between the nodes of one Parley.
 *
 * Promises: this node's own publications reach its handler exactly once, before `publish` returns, if it is subscribed.
 * Those of other nodes arrive at most once in the usual case and in order per topic from one publisher; while the bus is
 * doubtful they may be lost, late, repeated or reordered. Nothing is stored: a node that needs lost events reads the
 * database, which is why durable frames carry `seq`.
 */
export interface Broker extends AsyncDisposable {
  /**
   * Sends the messages to every node subscribed to the topic. Never throws: a lost broker delays a message but does not
   * lose it.
   */
  publish(topic: string, messages: readonly BrokerMessage[]): void;
  /**
   * Sends the messages of a topic over every server of the bus, so that they precede what this node publishes later on
   * any topic. A node may receive them once per server. Never throws.
   */
  publishEverywhere(topic: string, messages: readonly BrokerMessage[]): void;
  /**
   * Once the promise resolves, this node's handler receives the topic, or the topic is doubtful. It resolves after a
   * second at the latest.
   */
  subscribe(topic: string): Promise<void>;
  unsubscribe(topic: string): Promise<void>;
  /** Sets the one handler of this node. Must be called before the first subscribe. */
  onMessages(handler: BrokerHandler): void;
  /** Sets the one handler of events that other nodes published, but that the broker does not carry. */
  onGap(handler: GapHandler): void;
  /** True while messages of other nodes about this topic may be lost or late: the database has to be asked. */
  isDoubtful(topic: string): boolean;
  /** Reports each time that the doubt about any topic begins or ends. The handler may find that it lasted no time. */
  onHealth(handler: () => void): void;
}

export type BrokerHandler = (topic: string, messages: readonly BrokerMessage[]) => void;

/**
 * Receives a topic that has durable events up to `seq` in the database which were not, or not all, delivered: they were
 * too large. `seq` is null if it is unknown, and whether there are any is unknown too.
 */
export type GapHandler = (topic: string, seq: number | null) => void;

/** A message's record on the broker. */
export interface BrokerRecord {
  id: number;
  seq: number;
  json: string;
  /** Whether it has reactions; absent: none. */
  reacted?: boolean;
  /** True if it began a thread; absent: it did not. */
  threaded?: true;
  /** True if it is a reply that only its thread shows; absent: it is not. */
  hidden?: true;
  /** True if it shows the record of a feature, such as a poll; absent: it does not. */
  featured?: true;
}

/** The message that began a thread, after a reply was sent or deleted. */
export interface BrokerRoot {
  id: number;
  /** The field `thread` of its record, as JSON. */
  thread: string;
}

/** One event to deliver to sockets, already serialized. */
export interface BrokerMessage {
  /** The event's name, such as `message:new`. */
  event: string;
  /** The whole frame `{event, data}` as JSON, ready for a socket. */
  frame: string;
  /** The durable number in its channel; absent on ephemeral events. */
  seq?: number;
  /** Present on an event that stands for a run of numbers: the number before the first of them. It is never published. */
  after?: number;
  /**
   * For events that carry or change a message: its current record, so that the newest page can be cached without SQL.
   */
  message?: BrokerRecord;
  /** For events that change a thread: its root, so that the newest page shows it without SQL. Comes with `message`. */
  root?: BrokerRoot;
}
