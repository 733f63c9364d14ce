import { HELPER, type HelperFiles, sha256 } from './reeve-op/shipped-files.ts'

export interface SetupOptions {
  /** One line, `ssh-ed25519 …`, without options. */
  readonly publicKey: string
  /** Addresses, or networks such as 192.0.2.0/24, from which Reeve connects: the key counts from nowhere else. None: from anywhere. */
  readonly from: readonly string[]
  /** Of sshd. */
  readonly port: number
  /** The account that Reeve reads as. */
  readonly account?: string
  /** Other machines are reached through this one: the account may open connections from it. */
  readonly forwards?: boolean
}

const KEY = /^(?:ssh|ecdsa)-[a-z0-9-]+ [A-Za-z0-9+/=]+(?: [A-Za-z0-9@._-]+)?$/
const ADDRESS = /^[0-9a-fA-F.:]+(?:\/\d{1,3})?$/
const ACCOUNT = /^[a-z_][a-z0-9_-]{0,30}$/
const HOME = '/var/lib/reeve-ssh'

/**
 * The shell script that makes a machine ready for Reeve, to be run there as root: an ordinary account that Reeve reads as,
 * reeve-op with a list that allows nothing, and an account whose key can do nothing but ask it. Says first what it does,
 * and at the end which host keys the machine has. Can be repeated; `--what` only says, `--remove` takes it all away.
 * @throws {RangeError} a value that could not stand in a script or in authorized_keys
 */
export function setupScript(
  files: HelperFiles,
  { publicKey, from, port, account = 'reeve', forwards = false }: SetupOptions,
): string {
  if (!KEY.test(publicKey)) throw new RangeError('That is not a public key in one line.')
  if (!from.every((address) => ADDRESS.test(address))) throw new RangeError('That is not an address or a network.')
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new RangeError('That is not a port.')
  if (!ACCOUNT.test(account) || ['root', 'reeve-op'].includes(account)) throw new RangeError('That is not an account.')
  const restrictions = from.length === 0 ? 'restrict' : `restrict,from="${from.join(',')}"`
  return `#!/bin/sh
# Makes this machine ready for Reeve. Run it as root: sh setup.sh. It can be repeated.
#   sh setup.sh --what     only says what it would do
#   sh setup.sh --remove   takes it all away again
set -eu
umask 022
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export PATH LC_ALL=C
ACCOUNT=${account}
PORT=${port}
KEY='${publicKey}'
RESTRICTIONS='${restrictions}'
FORWARDING='${forwards ? ',port-forwarding' : ''}'
HOME_OF=${HOME}
PROGRAM=${HELPER.program}
LIST=${HELPER.list}
STATE=${HELPER.state}
SUDOERS=/etc/sudoers.d/reeve-op
${BODY}
put 755 "$PROGRAM" <<'END_OF_REEVE_OP'
${withoutMark(files.program)}END_OF_REEVE_OP
echo '${sha256(files.program)}  '"$PROGRAM" | sha256sum -c - >/dev/null || stop "$PROGRAM did not arrive whole."
if [ ! -e "$LIST" ]; then
  put 644 "$LIST" <<'END_OF_REEVE_OP'
${withoutMark(files.list)}END_OF_REEVE_OP
fi
${END}`
}

/** A here-document ends where its mark stands on a line of its own. */
function withoutMark(text: string): string {
  if (/^END_OF_REEVE_OP$/m.test(text) || !text.endsWith('\n')) throw new RangeError('That cannot stand in a script.')
  return text
}

const BODY = String.raw`
stop() {
  echo "setup: $*" >&2
  exit 1
}
# Written beside its place and renamed: whole or not at all.
put() {
  mkdir -p "$(dirname "$2")"
  cat >"$2.new"
  chown root:root "$2.new"
  chmod "$1" "$2.new"
  mv -f "$2.new" "$2"
}
has() { command -v "$1" >/dev/null; }

# How reeve-op becomes root: by a rule that names one program, and no arguments.
if has sudo && has visudo; then
  become=sudo
elif has doas; then
  become=doas
  SUDOERS=/etc/doas.d/reeve-op.conf
  [ -d /etc/doas.d ] || SUDOERS=/etc/doas.conf
else
  become=none
fi

cat <<END
This makes the machine $(uname -n) ready for Reeve:
- the ordinary account $ACCOUNT, in the groups adm and systemd-journal: Reeve reads as it. It has no password, and its home
  and authorized_keys belong to root ($HOME_OF).
- $PROGRAM, which does as root what $LIST allows. A new list allows nothing; one that is there stays.
- the account reeve-op, whose key can do nothing but start that program ($SUDOERS).
The key of both: $RESTRICTIONS
  $KEY
END
if [ -n "$FORWARDING" ]; then echo "Reeve reaches other machines through this one: $ACCOUNT may open connections from it."; fi
if [ "$become" = none ]; then echo 'There is neither sudo nor doas here, so Reeve will read, but change nothing as root.'; fi
case $\{1-} in
'' | --remove) ;;
--what) exit 0 ;;
*) stop 'there is only --what and --remove.' ;;
esac
[ "$(id -u)" = 0 ] || stop 'run this as root.'

# An account that this script did not make stays as it is.
ours() { [ "$(getent passwd "$1" | cut -d: -f6)" = "$HOME_OF/$1" ]; }
for name in "$ACCOUNT" reeve-op; do
  if id -u "$name" >/dev/null 2>&1 && ! ours "$name"; then
    stop "there is an account $name already, for something else. Choose another name for the account."
  fi
done

if [ "$\{1-}" = --remove ]; then
  rm -f "$PROGRAM"
  case $SUDOERS in
  /etc/doas.conf) if [ -e "$SUDOERS" ]; then grep -v ' reeve-op ' "$SUDOERS" >"$SUDOERS.new" || :; chmod 600 "$SUDOERS.new"; mv -f "$SUDOERS.new" "$SUDOERS"; fi ;;
  *) rm -f "$SUDOERS" ;;
  esac
  for name in "$ACCOUNT" reeve-op; do
    if ours "$name"; then
      if has userdel; then userdel "$name"; else deluser "$name"; fi
    fi
  done
  rm -rf "$HOME_OF" "$STATE/jobs"
  rmdir "$STATE/backup" "$STATE" 2>/dev/null || :
  echo 'It is removed.'
  for path in "$LIST" "$STATE"; do if [ -e "$path" ]; then echo "$path stays: look at it, and remove it."; fi; done
  exit 0
fi

# The password * matches nothing; unlike !, it does not keep keys out where sshd runs without PAM.
account() { # name, groups …
  name=$1
  shift
  if ! id -u "$name" >/dev/null 2>&1; then
    if has useradd; then
      useradd --system --user-group --no-create-home --home-dir "$HOME_OF/$name" --shell /bin/sh --password '*' "$name"
    else
      addgroup -S "$name"
      adduser -S -D -H -h "$HOME_OF/$name" -s /bin/sh -G "$name" "$name"
      echo "$name:*" | chpasswd -e 2>/dev/null
    fi
  fi
  for group in "$@"; do
    getent group "$group" >/dev/null || continue
    if has usermod; then usermod -a -G "$group" "$name"; else addgroup "$name" "$group"; fi
  done
  mkdir -p "$HOME_OF/$name/.ssh"
  chown root:root "$HOME_OF" "$HOME_OF/$name" "$HOME_OF/$name/.ssh"
  chmod 755 "$HOME_OF" "$HOME_OF/$name" "$HOME_OF/$name/.ssh"
}
account "$ACCOUNT" adm systemd-journal
account reeve-op
echo "$RESTRICTIONS$FORWARDING $KEY" | put 644 "$HOME_OF/$ACCOUNT/.ssh/authorized_keys"
echo "$RESTRICTIONS,command=\"exec $become -n $PROGRAM\" $KEY" | put 644 "$HOME_OF/reeve-op/.ssh/authorized_keys"
if has restorecon; then restorecon -R "$HOME_OF"; fi

mkdir -p "$STATE/jobs" "$STATE/backup"
chown root:root "$STATE" "$STATE/jobs" "$STATE/backup"
chmod 700 "$STATE" "$STATE/jobs" "$STATE/backup"
`.replaceAll('$\\{', '${')

const END = String.raw`
case $become in
sudo)
  # Checked before it counts: a wrong rule could take sudo away from everybody.
  rule=$(mktemp)
  echo 'reeve-op ALL=(root:root) NOPASSWD: '"$PROGRAM"' ""' >"$rule"
  if grep -rqs '^[^#]*requiretty' /etc/sudoers /etc/sudoers.d; then echo 'Defaults:reeve-op !requiretty' >>"$rule"; fi
  visudo -cqf "$rule" || stop "sudo does not take the rule for reeve-op; nothing of sudo was changed."
  put 440 "$SUDOERS" <"$rule"
  rm -f "$rule"
  ;;
doas)
  rule="permit nopass reeve-op as root cmd $PROGRAM args"
  case $SUDOERS in
  /etc/doas.conf) { grep -sv ' reeve-op ' "$SUDOERS" || :; echo "$rule"; } | put 600 "$SUDOERS.checked" ;;
  *) echo "$rule" | put 600 "$SUDOERS.checked" ;;
  esac
  doas -C "$SUDOERS.checked" || { rm -f "$SUDOERS.checked"; stop "doas does not take the rule for reeve-op; nothing of doas was changed."; }
  mv -f "$SUDOERS.checked" "$SUDOERS"
  ;;
esac
if [ "$become" != none ]; then
  hello=$(printf 'reeve-op 1\nid 00000000000000000000000000000000\nhello\n\n' | su -s /bin/sh reeve-op -c "exec $become -n $PROGRAM" 2>&1) || :
  # sudo may have said something before, such as that it cannot resolve the machine's own name.
  case $hello in
  *'ok
uid 0'*) echo 'reeve-op answers.' ;;
  *) echo "reeve-op does not answer: $hello" >&2 ;;
  esac
fi

echo
if has sshd; then
  limits=$(sshd -T 2>/dev/null | grep -E '^(allow|deny)(users|groups) ' || :)
  if [ -n "$limits" ]; then echo "sshd lets only some in; see that $ACCOUNT and reeve-op are among them: $limits"; fi
fi
echo "What may be done as root says $LIST; a change of it counts at once."
echo "The host keys of this machine (port $PORT), to paste into Reeve:"
found=no
for key in /etc/ssh/ssh_host_*_key.pub; do
  if [ -r "$key" ]; then
    cut -d ' ' -f 1,2 "$key"
    found=yes
  fi
done
[ "$found" = yes ] || echo '(none found in /etc/ssh: does sshd run here?)'
`.trimStart()
