/** DiscordChatExporter names its files by the channel's id, and parts of them by the dates and the number. */
const FILE = /\[\d{15,20}\](?: \([^()]*\))?(?: \[part \d+\])?\.json$/;

export const isDiscordFile = (name: string): boolean => FILE.test(name);
