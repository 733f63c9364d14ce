import { createHash, randomBytes } from 'node:crypto'
import { posix } from 'node:path'
import type { WriteOptions, WriteOutcome } from '../../modules/machines.ts'
import { cannotRun, type There } from './ask.ts'
import { quote } from './command-line.ts'
import type { Script } from './exchange.ts'
import { attempt } from './once.ts'
import { WHY_NOT } from './questions/read-files.ts'
import { plain } from './sign-in.ts'

/**
 * The bytes go beside the file, are compared with their hash (of an upload that was cut off, nothing becomes a file), and
 * take its place. Its answer is one line, and what the system said.
 */
const WRITE = `
h() { { sha256sum <"$1" || shasum -a 256 <"$1" || sha256 -q <"$1" || openssl dgst -sha256 -r <"$1"; } 2>/dev/null | head -n 1 | cut -c 1-64; }
a() { printf '%s %s\\n%s' "$1" "$2" "$3"; exit 0; }
x() {
  case $1 in
    *"o space"*|*uota*|*"oo large"*) a failed full "$1" ;;
    *ermi*|*"ead-only"*) a failed denied "$1" ;;
    *"o such"*|*"ot a directory"*|*onexistent*) a failed missing "$1" ;;
    *) a failed other "$1" ;;
  esac
}
o() { set -- $(ls -ldn -- "$1" 2>/dev/null); printf '%s:%s' "$3" "$4"; }
[ ! -L "$p" ] || a failed link 'It is a link.'
old=
if [ -e "$p" ]; then
  [ -f "$p" ] || a failed not_file 'It is not a plain file.'
  [ -r "$p" ] || a failed denied 'It may not be read.'
  old=$(h "$p")
  [ -n "$old" ] || a failed other 'There is no program for SHA-256.'
elif [ ! -d "$f" ]; then y "$f"; a failed "$w" 'There is no such directory.'
fi
[ "$old" = "$hash" ] || a changed "$old"
umask 077
trap 'rm -f -- "$t"' EXIT
trap 'exit 1' HUP INT PIPE TERM
e=$( { set -C; cat >"$t"; } 2>&1 ) || x "$e"
[ "$(h "$t")" = "$new" ] || a failed other 'The bytes have not arrived as they were sent.'
if [ -n "$old" ]; then
  own=$(o "$p")
  [ "$own" = "$(o "$t")" ] || e=$(chown "$own" "$t" 2>&1) || a failed denied "$e"
  [ -n "$mode" ] || mode=$(stat -c %a -- "$p" 2>/dev/null || stat -f %Mp%Lp "$p" 2>/dev/null)
fi
e=$(chmod "\${mode:-600}" "$t" 2>&1) || x "$e"
sync "$t" 2>/dev/null || sync
if [ -n "$old" ]; then
  now=$(h "$p")
  [ "$now" = "$old" ] && [ ! -L "$p" ] || a changed "$now"
  e=$(mv -f -- "$t" "$p" 2>&1) || x "$e"
elif ! e=$(ln -- "$t" "$p" 2>&1); then
  [ ! -e "$p" ] || a changed "$(h "$p")"
  # A file system without hard links.
  e=$(mv -n -- "$t" "$p" 2>&1) && [ ! -e "$t" ] || x "$e"
fi
sync "$f" 2>/dev/null
a written "$new"`

const WHYS = ['denied', 'missing', 'link', 'not_file', 'full', 'other'] as const
const MOST_ANSWER = 8192
/** A slow line takes its time for the bytes. */
const PATIENCE = 4

/** `Machine.write`. Repeated only while nothing can have come of it, and never rejects. */
export async function writeFile(
  there: There,
  path: string,
  bytes: Uint8Array,
  { if_hash, mode }: WriteOptions,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const folder = posix.dirname(path)
  const beside = posix.join(folder, `.${posix.basename(path).slice(0, 200)}.`)
  const new_hash = createHash('sha256').update(bytes).digest('hex')
  const settings = Object.entries({
    p: path,
    f: folder,
    hash: if_hash ?? '',
    new: new_hash,
    mode: mode === undefined ? '' : mode.toString(8),
  })
  const script = settings.map(([name, value]) => `${name}=${quote(value)}`).join('\n') + WHY_NOT + WRITE
  let answer = ''
  const { limits } = there
  const attempted = (): Script => {
    answer = ''
    const onOutput = (chunk: Buffer): void => {
      if (answer.length < MOST_ANSWER) answer += chunk.toString('utf8')
    }
    // A name of its own each time: what an attempt that hangs has written may still be there.
    const t = quote(beside + randomBytes(8).toString('hex'))
    return { script: `t=${t}\n${script}`, input: bytes, waits_for_input: true, onOutput }
  }
  // Told to end, it still clears up.
  const end = await attempt(there, signal, limits.answer * PATIENCE, attempted, () => limits.grace)
  if (end.kind === 'lost') return end
  const { name, account } = there.connection.target
  if (!end.begun) return { kind: 'failed', why: 'other', detail: cannotRun(name, account, end.noise) }
  const [first = '', ...rest] = answer.split('\n')
  const [kind, what = ''] = first.split(' ')
  if (kind === 'written' && what === new_hash) return { kind, hash: new_hash }
  if (kind === 'changed') return { kind, hash: /^[0-9a-f]{64}$/.test(what) ? what : null }
  const why = WHYS.find((each) => each === what)
  if (kind === 'failed' && why !== undefined) return { kind, why, detail: plain(rest.join(' ')) }
  return { kind: 'lost', lost: 'unknown', message: `${name} did not say whether the file was written.` }
}
