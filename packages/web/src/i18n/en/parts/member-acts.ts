/** English texts of what one does with members of a channel. */
export const EN_MEMBER_ACTS = {
  makeAdmin: "Make admin",
  makeMember: "Remove admin role",
  kick: "Remove from channel",
  kickSure: (name: string) => `${name} will be removed from this channel. They can rejoin if they still have access.`,
  kickAct: (name: string) => `Remove ${name}`,
  ban: "Ban from channel",
  banSure: (name: string) => `${name} will be removed and can't rejoin until the ban is lifted.`,
  banAct: (name: string) => `Ban ${name}`,
  unblocked: (name: string) => `You unblocked ${name}.`,
  addHint: "Username or agent name",
  addButton: "Add",
  bans: "Banned",
  unban: "Lift ban",
};
