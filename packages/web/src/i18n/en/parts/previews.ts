/** English texts of previews of links. */
export const EN_PREVIEWS = {
  on: "The links in this message get a preview.",
  off: "The links in this message get no preview.",
  leaveOut: "Leave it out",
  bringBack: "Show it",
  remove: (host: string) => `Remove the preview of ${host} for everyone`,
};
