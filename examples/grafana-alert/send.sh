#!/bin/sh
# Posts an alert as Grafana does: PARLEY_HOOK_URL=https://chat.example.org/api/hooks/1_… ./send.sh
set -eu
curl --fail --silent --show-error --header 'content-type: application/json' --data-binary "@$(dirname "$0")/alert.json" "$PARLEY_HOOK_URL"
