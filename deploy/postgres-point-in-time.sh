#!/bin/sh
# Any point in time on PostgreSQL, with its own tools (docs/guide/point-in-time.md). Run it as the user that owns the cluster.
#
#   postgres-point-in-time.sh settings <archive>             prints the settings for postgresql.conf
#   postgres-point-in-time.sh base <archive> [pg_basebackup's options]   copies the cluster into the archive: do it every day
#   postgres-point-in-time.sh recover <archive> <time> <new data folder>   prepares a folder that recovers to the time
#   postgres-point-in-time.sh expire <archive> <days>        removes what is older than the oldest kept copy needs
set -eu

usage() {
  sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

# Prints the start of a base copy, as in its name.
stamp() { date -u +%Y%m%dT%H%M%SZ; }

settings() {
  mkdir -p "$1/log" "$1/base"
  chmod 700 "$1" "$1/log" "$1/base"
  cat <<CONF
wal_level = replica
archive_mode = on
# At most a minute of messages is lost with the disk; for less, run pg_receivewal on another machine as well.
archive_timeout = 60s
archive_command = 'test ! -f "$1/log/%f" && cp "%p" "$1/log/%f.draft" && sync "$1/log/%f.draft" && mv "$1/log/%f.draft" "$1/log/%f"'
CONF
}

base() {
  archive=$1
  shift
  target="$archive/base/$(stamp)"
  pg_basebackup --pgdata="$target.draft" --checkpoint=fast --wal-method=none --format=plain "$@"
  mv "$target.draft" "$target"
  echo "$target"
}

recover() {
  archive=$1 time=$2 data=$3
  at=$(date -u -d "$time" +%Y%m%dT%H%M%SZ) || { echo "$time is not a time. Write it with its zone, such as 2030-01-31T18:00:00Z." >&2; exit 1; }
  [ ! -e "$data" ] || { echo "$data exists. Name a new folder, so that the old cluster is kept." >&2; exit 1; }
  # The newest copy whose end was before the time: its backup_label has the start, and its folder's time the end.
  from=
  for copy in "$archive"/base/*Z; do
    [ -d "$copy" ] || continue
    ended=$(date -u -r "$copy/backup_manifest" +%Y%m%dT%H%M%SZ)
    if [ "$(printf '%s\n%s\n' "$ended" "$at" | sort | head -n 1)" = "$ended" ]; then from=$copy; fi
  done
  [ -n "$from" ] || { echo "No copy in $archive/base is older than $time." >&2; exit 1; }
  cp -a "$from" "$data"
  chmod 700 "$data"
  cat >>"$data/postgresql.auto.conf" <<CONF
restore_command = 'cp "$archive/log/%f" "%p"'
recovery_target_time = '$(date -u -d "$time" '+%Y-%m-%d %H:%M:%S.%6N+00')'
recovery_target_action = 'promote'
archive_mode = off
CONF
  touch "$data/recovery.signal"
  echo "$data recovers from $from to $time when it is started. Then run: parley restore finish"
}

expire() {
  archive=$1 days=$2
  limit=$(date -u -d "$days days ago" +%Y%m%dT%H%M%SZ)
  keep=
  for copy in "$archive"/base/*Z; do
    [ -d "$copy" ] || continue
    if [ -z "$keep" ] || [ "$(printf '%s\n%s\n' "$(basename "$copy")" "$limit" | sort | head -n 1)" = "$(basename "$copy")" ]; then keep=$copy; fi
  done
  [ -n "$keep" ] || { echo "There is no copy in $archive/base." >&2; exit 1; }
  for copy in "$archive"/base/*Z; do
    if [ "$(basename "$copy")" \< "$(basename "$keep")" ]; then rm -r "$copy"; fi
  done
  first=$(sed -n 's/^START WAL LOCATION: .* (file \([0-9A-F]*\))$/\1/p' "$keep/backup_label")
  pg_archivecleanup "$archive/log" "$first"
}

case "${1:-}:$#" in
  settings:2) settings "$2" ;;
  base:1) usage ;;
  base:*) shift; base "$@" ;;
  recover:4) recover "$2" "$3" "$4" ;;
  expire:3) expire "$2" "$3" ;;
  *) usage ;;
esac
