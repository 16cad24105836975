/** English texts of single notifications: of the list, and of the service worker, which shows pushed ones. */
export const EN_NOTIFICATIONS = {
  /** Who did what where: the first line of an entry, and the title of a notification of the system. */
  mention: (sender: string, channel: string) => `${sender} mentioned you in ${channel}`,
  direct: (sender: string) => sender,
  thread_reply: (sender: string, channel: string) => `${sender} replied in a thread in ${channel}`,
  reaction: (sender: string, channel: string) => `${sender} reacted to your message in ${channel}`,
  card: (sender: string, channel: string) => `${sender} answered your card in ${channel}`,
  message: (sender: string, channel: string) => `${sender} in ${channel}`,
  notice: () => "A notice for you",
  somebody: "Somebody",
  newMessage: "New message",
  /** Shown for a push that this version of the page cannot read. */
  news: "There is something new for you",
};
