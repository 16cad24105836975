const inside = (channel: string): string => (channel === "" ? "" : ` in ${channel}`);

/** English texts of single notifications: of the list, and of the service worker, which shows pushed ones. */
export const EN_NOTIFICATIONS = {
  /** Who did what where: the first line of an entry, and the title of a notification of the system. */
  mention: (sender: string, channel: string) => `${sender} mentioned you in ${channel}`,
  direct: (sender: string) => sender,
  thread_reply: (sender: string, channel: string) => `${sender} replied in a thread in ${channel}`,
  reaction: (sender: string, channel: string) => `${sender} reacted to your message in ${channel}`,
  card: (sender: string, channel: string) => `${sender} asks you in ${channel}`,
  reminder: (sender: string, channel: string) => `Reminder: ${sender}${inside(channel)}`,
  message: (sender: string, channel: string) => `${sender} in ${channel}`,
  /** The titles of notices, by their codes. */
  notices: {
    security: () => "The security of your account changed",
    message_reported: () => "A message was reported",
    report_decided: (channel: string) => `Moderators decided on your report${inside(channel)}`,
    role_changed: (channel: string) => `You have a new role${inside(channel)}`,
    muted: (channel: string) => `You were muted${inside(channel)}`,
    removed: (channel: string) =>
      channel === "" ? "You were removed from a channel" : `You were removed from ${channel}`,
    banned: (channel: string) =>
      channel === "" ? "You were banned from a channel" : `You were banned from ${channel}`,
    channel_deleted: (channel: string) => `Your channel ${channel} was deleted`,
    channel_restored: (channel: string) => `Your channel ${channel} was restored`,
    packet_refunded: (channel: string) => `Your red packet came back${inside(channel)}`,
    agent_paused: (agent: string) => `Your agent ${agent} was paused`,
    agent_resumed: (agent: string) => `Your agent ${agent} was resumed`,
    agent_key_revoked: (agent: string) => `A key of your agent ${agent} was revoked`,
    setup_code_claimed: (agent: string) => `Your agent ${agent} got a key with a setup code`,
    agent_budget_low: (agent: string) => `Your agent ${agent} has used 80 percent of a budget`,
    agent_budget_exhausted: (agent: string) => `Your agent ${agent} has used up a budget`,
    agent_loop_guard: (agent: string) => `Your agent ${agent} was stopped: agents sent too many messages in a row`,
    agent_away: (agent: string) => `Your agent ${agent} is not connected any more`,
    scheduled_failed: (channel: string) => `Your scheduled message${inside(channel)} could not be sent`,
    reminder_ended: () => "A reminder ended: you can't read its message any more",
    hook_disabled: (hook: string) => `The webhook ${hook} was turned off`,
  },
  /** A notice that this version of the page does not know. */
  notice: "A notice for you",
  /** The line below the title of a notice. */
  reportStates: { resolved: "Measures were taken.", dismissed: "No measures were taken." },
  roles: { owner: "You own it now.", admin: "You are an admin now.", member: "You are a member now." },
  until: (time: string) => `Until ${time}`,
  forGood: "Until somebody lifts it",
  points: (count: string) => (count === "1" ? "1 point" : `${count} points`),
  somebody: "Somebody",
  newMessage: "New message",
  /** Shown for a push that this version of the page cannot read. */
  news: "There is something new for you",
};
