/**
 * True for the events of messages that are still being written. Agents' event streams and waits ignore them: an agent
 * reads what another one has written once it is a message, and `stream:end` there is the end of the event stream itself
 * (protocol §12.7).
 */
export const isOfGrowing = (event: string): boolean => event.startsWith("stream:");
