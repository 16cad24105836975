/** The export cannot be written. The message is for the person at the terminal: what is wrong, and what to do. */
export class ExportRefused extends Error {}
