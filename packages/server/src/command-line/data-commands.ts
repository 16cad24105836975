import type { Command } from "./command.ts";

/** Commands that keep, check and restore what the server stores. */
export const DATA_COMMANDS: readonly Command[] = [
  {
    name: "migrate",
    usage: "",
    summary: "Upgrade the database's schema to this version",
    details: "The server does this by itself when it starts. Use this command to choose the time.",
    load: async () => (await import("./database.ts")).migrateCommand,
  },
  {
    name: "backup verify",
    usage: "<file>",
    summary: "Restore a backup beside it, check the result, and remove it",
    details:
      "Opens the restored copy as a server does, and audits the ledger. Needs as much free space beside the file as it has. The exit\ncode is 1 if the backup cannot be restored.",
    load: async () => (await import("./backups.ts")).backupVerify,
  },
  {
    name: "backup list",
    usage: "",
    summary: "List the scheduled backups in PARLEY_BACKUP_DIR",
    details: "The newest first. Each of them was verified when it was made.",
    load: async () => (await import("./backups.ts")).backupList,
  },
  {
    name: "backup",
    usage: "<file> [--with-files <folder>]",
    summary: "Write a copy of the SQLite database to a new file",
    details:
      "Works beside a running server; the copy is a consistent snapshot. For PostgreSQL use pg_dump.\n--with-files also copies the bytes of files to the folder, as files backup does.",
    load: async () => (await import("./database.ts")).backup,
  },
  {
    name: "restore",
    usage: "<file> [--with-files <folder>]",
    summary: "Restore a backup in place of the SQLite database, or into an empty PostgreSQL",
    details:
      "Refuses while a server runs. The previous SQLite database is kept under a new name. Clients reload their channels,\nbecause the restored data gets a new epoch. Keys and passwords are those of the time of the backup.\nThen it checks that every file has its bytes; --with-files copies missing ones back from the folder of a backup.",
    load: async () => (await import("./database.ts")).restore,
  },
  {
    name: "files backup",
    usage: "<folder> [--database <file>]",
    summary: "Copy the bytes of files that are new to a folder",
    details:
      "Works beside a running server and with every database; make the copy of the database first. Files are named by their\nhashes, so one folder serves many backups. The exit code is 1 if bytes are lost or damaged.\n--database copies the files of this backup instead of those of the current database.",
    load: async () => (await import("./files.ts")).filesBackup,
  },
  {
    name: "files restore",
    usage: "<folder>",
    summary: "Check that every file has its bytes, and copy missing ones back from a folder",
    details:
      "The folder is one of backup --with-files or files backup. The exit code is 1 if bytes are lost or damaged.",
    load: async () => (await import("./files.ts")).filesRestore,
  },
  {
    name: "import list",
    usage: "",
    summary: "List the imports from other chats",
    details: "Shows those that are written, closed, open or undone, the oldest first.",
    load: async () => (await import("./imports.ts")).importList,
  },
  {
    name: "import show",
    usage: "<id>",
    summary: "Show what an import has taken",
    details: "Counts people, channels and messages that were taken, were there already, or were left out.",
    load: async () => (await import("./imports.ts")).importShow,
  },
  {
    name: "import open",
    usage: "<id>",
    summary: "Show an import to everybody whom it concerns",
    details: "Works beside a running server, which shows it within 2 seconds. Nobody is notified.",
    load: async () => (await import("./imports.ts")).importOpen,
  },
  {
    name: "import links",
    usage: "<id> [--days <days>]",
    summary: "Print links with which people claim the accounts that an import made for them",
    details:
      "Prints CSV: username, address, link. Each link works once, for 14 days or as many as --days says, and replaces an earlier one.\nPeople who have claimed their accounts or are suspended get none. Addresses come from the other chat and are not verified.\nThe links' address is PARLEY_PUBLIC_URL.",
    load: async () => (await import("./import-links.ts")).importLinks,
  },
  {
    name: "import undo",
    usage: "<id>",
    summary: "Remove everything that an import has made",
    details:
      "Works while nobody has written, reacted or joined in its channels, or claimed one of its accounts. The first step hides all of it;\nif the command is ended, run it again.",
    load: async () => (await import("./imports.ts")).importUndo,
  },
  {
    name: "doctor",
    usage: "[--production]",
    summary: "Check settings, folder, disk, database and port, and suggest fixes",
    details:
      "Changes nothing. The exit code is 1 if there is a problem.\n--production reads the settings as the production profile does, and lists everything that it refuses or advises against.",
    load: async () => (await import("./doctor/doctor.ts")).doctor,
  },
];
