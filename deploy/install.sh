#!/bin/sh
# Installs or upgrades Parley on Debian, behind Caddy, which gets the certificate:
#
#   sudo sh install.sh [--anyway] [--acme-ca <address>] <release> <domain> [<owner>]
# <release>  the folder or https address of a release, with SHA256SUMS, or one Debian package in it
# <domain>   the name of the chat, such as chat.example.org; it must lead to this machine
# <owner>    the name of the first account; without it the script asks
# --anyway   goes on although the name leads elsewhere, as behind a router that passes ports 80 and 443 on
# --acme-ca  another authority for certificates than those of Caddy
#
# It installs the packages parley and caddy, and changes /etc/parley.env and /etc/caddy/Caddyfile only where nobody
# else did. To remove everything, with all messages: apt purge parley caddy
set -eu
umask 022
export LC_ALL=C DEBIAN_FRONTEND=noninteractive
settings=/etc/parley.env
caddyfile=/etc/caddy/Caddyfile
mark="# Written by Parley's install.sh. Remove this line, and the script leaves the file as it is."

say() { printf '%s\n' "$*"; }
fail() { say "Parley is not installed completely: $1" >&2 && exit 1; }
read_words() {
  anyway=no acme_ca=
  if [ "${1-}" = --anyway ]; then anyway=yes && shift; fi
  if [ "${1-}" = --acme-ca ]; then acme_ca=${2-} && shift 2; fi
  [ $# -eq 2 ] || [ $# -eq 3 ] || fail "use it as: sudo sh install.sh <release> chat.example.org [<owner>]"
  release=$1 domain=$2 owner=${3-}
  case $domain in
    *[!a-z0-9.-]* | .* | -* | *..* | *.) fail "\"$domain\" is no domain. Write it as chat.example.org: small letters, without https://." ;;
    *.*) ;;
    *) fail "\"$domain\" has no dot, and nobody gives certificates to such names. Use one as chat.example.org." ;;
  esac
}
check_machine() {
  [ "$(id -u)" -eq 0 ] || fail "it needs root. Put sudo before the command."
  system=$(sed -n 's/^ID=//p' /etc/os-release) version=$(sed -n 's/^VERSION_ID="\([0-9]*\).*/\1/p' /etc/os-release)
  # Debian's next release has no number yet.
  { [ "$system" = debian ] && [ "${version:-99}" -ge 12 ]; } || fail "this is not Debian 12 or newer. Install by hand, as docs/guide/deployment.md says."
  [ -d /run/systemd/system ] || fail "systemd does not run here, so nothing would start Parley. Use a container, as docs/guide/deployment.md says."
  architecture=$(dpkg --print-architecture)
  case $architecture in amd64 | arm64) ;; *) fail "Parley is made for amd64 and arm64, and this machine is $architecture." ;; esac
}
# Prints the value of a setting of Parley, or nothing.
setting() { [ ! -e "$settings" ] || sed -n "s/^$1=//p" "$settings" | tail -n 1 | tr -d "'\""; }
check_settings() {
  port=$(setting PORT) && port=${port:-3000}
  case $(setting PARLEY_PUBLIC_URL) in
    "" | "https://$domain" | http://127.0.0.1:3000) ;;
    *) fail "$settings has another PARLEY_PUBLIC_URL than https://$domain: $(setting PARLEY_PUBLIC_URL). Change it there, or name that domain here." ;;
  esac
}
# check_port <port> <program> <advice>: fails if another program listens there.
check_port() {
  inode=$(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk -v "end=:$(printf %04X "$1")\$" '$4 == "0A" && $2 ~ end { print $10; exit }')
  [ -n "$inode" ] || return 0
  place=$(find /proc/[0-9]*/fd -lname "socket:\[$inode\]" 2>/dev/null | head -n 1)
  found=$(cat "${place%/fd/*}/comm" 2>/dev/null) || found="another program"
  [ "$found" = "$2" ] || fail "$found uses port $1. $3"
}
check_ports() {
  for web in 80 443; do check_port $web caddy "Caddy needs it for the certificate and for the chat. Stop that program, or let it be the proxy, as docs/guide/deployment.md says."; done
  check_port "$port" parley "Stop that program, or choose another port for Parley with PORT in $settings."
}
# True if https works, asked from this machine itself: a router may not lead back to it.
answers() { curl -fsS --noproxy '*' -m 5 --resolve "$domain:443:127.0.0.1" -o /dev/null "https://$domain/readyz" 2>/dev/null; }
check_domain() {
  if [ "$anyway" = yes ] || answers; then return; fi
  leads=$(getent ahosts "$domain" | awk '{ print $1 }' | sort -u | tr '\n' ' ')
  [ -n "$leads" ] || fail "$domain has no address. Add an A record with the public address of this machine where you got the domain, wait some minutes, and run this again."
  own=" $(hostname -I)"
  for address in $leads; do
    case $own in *" $address "*) continue ;; esac
    fail "$domain leads to ${leads% }, but this machine is${own% }. Correct the records of the domain. If a router or the cloud passes ports 80 and 443 on to this machine, put --anyway before the release."
  done
}
# install_packages <word>...: lets apt install packages, and shows its words only if it fails.
install_packages() {
  apt-get -qq -y --no-install-recommends -o Dpkg::Options::=--force-confold install "$@" >"$work/apt" 2>&1 ||
    fail "apt cannot install $*. Is there a network? It says: $(tail -n 3 "$work/apt")"
}
install_caddy() {
  if caddy version && curl --version && [ -s /etc/ssl/certs/ca-certificates.crt ]; then return; fi >/dev/null 2>&1
  say "Installing Caddy from Debian …"
  apt-get -qq update >"$work/apt" 2>&1 || fail "apt finds no packages. Is there a network? It says: $(tail -n 3 "$work/apt")"
  install_packages ca-certificates caddy curl
}
# get <name>: brings a file of the release into the folder of this run.
get() {
  case $base in
    https://*) curl -fsSL --proto '=https' --retry 2 -o "$work/$1" "$base/$1" || fail "$base/$1 cannot be downloaded. Check the address and the network." ;;
    *://*) fail "$base is no https address, so others could change what it sends." ;;
    *) cp "$base/$1" "$work/$1" || fail "$base/$1 cannot be read. Name the folder of a release, or the package in it." ;;
  esac
}
get_package() {
  case $release in
    *.deb) base=$(dirname "$release") package=$(basename "$release") ;;
    *) base=${release%/} package= ;;
  esac
  get SHA256SUMS
  [ -n "$package" ] || package=$(awk -v "end=_$architecture.deb\$" '$2 ~ end && $2 !~ "/" { print $2; exit }' "$work/SHA256SUMS")
  case $package in parley_*_"$architecture".deb) ;; *) fail "$release has no package for $architecture, as this machine is." ;; esac
  sum=$(awk -v "name=$package" '$2 == name { print $1 }' "$work/SHA256SUMS")
  get "$package"
  say "$sum  $work/$package" | sha256sum --check --status 2>/dev/null ||
    fail "$package was damaged or changed: its SHA-256 is not in SHA256SUMS. Download the release again."
}
install_parley() {
  new=$(dpkg-deb -f "$work/$package" Version)
  old=$(dpkg-query -W -f '${Version}' parley 2>/dev/null) || old=
  [ -z "$old" ] || dpkg --compare-versions "$new" ge "$old" || fail "Parley $old is installed, and $new is older. A database does not go back: restore a backup for that."
  say "Installing Parley $new …"
  install_packages "$work/$package"
}
# set_default <name> <packaged value> <value>: changes a setting that is as the package made it.
set_default() {
  case $(setting "$1") in
    "$3") ;;
    "$2") sed -i "s|^$1=.*|$1=$3|" "$settings" && verb=restart ;;
    *) say "Note: $settings keeps $1=$(setting "$1")." ;;
  esac
}
start_parley() {
  verb=start
  set_default PARLEY_PUBLIC_URL http://127.0.0.1:3000 "https://$domain"
  set_default PARLEY_TRUSTED_PROXIES none 127.0.0.1
  systemctl -q enable parley && systemctl "$verb" parley
  for _ in $(seq 30); do
    if curl -fsS --noproxy '*' -m 5 -o /dev/null "http://127.0.0.1:$port/readyz" 2>/dev/null; then return; fi
    sleep 1
  done
  fail "Parley does not start. It says: $(journalctl -u parley -o cat -n 5)"
}
has_owner() { parleyctl user list --admins --json 2>/dev/null | grep -q '"admin_level":3'; }
# Asks before the long work, and only for the first account.
name_owner() {
  if [ -n "$owner" ] || has_owner; then return; fi
  [ -t 0 ] || fail "name the first account after the domain: sudo sh install.sh $release $domain <owner>"
  printf 'Name of your account, which owns the chat: ' && read -r owner
}
# Makes the first owner with a password that nobody knows, and a link to choose another. Last, so that it is not lost.
make_owner() {
  if has_owner; then return; fi
  head -c 24 /dev/urandom | base64 | parleyctl owner create "$owner" >/dev/null 2>"$work/owner" ||
    fail "the account \"$owner\" cannot be made: $(tail -n 2 "$work/owner"). Run this again with another name."
  say "Open this link within a day to choose the password of $owner, and log in: $(parleyctl user reset "$owner" 2>/dev/null | head -n 1)"
}
caddy_lines() {
  [ -z "$acme_ca" ] || printf '{\n\tacme_ca %s\n}\n' "$acme_ca"
  printf '%s {\n\treverse_proxy 127.0.0.1:%s\n}\n' "$domain" "$port"
}
# True if the Caddyfile leads to Parley, by the hand of this script or of others.
leads_to_parley() { grep -qF "$domain" "$caddyfile" 2>/dev/null && grep -qE "127.0.0.1:$port|localhost:$port" "$caddyfile"; }
# True if the Caddyfile is missing, written by this script, or as Debian's package made it.
is_ours() {
  if [ ! -s "$caddyfile" ] || [ "$(head -n 1 "$caddyfile")" = "$mark" ]; then return; fi
  dpkg-query -W -f '${Conffiles}\n' caddy 2>/dev/null | grep -qF "$caddyfile $(md5sum <"$caddyfile" | cut -d ' ' -f 1)"
}
check_caddyfile() {
  leads_to_parley || is_ours || fail "$caddyfile is yours, so it stays as it is. Add these lines to it, and run this again:
$(caddy_lines)"
}
start_caddy() {
  # The lines that lead to Parley stay, with what an operator or an earlier run has chosen.
  if ! leads_to_parley || { is_ours && [ -n "$acme_ca" ]; }; then
    { say "$mark" && caddy_lines; } >"$work/Caddyfile"
    [ "$(head -n 1 "$caddyfile")" != "$mark" ] || { cp -p "$caddyfile" "$caddyfile.old" && say "Note: the former Caddyfile is now $caddyfile.old."; }
    cat "$work/Caddyfile" >"$caddyfile"
  fi
  caddy validate --adapter caddyfile --config "$caddyfile" >"$work/caddy" 2>&1 || fail "Caddy refuses $caddyfile: $(tail -n 1 "$work/caddy")"
  { systemctl -q enable caddy && systemctl reload-or-restart caddy; } || fail "Caddy does not start. It says: $(journalctl -u caddy -o cat -n 3)"
}
wait_for_https() {
  say "Waiting for the certificate of $domain …"
  for _ in $(seq 60); do
    if answers; then return; fi
    sleep 1
  done
  fail "https://$domain does not answer yet. Ports 80 and 443 must be open in every firewall. Caddy goes on trying; it says: $(journalctl -u caddy -o cat --since -10min | sed -n 's/.*"level":"error".*"error":"\(.*\)".*/\1/p' | tail -n 1)"
}
main() {
  read_words "$@"
  check_machine
  check_settings
  check_ports
  check_caddyfile
  # apt reads the package as a user without rights.
  work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && chmod 755 "$work"
  check_domain
  name_owner
  install_caddy
  get_package
  install_parley
  start_parley
  start_caddy
  wait_for_https
  say "Parley $new runs at https://$domain."
  make_owner
}
main "$@"
