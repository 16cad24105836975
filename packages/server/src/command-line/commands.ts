import type { Command } from "./command.ts";

/** Every command, in the order of the help text (contract, section 10). */
export const COMMANDS: readonly Command[] = [
  {
    name: "serve",
    usage: "",
    summary: "Start the server",
    details:
      "Listens for HTTP and WebSocket on one port until it gets SIGTERM or SIGINT; then it finishes what is under way and stops.\nSettings come from the environment: PORT, HOST, PARLEY_PROFILE, PARLEY_DATA_DIR, DATABASE_URL and others.",
    load: async () => (await import("./serve.ts")).serve,
  },
  {
    name: "owner create",
    usage: "<username>",
    summary: "Make an account with the rights of an owner",
    details:
      "Asks for the password, or reads it from standard input when that is not a terminal. \nAn account that has the name already is promoted, gets this password and loses its sessions.\nThe first owner is given the channel general.",
    positionals: ["username"],
    json: true,
    load: async () => (await import("./owner.ts")).ownerCreate,
  },
  {
    name: "key issue",
    usage: "--agent <name> [--owner <username>]",
    summary: "Make an agent with an API key",
    details: "The name is bound to the new agent at once. The key is shown this one time; only its hash is stored.",
    options: { agent: { type: "string" }, owner: { type: "string" } },
    json: true,
    load: async () => (await import("./keys.ts")).keyIssue,
  },
  {
    name: "key list",
    usage: "",
    summary: "List the API keys",
    details: "Shows every key, revoked ones too, without its secret.",
    json: true,
    load: async () => (await import("./keys.ts")).keyList,
  },
  {
    name: "key revoke",
    usage: "<key_id>",
    summary: "End an API key",
    details: "A running server refuses it within 2 seconds and closes its open streams.",
    positionals: ["key_id"],
    json: true,
    load: async () => (await import("./keys.ts")).keyRevoke,
  },
  {
    name: "migrate",
    usage: "",
    summary: "Bring the database's schema up to this version",
    details: "The server does this by itself when it starts; the command is for doing it at a time of your choice.",
    json: true,
    load: async () => (await import("./migrate.ts")).migrateCommand,
  },
  {
    name: "backup",
    usage: "<file>",
    summary: "Write a copy of the SQLite database to a new file",
    details: "Works beside a running server: the copy is the state of one moment. For PostgreSQL use pg_dump.",
    positionals: ["file"],
    json: true,
    load: async () => (await import("./backup.ts")).backup,
  },
  {
    name: "restore",
    usage: "<file>",
    summary: "Put a backup in the place of the SQLite database",
    details:
      "Refuses while a server runs. The database that was there is kept beside, under a new name. Clients load their channels afresh,\nbecause the restored data gets a new epoch. Keys and passwords are again what they were when the backup was made.",
    positionals: ["file"],
    json: true,
    load: async () => (await import("./restore.ts")).restore,
  },
  {
    name: "doctor",
    usage: "",
    summary: "Check settings, folder, disk, database and port; say what to do",
    details: "Changes nothing. The exit code is 1 when there is a problem.",
    json: true,
    load: async () => (await import("./doctor.ts")).doctor,
  },
];
