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
    name: "restore list",
    usage: "[--from <place>]",
    summary: "List the times to which the replica can restore the database",
    details: "Reads PARLEY_REPLICA, or with --from another folder or s3://<bucket>/<prefix>.",
    load: async () => (await import("./restore-list.ts")).restoreList,
  },
  {
    name: "restore check",
    usage: "[--at <time>] [--from <place>]",
    summary: "Restore the replica into a temporary file, check it, and remove it",
    details:
      "Works beside a running server, which does the same every night. Needs as much free space in the data folder as the database has.\nThe exit code is 1 if the replica cannot be restored.",
    load: async () => (await import("./restore-check.ts")).restoreCheck,
  },
  {
    name: "restore finish",
    usage: "[--until <time>]",
    summary: "Finish a recovery of PostgreSQL by its own tools, before a server starts",
    details:
      "Refuses while a server runs. Gives the data a new epoch, which makes clients reload their channels and pauses payouts, and ends what was\ndue until that time (default: now), so that it is not sent again. --until is the time until which the server ran before the recovery.",
    load: async () => (await import("./restore-finish.ts")).restoreFinish,
  },
  {
    name: "restore",
    usage: "[<file>] [--at <time>] [--from <place>] [--with-files <folder>]",
    summary: "Restore a backup, or any time from the replica, in place of the database",
    details:
      "Refuses while a server runs. The previous SQLite database is kept under a new name. Clients reload their channels,\nbecause the restored data gets a new epoch. What was due before is not sent again. Keys and passwords are those of the time of the backup.\nThen it checks that every file has its bytes; --with-files copies missing ones back from the folder of a backup.\n--at restores from PARLEY_REPLICA, or --from another folder or s3://<bucket>/<prefix>, instead of a file: a time with its zone, such as\n2030-01-31T18:00:00Z, or how long ago, such as 15m, 2h or 3d, or: newest. It prints what is undone.",
    load: async () => (await import("./restore.ts")).restore,
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
    name: "doctor",
    usage: "[--production]",
    summary: "Check settings, folder, disk, database and port, and suggest fixes",
    details:
      "Changes nothing. The exit code is 1 if there is a problem.\n--production reads the settings as the production profile does, and lists everything that it refuses or advises against.",
    load: async () => (await import("./doctor/doctor.ts")).doctor,
  },
];
